"""The soak itself works: a few seconds of it, with the least crew."""

import pytest

from tests.soak import soak
from tests.soaking.chaos import Crew


def test_a_short_soak_does_its_work_and_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak(2.0, seed=1, crew=Crew(servers=1, agents=2, programs=1, people=0), bucket=False, every=0.5) == []
    told = capsys.readouterr().out
    assert "write_file: " in told
    assert "append_line: 0 done" not in told
    assert " x a " in told
    assert told.endswith("wrong: 0\n")

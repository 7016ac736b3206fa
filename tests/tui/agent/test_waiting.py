"""How long a change is said to go on waiting."""

from datetime import UTC, datetime, timedelta

import pytest

from wenchang.gate import WaitingChange
from wenchang_tui.agent.waiting import seconds_left

ASKED = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed_s", "left"),
    [(0, 45), (44.4, 1), (46, 0), (3600, 0), pytest.param(-3600, 45, id="the clock was set back an hour")],
)
def test_the_countdown_runs_from_the_whole_wait_to_nothing(passed_s: float, left: int) -> None:
    change = WaitingChange(1, "delete_file", "user/u/notes/ink.md", {}, ASKED)
    assert seconds_left(change, 45.0, ASKED + timedelta(seconds=passed_s)) == left

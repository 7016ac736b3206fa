"""Each benchmark runs once at small size: to see that it works, not how long it takes."""

import json
from pathlib import Path

import pytest

from tests.benchmarks import growth
from tests.benchmarks.__main__ import main
from tests.benchmarks.measuring import Benchmark, Pair, Result, run
from tests.benchmarks.rows import PEERS, ROWS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_benchmark_works_at_small_size(row: Benchmark) -> None:
    result = run(row, is_small=True)
    assert result.product > 0
    assert result.floor > 0


def test_names_are_distinct() -> None:
    names = [row.name for row in (*ROWS, *PEERS)]
    assert sorted(set(names)) == sorted(names)


def row_of(*costs: tuple[float, float], goal: float, at_most: float | None = None) -> Benchmark:
    """A benchmark with made-up costs of product and floor, the first of them those of the warm-up."""
    ours, floors = (iter(side) for side in zip(*costs, strict=True))
    return Benchmark("x", goal, lambda _: Pair(lambda: next(ours), lambda: next(floors)), len(costs) - 1, at_most)


def test_the_ratio_is_that_of_the_medians_without_the_warm_up() -> None:
    result = run(row_of((90, 1), (3, 1), (4, 2), (90, 3), goal=2.0))
    assert (result.product, result.floor, result.ratio) == (4, 2, 2.0)
    assert result.line() == "x 2.00 2 ok"


def test_a_row_is_short_above_its_goal_or_above_what_it_may_take() -> None:
    row = row_of((1, 1), goal=2.0)
    assert Result(row, 2.1, 1.0).line() == "x 2.10 2 short"
    assert not Result(row_of((1, 1), goal=2.0, at_most=0.05), 0.06, 0.05).is_ok
    assert Result(row_of((1, 1), goal=2.0, at_most=0.05), 0.05, 0.05).is_ok


def test_the_command_prints_a_document_and_fails_when_a_row_is_short(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [Benchmark("fine", 1.0, lambda _: Pair(lambda: 1.0, lambda: 2.0))]
    monkeypatch.setattr("tests.benchmarks.__main__.ROWS", rows)
    assert main(["--json", "--small", "fi"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row == {"name": "fine", "ratio": 0.5, "goal": 1.0, "ok": True, "product": 1.0, "floor": 2.0}
    rows.append(Benchmark("short", 1.0, lambda _: Pair(lambda: 3.0, lambda: 2.0)))
    assert main(["--small"]) == 1
    assert capsys.readouterr().out == "fine 0.50 1 ok\nshort 1.50 1 short\n"


def test_growth_is_measured_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "growth.svg"
    assert growth.main(["--small", "-o", str(picture)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures.pop("files") == [3, 6]
    assert all(len(costs) == 2 and min(costs) > 0 for costs in figures.values())
    drawn = picture.read_text()
    assert all(f"<!--  {work} -->" in drawn for work in figures)

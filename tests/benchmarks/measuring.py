"""A benchmark, and what comes of running it: two costs by turns, their medians, and the ratio between them."""

import gc
import shutil
import time
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import Any

Cost = Callable[[], float]
"""Does something once and returns what it cost: seconds, or bytes."""


class LeftOutError(Exception):
    """A benchmark cannot be run here; the message says why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The product's work and the floor under it. Neither may profit from what the other, or its last run, left."""

    product: Cost
    floor: Cost


@dataclass(frozen=True, slots=True)
class Place:
    """Where a benchmark works: an empty folder, what is to be undone at the end, and whether small sizes will do."""

    folder: Path
    cleanup: ExitStack
    is_small: bool

    def size(self, usual: int, small: int) -> int:
        """How many of something: fewer when it is only to be seen that the benchmark works."""
        return small if self.is_small else usual


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A row of the table. `goal` is the highest ratio, `at_most` the highest cost of the product, where one is set."""

    name: str
    goal: float
    prepare: Callable[[Place], Pair]  # may raise LeftOutError
    runs: int = 9
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Medians of the costs of both sides."""

    benchmark: Benchmark
    product: float
    floor: float

    @property
    def ratio(self) -> float:
        return self.product / self.floor

    @property
    def is_ok(self) -> bool:
        limit = self.benchmark.at_most
        return self.ratio <= self.benchmark.goal and (limit is None or self.product <= limit)

    def line(self) -> str:
        return f"{self.benchmark.name} {self.ratio:.2f} {self.benchmark.goal:g} {'ok' if self.is_ok else 'short'}"

    def values(self) -> dict[str, Any]:
        name, goal = self.benchmark.name, self.benchmark.goal
        return {"name": name, "ratio": self.ratio, "goal": goal, "ok": self.is_ok, **self._costs()}

    def _costs(self) -> dict[str, float]:
        return {name: cost for name, cost in asdict(self).items() if name != "benchmark"}


def seconds(work: Callable[[], object], times: int = 1) -> Cost:
    """The cost of doing `work` a number of times, in seconds."""

    def measured() -> float:
        gc.collect()
        began = time.perf_counter()
        for _ in range(times):
            work()
        return time.perf_counter() - began

    return measured


def peak_bytes(work: Callable[[], object]) -> Cost:
    """The most that `work` and what it returns hold at any moment, in bytes."""

    def measured() -> float:
        gc.collect()
        tracemalloc.start()
        try:
            _kept = work()
            return float(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    return measured


def run(benchmark: Benchmark, *, is_small: bool = False) -> Result:
    """Run a benchmark in a folder of its own, once to warm up and then `runs` times; small ones only once.

    Raises `LeftOutError`.
    """
    with ExitStack() as cleanup:
        folder = Path(mkdtemp(prefix="wenchang-"))
        cleanup.callback(_remove, folder)
        pair = benchmark.prepare(Place(folder, cleanup, is_small))
        costs = [(pair.product(), pair.floor()) for _ in range(1 if is_small else benchmark.runs + 1)]
    counted = costs[1:] or costs
    return Result(benchmark, median(ours for ours, _ in counted), median(floor for _, floor in counted))


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)

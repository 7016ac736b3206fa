"""Many small reads in a row, whether the system has the files at hand or has to fetch them from the disk.

Which of the two it is shows in the first few reads. A disk fetches many files in hardly more time than one, if it is
asked for all of them before the first is waited for; what is at hand is only slowed down by asking.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_SAMPLE = 8
_SLOW_SECONDS = 50e-6  # for a read; one of a file at hand takes about 10

T = TypeVar("T")
R = TypeVar("R")


def read_each(places: Sequence[T], read: Callable[[T], R], request: Callable[[T], object]) -> list[R]:
    """What `read` returns for each of `places`, in their order; `request` has the system fetch it, without waiting."""
    results, times = [], []
    for place in places[:_SAMPLE]:
        began = time.perf_counter()
        results.append(read(place))
        times.append(time.perf_counter() - began)
    rest = places[_SAMPLE:]
    if rest and sorted(times)[_SAMPLE // 2] > _SLOW_SECONDS:  # the middle one: others may have waited for a turn
        for place in rest:
            request(place)
    return results + [read(place) for place in rest]

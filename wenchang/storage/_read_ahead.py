"""Many small reads in a row, whether the system has the files at hand or has to fetch them from the disk.

Which of the two it is shows in the first few reads. A disk fetches many files in hardly more time than one, if they
are asked for at the same time; what is at hand is only slowed down by threads.
"""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_SAMPLE = 8
_SLOW_SECONDS = 50e-6  # for a read; one of a file at hand takes about 10
_AT_A_TIME = 8

T = TypeVar("T")
R = TypeVar("R")


def read_each(places: Sequence[T], read: Callable[[T], R]) -> list[R]:
    """What `read` returns for each of `places`, in their order."""
    results, times = [], []
    for place in places[:_SAMPLE]:
        began = time.perf_counter()
        results.append(read(place))
        times.append(time.perf_counter() - began)
    rest = places[_SAMPLE:]
    if not rest or sorted(times)[_SAMPLE // 2] < _SLOW_SECONDS:  # the middle one: others may have waited for a turn
        return results + [read(place) for place in rest]
    return results + _read_in_threads(rest, read)


def _read_in_threads(places: Sequence[T], read: Callable[[T], R]) -> list[R]:
    # Not before it is needed: it takes longer to import than a small store to read.
    from concurrent.futures import ThreadPoolExecutor

    step = -(-len(places) // _AT_A_TIME)
    shares = [places[start : start + step] for start in range(0, len(places), step)]
    results = []
    with ThreadPoolExecutor(len(shares)) as pool:
        for share in pool.map(lambda share: [read(place) for place in share], shares):
            results += share
    return results

"""Many requests to one storage at a time, with their results and their errors in a settled order.

How many at a time is for the storage to say (`wenchang.storage.Concurrency`). One that does not say is asked one by one
for as long as it answers at once: threads only slow down what waits for no network.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar

from wenchang.storage import Concurrency, Storage

CONCURRENCY = 32
"""Requests at a time to a storage that is far away and does not say better."""

_AT_ONCE_SECONDS = 0.005

T = TypeVar("T")
R = TypeVar("R")


def each(storage: Storage, work: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
    """What `work`, a request to `storage`, returns for each of `items`, in their order.

    When an error of `work` or `items` has its turn, nothing more is begun, what is under way is finished, the results
    it has are given out, and then the error is raised: of several, that of the earliest item. Close the iterator to
    stop early: that too waits for what is under way.
    """
    waiting = iter(items)
    concurrency = storage.concurrency if isinstance(storage, Concurrency) else None
    if concurrency is None:
        yield from _while_prompt(work, waiting)
        concurrency = CONCURRENCY
    if concurrency == 1:
        yield from map(work, waiting)
    else:
        from wenchang.core.threads import in_threads  # takes longer to import than a small folder to read

        yield from in_threads(work, waiting, concurrency)


def _while_prompt(work: Callable[[T], R], items: Iterator[T]) -> Iterator[R]:
    """The first results, up to one that was waited for."""
    for item in items:
        began = time.monotonic()
        result = work(item)
        waited = time.monotonic() - began
        yield result
        if waited > _AT_ONCE_SECONDS:
            return

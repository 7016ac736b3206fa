"""Many requests to one storage at a time, with their results and their errors in a settled order.

How many at a time is for the storage to say (`wenchang.storage.Concurrency`). One that does not say is asked one by one
for as long as it answers at once: threads only slow down what waits for no network.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from wenchang.storage import Concurrency, Storage

CONCURRENCY = 32
"""Requests at a time to a storage that is far away and does not say better."""

_AT_ONCE_SECONDS = 0.005
# So many requests stand in line for each thread that one slow answer does not hold up the threads of the others.
_LINE = 4

T = TypeVar("T")
R = TypeVar("R")


def each(storage: Storage, work: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
    """What `work`, a request to `storage`, returns for each of `items`, in their order.

    When `work` or `items` raises, nothing more is begun, what is under way is finished, the results it has are given
    out, and then the error is raised: of several, that of the earliest item. Close the iterator to stop early: that
    too waits for what is under way.
    """
    waiting = iter(items)
    concurrency = storage.concurrency if isinstance(storage, Concurrency) else None
    if concurrency is None:
        yield from _while_prompt(work, waiting)
        concurrency = CONCURRENCY
    yield from map(work, waiting) if concurrency == 1 else _in_threads(work, waiting, concurrency)


def _while_prompt(work: Callable[[T], R], items: Iterator[T]) -> Iterator[R]:
    """The first results, up to one that was waited for."""
    for item in items:
        began = time.monotonic()
        result = work(item)
        waited = time.monotonic() - began
        yield result
        if waited > _AT_ONCE_SECONDS:
            return


def _in_threads(work: Callable[[T], R], items: Iterator[T], concurrency: int) -> Iterator[R]:
    line: deque[Future[R]] = deque()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="wenchang") as pool:
        try:
            for item in items:
                line.append(pool.submit(copy_context().run, work, item))
                if len(line) == _LINE * concurrency:
                    yield _first(line)
            while line:
                yield _first(line)
        except GeneratorExit:
            _recall(line)
            raise
        except BaseException:
            _recall(line)
            yield from [begun.result() for begun in line if not begun.cancelled() and begun.exception() is None]
            raise


def _first(line: deque[Future[R]]) -> R:
    # It leaves the line with its result in hand: an interrupt while waiting must not lose it.
    result = line[0].result()
    line.popleft()
    return result


def _recall(line: Iterable[Future[R]]) -> None:
    """Let nothing begin that has not begun."""
    for future in line:
        future.cancel()

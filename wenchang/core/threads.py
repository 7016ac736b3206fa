"""Work shared among threads, with its results and its errors in the order of the items."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

# So many requests stand in line for each thread that one slow answer does not hold up the threads of the others.
_LINE = 4

T = TypeVar("T")
R = TypeVar("R")


def in_threads(work: Callable[[T], R], items: Iterable[T], concurrency: int) -> Iterator[R]:
    """What `work` returns for each of `items`, so many at a time; ends as `wenchang.core.parallel.each` says."""
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

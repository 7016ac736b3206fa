"""Waiting for the network for a bounded time, however the network behaves.

Socket time-outs do not bound a call: each address of a host gets its own, and so does each piece of a slow answer.
Calls therefore run in daemon threads, which hold up neither their caller beyond its patience nor the end of the
program. A thread is kept for later calls: to start one takes about a seventh of the processor time of a request.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

_MOST_IDLE = 64
_idle: "list[_Worker]" = []


class _Worker(Thread):
    """Makes one call after another, each of which returns what tells its outcome."""

    def __init__(self) -> None:
        super().__init__(name="wenchang-gcs", daemon=True)
        self.calls: SimpleQueue[Callable[[], Callable[[], None]]] = SimpleQueue()

    def run(self) -> None:
        is_kept = True
        while is_kept:
            tell = self.calls.get()()
            is_kept = len(_idle) < _MOST_IDLE
            if is_kept:  # before the caller hears of it, whose next call may follow at once
                _idle.append(self)
            tell()
            del tell


def start(call: Callable[[], T]) -> Future[T]:
    """Begin `call` in a thread of its own, in the context of the caller."""
    future: Future[T] = Future()
    _free_worker().calls.put(partial(_settled, future, partial(copy_context().run, call)))
    return future


def _free_worker() -> _Worker:
    with suppress(IndexError):
        while not (worker := _idle.pop()).is_alive():
            pass  # it was left behind by a fork
        return worker
    worker = _Worker()
    worker.start()
    return worker


def _settled(future: Future[T], call: Callable[[], T]) -> Callable[[], None]:
    try:
        return partial(future.set_result, call())
    except BaseException as error:
        return partial(future.set_exception, error)


def result_within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns or raises. Raises `TimeoutError` when it does neither in time; it is then left to itself."""
    return start(call).result(seconds)


def settled_within(seconds: float, *futures: Future[T]) -> None:
    """Wait until all `futures` are settled. Raises `TimeoutError` when they are not in time."""
    if wait(futures, seconds).not_done:
        raise TimeoutError

"""Waiting for the network for a bounded time, however the network behaves.

Socket time-outs do not bound a call: each address of a host gets its own, and so does each piece of a slow answer.
Calls therefore run in daemon threads, which hold up neither their caller beyond its patience nor the end of the
program.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def start(call: Callable[[], T]) -> Future[T]:
    """Begin `call` in a thread of its own, in the context of the caller."""
    future: Future[T] = Future()
    Thread(target=_settle, args=(future, partial(copy_context().run, call)), name="wenchang-gcs", daemon=True).start()
    return future


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)


def result_within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` returns or raises. Raises `TimeoutError` when it does neither in time; it is then left to itself."""
    return start(call).result(seconds)


def settled_within(seconds: float, *futures: Future[T]) -> None:
    """Wait until all `futures` are settled. Raises `TimeoutError` when they are not in time."""
    if wait(futures, seconds).not_done:
        raise TimeoutError

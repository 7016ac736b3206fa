"""Calls in threads that are kept: one call at a time each, and no outcome is anybody else's."""

import os
import threading
from contextvars import ContextVar
from functools import partial

import pytest

from wenchang.storage.gcs import waiting
from wenchang.storage.gcs.waiting import result_within, settled_within, start

PATIENCE = 30


def test_threads_are_kept_for_later_calls() -> None:
    assert len({start(threading.current_thread).result(PATIENCE) for _ in range(20)}) < 20


def test_a_thread_is_free_again_before_its_caller_knows_however_the_call_ends() -> None:
    threads: list[threading.Thread] = []

    def leave() -> None:
        threads.append(threading.current_thread())
        raise SystemExit

    with pytest.raises(SystemExit):
        result_within(PATIENCE, leave)
    assert threads[0] in waiting._idle


def test_calls_at_a_time_have_a_thread_each() -> None:
    together = threading.Barrier(8)
    calls = [start(lambda: together.wait(PATIENCE)) for _ in range(8)]
    settled_within(PATIENCE, *calls)
    assert sorted(call.result() for call in calls) == list(range(8))


def test_a_call_that_hangs_holds_up_no_other() -> None:
    released = threading.Event()
    with pytest.raises(TimeoutError):
        result_within(0.01, lambda: released.wait(PATIENCE))
    assert result_within(PATIENCE, lambda: "other") == "other"
    released.set()


def test_no_more_threads_are_kept_than_are_of_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_idle", [])
    monkeypatch.setattr(waiting, "_MOST_IDLE", 2)
    go_on = [threading.Event() for _ in range(4)]

    def wait(event: threading.Event) -> threading.Thread:
        event.wait(PATIENCE)
        return threading.current_thread()

    calls = [start(partial(wait, event)) for event in go_on]
    workers = []
    for event, call in zip(go_on, calls, strict=True):
        event.set()
        workers.append(call.result(PATIENCE))
    assert len(waiting._idle) == 2
    for worker in set(workers) - set(waiting._idle):
        worker.join(PATIENCE)
        assert not worker.is_alive()


def test_each_call_has_the_context_of_its_caller() -> None:
    caller = ContextVar("caller", default="nobody")
    for name in ("me", "you"):
        caller.set(name)
        assert result_within(PATIENCE, caller.get) == name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_fork_does_not_wait_for_threads_that_it_does_not_have() -> None:
    start(threading.get_ident).result(PATIENCE)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if result_within(PATIENCE, lambda: True) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0

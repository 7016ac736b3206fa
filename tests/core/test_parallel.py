"""Many requests at a time: how many, in which order results come, and what happens when one fails."""

import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from itertools import count
from typing import cast

import pytest

from wenchang.core import parallel
from wenchang.core.parallel import each
from wenchang.storage import Concurrency, Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage

PATIENCE = 30
SILENT = cast(Storage, object())
"""A storage that does not say."""


class Wide(InMemoryStorage):
    """A storage that says how many calls it likes at a time."""

    def __init__(self, concurrency: int) -> None:
        super().__init__()
        self.concurrency = concurrency


class Peak:
    """Notes how many calls of `work` there are at a time, and in which threads."""

    def __init__(self, work: Callable[[int], int] = lambda item: item) -> None:
        self.work = work
        self.now = self.most = 0
        self.began: list[int] = []
        self.threads: set[int] = set()
        self._lock = threading.Lock()

    def __call__(self, item: int) -> int:
        with self._lock:
            self.began.append(item)
            self.threads.add(threading.get_ident())
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return self.work(item)
        finally:
            with self._lock:
                self.now -= 1


def test_as_many_run_at_once_as_the_storage_says_and_no_more() -> None:
    together = threading.Barrier(4)

    def wait(item: int) -> int:
        together.wait(PATIENCE)
        return item

    peak = Peak(wait)
    assert list(each(Wide(4), peak, range(40))) == list(range(40))
    assert peak.most == 4


def test_results_come_in_order_however_late_the_first_one_is() -> None:
    others = threading.Event()

    def first_is_last(item: int) -> int:
        if item == 0:
            assert others.wait(PATIENCE)
        elif item == 3:
            others.set()
        return item

    assert list(each(Wide(2), first_is_last, range(5))) == [0, 1, 2, 3, 4]


def test_no_more_is_begun_ahead_than_stands_in_line() -> None:
    taken = count()
    results = each(Wide(2), lambda item: item, taken)
    assert next(results) == 0
    results.close()
    assert next(taken) == 8


@pytest.mark.parametrize("storage", [Wide(1), InMemoryStorage()])
def test_a_storage_that_waits_for_nothing_is_served_by_the_caller(storage: InMemoryStorage) -> None:
    peak = Peak()
    assert list(each(storage, peak, range(9))) == list(range(9))
    assert peak.threads == {threading.get_ident()}


def test_the_storages_at_hand_say_one_at_a_time() -> None:
    for storage in (InMemoryStorage(), FilesystemStorage("/nowhere")):
        assert isinstance(storage, Concurrency)
        assert storage.concurrency == 1


def test_a_storage_that_does_not_say_is_served_by_the_caller_while_it_answers_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "_AT_ONCE_SECONDS", float("inf"))
    peak = Peak()
    assert list(each(SILENT, peak, range(9))) == list(range(9))
    assert peak.threads == {threading.get_ident()}


def test_a_storage_that_lets_wait_is_sent_many_requests_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_AT_ONCE_SECONDS", -1)
    together = threading.Barrier(32)

    def wait(item: int) -> int:
        if item:
            together.wait(PATIENCE)
        return item

    assert list(each(SILENT, wait, range(33))) == list(range(33))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_nothing_to_do_is_done(concurrency: int) -> None:
    assert list(each(Wide(concurrency), int, [])) == []


def test_the_context_of_the_caller_goes_along() -> None:
    caller = ContextVar("caller", default="nobody")
    caller.set("me")
    assert list(each(Wide(2), lambda _: caller.get(), range(2))) == ["me", "me"]


def collected(results: Iterator[int]) -> tuple[list[int], BaseException | None]:
    """What came, and the error at the end."""
    came: list[int] = []
    try:
        came.extend(results)
    except BaseException as error:
        return came, error
    return came, None


@pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt])
def test_what_is_under_way_when_one_fails_is_finished_and_given_out_and_nothing_else_begins(
    kind: type[BaseException],
) -> None:
    both, failed = threading.Barrier(2), threading.Event()

    def work(item: int) -> int:
        if item == 2:
            both.wait(PATIENCE)
            failed.set()
            raise kind
        if item == 3:
            both.wait(PATIENCE)
            assert failed.wait(PATIENCE)
        return item

    def items() -> Iterator[int]:
        yield from range(4)
        assert failed.wait(PATIENCE)

    came, error = collected(each(Wide(2), Peak(work), items()))
    assert came == [0, 1, 3]
    assert isinstance(error, kind)


def test_of_several_errors_the_earliest_item_counts_whenever_it_came() -> None:
    later = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert later.wait(PATIENCE)
        else:
            later.set()
        raise ValueError(item)

    _, error = collected(each(Wide(2), work, range(2)))
    assert str(error) == "0"


@pytest.mark.parametrize("concurrency", [1, 3])
def test_when_the_items_fail_what_was_begun_is_given_out(concurrency: int) -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise LookupError

    peak = Peak()
    came, error = collected(each(Wide(concurrency), peak, items()))
    assert came == sorted(peak.began)
    assert isinstance(error, LookupError)


def test_closing_waits_for_what_is_under_way_and_begins_nothing_more() -> None:
    go = threading.Event()
    peak = Peak(lambda item: item if item == 0 or go.wait(PATIENCE) else -1)
    results = each(Wide(2), peak, range(8))
    assert next(results) == 0
    threading.Timer(0.05, go.set).start()
    results.close()
    assert peak.now == 0
    assert len(peak.began) <= 3

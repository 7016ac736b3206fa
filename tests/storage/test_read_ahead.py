"""Reads that are shared among threads come back in their order, whoever was slow."""

import threading

import pytest

from wenchang.storage._read_ahead import read_each


@pytest.mark.parametrize("count", [0, 5, 8, 9, 17, 100])
@pytest.mark.parametrize("is_slow", [False, True])
def test_results_keep_the_order_of_the_places(monkeypatch: pytest.MonkeyPatch, count: int, is_slow: bool) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks) if is_slow else 0.0)
    threads = set()

    def read(place: int) -> int:
        threads.add(threading.get_ident())
        return -place

    assert read_each(range(count), read) == [-place for place in range(count)]
    assert (threads - {threading.get_ident()} != set()) == (is_slow and count > 8)


def test_an_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    with pytest.raises(ZeroDivisionError):
        read_each(range(20), lambda place: 1 / (place - 15))

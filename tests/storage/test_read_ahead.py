"""A slow disk is asked for everything before the first answer is waited for; a quick one is not asked at all."""

from itertools import repeat
from pathlib import Path

import pytest

from wenchang.storage import _files
from wenchang.storage._read_ahead import read_each
from wenchang.storage.filesystem import FilesystemStorage


@pytest.mark.parametrize("count", [0, 5, 8, 9, 100])
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_slow_disk_is_asked_for_all_that_follows_the_first_reads(
    monkeypatch: pytest.MonkeyPatch, count: int, is_slow: bool
) -> None:
    ticks = iter(range(1000)) if is_slow else repeat(0.0)
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    done: list[tuple[str, int]] = []

    def read(place: int) -> int:
        done.append(("read", place))
        return -place

    assert read_each(range(count), read, lambda place: done.append(("asked", place))) == [-at for at in range(count)]
    first, rest = range(count)[:8], range(count)[8:]
    asked = [("asked", place) for place in rest] if is_slow else []
    assert done == [*(("read", place) for place in first), *asked, *(("read", place) for place in rest)]


def test_one_slow_read_among_quick_ones_says_nothing_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 9.0, *repeat(9.0, 14)])
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))

    def request(place: int) -> None:
        raise AssertionError(f"{place} was asked for")

    assert read_each(range(20), int, request) == list(range(20))


def test_a_listing_is_the_same_from_a_slow_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    for number in range(20):
        storage.put(f"a/b/{number:02}", b"x", {"number": str(number)})
    (tmp_path / "a" / "b" / "15%meta").unlink()
    quick = storage.list_page("a/b/", None, 100)
    asked: list[str] = []

    def request(path: str, folder: int | None) -> None:
        asked.append(path)
        _files.request_file(path, folder)

    ticks = iter(range(1000))
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks))
    monkeypatch.setattr("wenchang.storage.filesystem.request_file", request)
    assert storage.list_page("a/b/", None, 100) == quick
    assert asked == [f"{number:02}%meta" for number in range(8, 20)]
    assert [listed.key for listed in quick] == [f"a/b/{number:02}" for number in range(20) if number != 15]

"""The part of the storage suite in which threads share a storage."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from wenchang.storage import ListedObject, PreconditionFailedError, Storage, StoredObject
from wenchang.testing._storage_checks import object_at, only_row, require, require_object
from wenchang.version_token import VersionToken

T = TypeVar("T")


class StorageRaces:
    """Threads that share a storage."""

    def test_one_of_many_creates_wins(self, storage: Storage) -> None:
        """And what stands there is the winner's."""
        for number in range(8):
            self._race(storage, f"k{number}", None)

    def test_one_of_many_replaces_wins(self, storage: Storage) -> None:
        """And what stands there is the winner's."""
        for number in range(8):
            self._race(storage, "k", storage.put("k", str(number).encode(), {}))

    def _race(self, storage: Storage, key: str, expected: VersionToken | None) -> None:
        def write(number: int) -> VersionToken:
            return storage.put_if_version(key, str(number).encode(), {"n": str(number)}, expected)

        versions = _at_once([_attempt(write, number) for number in range(8)])
        winners = [number for number, version in enumerate(versions) if version is not None]
        require(len(winners) == 1, f"{len(winners)} of 8 racing put_if_version at one version succeeded")
        require_object(storage, key, str(winners[0]).encode(), {"n": str(winners[0])})
        require(object_at(storage, key).version == versions[winners[0]], "the winner of a race got another version")

    def test_a_delete_and_a_replace_do_not_both_win(self, storage: Storage) -> None:
        """Whichever comes second meets another version, or nothing."""
        for _ in range(8):
            expected = storage.put("k", b"1", {})

            def replace(expected: VersionToken = expected) -> str:
                return storage.put_if_version("k", b"2", {}, expected)

            def delete(expected: VersionToken = expected) -> str:
                storage.delete_if_version("k", expected)
                return "deleted"

            replaced, deleted = _at_once([_attempt(replace), _attempt(delete)])
            require((replaced is None) != (deleted is None), "not exactly one of a racing delete and replace succeeded")
            require((storage.get("k") is None) == (deleted is not None), "the loser of a race was carried out")

    def test_no_guarded_update_is_lost(self, storage: Storage) -> None:
        """Threads that read, add one, and try again when refused count to their sum."""
        storage.put("k", b"0", {})

        def count() -> None:
            for _ in range(10):
                while _attempt(_add_one, storage)() is None:
                    pass

        _at_once([count] * 4)
        require(object_at(storage, "k").data == b"40", "an update that was reported as successful is lost")

    def test_no_read_is_torn(self, storage: Storage) -> None:
        """Body, metadata and version that are read or listed together were written together."""
        written = {storage.put("k", b"0", {"n": "0"}): "0"}
        read: list[StoredObject] = []
        listed: list[ListedObject] = []
        done = threading.Event()

        def write(first: int) -> None:
            number = first
            while not done.is_set():
                written[storage.put("k", str(number).encode(), {"n": str(number)})] = str(number)
                number += 2

        def look() -> None:
            try:
                for _ in range(40):
                    read.append(object_at(storage, "k"))
                    listed.append(only_row(storage))
            finally:
                done.set()

        _at_once([lambda: write(1), lambda: write(2), look])
        for found in read:
            require(found.data.decode() == found.metadata["n"], "get told a body and metadata of different writes")
            require(
                written[found.version] == found.metadata["n"], "get told a version and metadata of different writes"
            )
        for row in listed:
            require(
                written[row.version] == row.metadata["n"], "list_page told a version and metadata of different writes"
            )


def _add_one(storage: Storage) -> VersionToken:
    found = object_at(storage, "k")
    return storage.put_if_version("k", str(int(found.data) + 1).encode(), {}, found.version)


def _attempt(call: Callable[..., T], *arguments: object) -> Callable[[], T | None]:
    """`call` with `arguments`, as a function that returns `None` where a precondition failed."""

    def attempt() -> T | None:
        try:
            return call(*arguments)
        except PreconditionFailedError:
            return None

    return attempt


def _at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What `calls` return, each in a thread of its own, all started together."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        start.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))

"""A clock that counts, metadata in one line, and a storage between whose calls somebody else may act."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from wenchang.core import MemoryStore
from wenchang.errors import VersionConflictError
from wenchang.file_format import FileMetadata, metadata_to_map
from wenchang.storage import ListedObject, Storage, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
PATH = "user/u-1/notes/a.md"
LINE = "- [stated] A fact."


def ticking() -> Callable[[], datetime]:
    """The walkthrough clock: one second later on every call."""
    ticks = count()
    return lambda: FIRST + timedelta(seconds=next(ticks))


def meta(
    description: str = "d",
    aliases: Sequence[str] = (),
    sources: Sequence[str] = (),
    last_updated: datetime = datetime(1970, 1, 1, tzinfo=UTC),
) -> FileMetadata:
    return FileMetadata(description, tuple(aliases), frozenset(sources), last_updated)


def version(text: str) -> VersionToken:
    return VersionToken(text)


def seed(store: MemoryStore, path: str, content: str = LINE + "\n", metadata: FileMetadata | None = None) -> None:
    store.write_file(path, content, metadata or meta(), None, source="seed-job")


def put_entry(storage: Storage, path: str, when: datetime = FIRST) -> None:
    storage.put(path, b"", metadata_to_map(meta(sources=["t"], last_updated=when)))


def put_corrupt(storage: Storage, path: str) -> VersionToken:
    """An object whose metadata lacks `aliases`."""
    stored = metadata_to_map(meta())
    del stored["aliases"]
    return storage.put(path, b"body", stored)


def attached(error: VersionConflictError) -> tuple[str, str]:
    return error.content, error.version


class Interposed:
    """A storage that counts its calls and lets a guest act before or after one of them, once per guest.

    One call at a time, so that guests come in their order.
    """

    concurrency = 1

    def __init__(self, inner: Storage | None = None) -> None:
        self.inner = inner or InMemoryStorage()
        self.calls: list[tuple[object, ...]] = []
        self.before: dict[str, list[Callable[[], object]]] = defaultdict(list)
        self.after: dict[str, list[Callable[[], object]]] = defaultdict(list)

    def count(self, method: str) -> int:
        return sum(call[0] == method for call in self.calls)

    def _enter(self, method: str, *details: object) -> None:
        self.calls.append((method, *details))
        if self.before[method]:
            self.before[method].pop(0)()

    def _leave(self, method: str) -> None:
        if self.after[method]:
            self.after[method].pop(0)()

    def get(self, key: str) -> StoredObject | None:
        self._enter("get", key)
        found = self.inner.get(key)
        self._leave("get")
        return found

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        self._enter("put", key)
        return self.inner.put(key, data, metadata)

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        self._enter("put_if_version", key, expected)
        token = self.inner.put_if_version(key, data, metadata, expected)
        self._leave("put_if_version")
        return token

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self._enter("delete_if_version", key, expected)
        self.inner.delete_if_version(key, expected)
        self._leave("delete_if_version")

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        self._enter("list_page", prefix, start_after, limit)
        page = self.inner.list_page(prefix, start_after, limit)
        self._leave("list_page")
        return page


def raising(error: BaseException) -> Callable[[], object]:
    def act() -> object:
        raise error

    return act

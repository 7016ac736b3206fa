"""An entity with everything in it that an archive may meet, and stores of several kinds to keep it in."""

import threading
from collections.abc import Mapping

from wenchang.core import MemoryStore
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.model.read_only import ReadOnlyStorage
from wenchang_tui.model.workspace import Settings, Workspace

METADATA = {"description": "d", "aliases": '["\u00e9"]', "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}

ODD_KEYS = (
    "user/u/",
    "user/u//",
    "user/u/../../../etc/passwd",
    "user/u/./x",
    "user/u//absolute.md",
    "user/u/C:\\x\\y.md",
    "user/u/a\x00b",
    "user/u/a\nb\u2028c.md",
    "user/u/ends/in/slash/",
    "user/u/\ud800.md",
    "user/u/\ud83d\ude00.md",
    "user/u/😀.md",
    "user/u/object-000001",
    "user/u/manifest.jsonl",
    "user/u/x/" + "n" * 70_000,
)


def fill(storage: Storage) -> None:
    """Two files, a curated one, two malformed objects, odd keys, and a neighbour."""
    storage.put("user/u/notes/a.md", b"- [stated] a\n", METADATA)
    storage.put("user/u/notes/b.md", b"bb", METADATA)
    storage.put("user/u/system/s.md", b"", METADATA)
    storage.put("user/u/notes/corrupt.md", b"\xff\x00", {"k\ud800": "\ud83d\ude00", "": ""})
    storage.put("user/u/stray", b"1234", {})
    storage.put("user/u2/notes/a.md", b"neighbour", METADATA)


def fill_oddly(storage: Storage) -> None:
    for number, key in enumerate(ODD_KEYS):
        storage.put(key, str(number).encode(), {"key": key})


def workspace_on(storage: Storage, *, read_only: bool = False) -> Workspace:
    shown = ReadOnlyStorage(storage) if read_only else storage
    return Workspace("t", "folder", shown, MemoryStore(shown), Settings(read_only=read_only), None)


def objects_of(storage: Storage, prefix: str = "user/u/") -> dict[str, tuple[bytes, Mapping[str, str]]]:
    """Bodies and metadata by key."""
    found = {listed.key: storage.get(listed.key) for listed in storage.list_page(prefix, None, 999)}
    return {key: (stored.data, stored.metadata) for key, stored in found.items() if stored}


class Failing(InMemoryStorage):
    """A storage far away, four calls at a time, where one key cannot be written or deleted."""

    concurrency = 4

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._others = threading.Barrier(4)
        self.armed = False

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        self._trouble(key)
        return super().put_if_version(key, data, metadata, expected)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self._trouble(key)
        super().delete_if_version(key, expected)

    def _trouble(self, key: str) -> None:
        if self.armed:
            self._others.wait(30)
            if key == self.key:
                raise ConnectionResetError(104, "Connection reset by peer")

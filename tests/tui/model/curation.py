"""A store in memory, a curator in it, and another writer who gets in between."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from wenchang.core import MemoryFile, MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.model.editing import Curator, Edit
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, workspace_over

KEY = "user/u/system/rules.md"
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class Interrupted(InMemoryStorage):
    """A storage that lets somebody else act first, once, just before the mutation that is `after` mutations away."""

    def __init__(self) -> None:
        super().__init__()
        self._meanwhile: Callable[[], object] | None = None
        self._after = 0

    def meanwhile(self, act: Callable[[], object], after: int = 0) -> None:
        self._meanwhile, self._after = act, after

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        self._interrupt()
        return super().put_if_version(key, data, metadata, expected)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self._interrupt()
        super().delete_if_version(key, expected)

    def _interrupt(self) -> None:
        act = self._meanwhile
        if act is None:
            return
        if self._after:
            self._after -= 1
            return
        self._meanwhile = None
        act()


def workspace(storage: Storage, settings: Settings | None = None) -> Workspace:
    return workspace_over("here", "folder", storage, settings or Settings(source="person"), None)


def agent_writes(
    storage: Storage, body: str, key: str = KEY, description: str = "Rules", aliases: tuple[str, ...] = ()
) -> MemoryFile:
    """The agent creates or replaces the file, whatever stands there."""
    store = MemoryStore(storage)
    found = storage.get(key)
    metadata = FileMetadata(description, aliases, frozenset(), NOW)
    return store.write_file(key, body, metadata, found.version if found else None, source="agent")


def agent_deletes(storage: Storage, key: str = KEY) -> None:
    found = storage.get(key)
    assert found is not None
    storage.delete_if_version(key, found.version)


def opened(curator: Curator, key: str = KEY) -> Edit:
    edit = curator.open(key)
    assert isinstance(edit, Edit)
    return edit


def body_of(storage: Storage, key: str = KEY) -> bytes:
    found = storage.get(key)
    assert found is not None
    return found.data

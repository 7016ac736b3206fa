"""How the tools reach a store: the seven operations an agent needs, in this process or across a network.

A client carries no identity and enforces no scope rule; a write under `system/` passes through here. Administration
(`purge`, `export`, `invalidate_index`) is not on it. Annotations are real objects, so that the signatures of a client
can be compared with those of `MemoryStore`. Agent layer, section 3.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from wenchang._types import really, type_name
from wenchang.core import ListCursor, ListPage, MemoryFile, MemoryIndex, MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.version_token import VersionToken

__all__ = ["InProcessClient", "TransportClient"]


@runtime_checkable
class TransportClient(Protocol):
    """The operations of `MemoryStore` that tools call, with its signatures.

    For well-typed arguments a client raises exactly what `MemoryStore` raises, message and attributes included; its own
    failures become `wenchang.errors.BackendUnavailableError`. Safe to call from several threads when served over MCP.
    `wenchang.testing.TransportConformance` checks an implementation.
    """

    def read_file(self, path: str) -> MemoryFile:
        """The file at `path`."""
        ...

    def write_file(
        self,
        path: str,
        content: str,
        metadata: FileMetadata,
        expected_version: VersionToken | None,
        *,
        source: str,
    ) -> MemoryFile:
        """Create (`expected_version=None`) or replace a whole file."""
        ...

    def append_line(
        self,
        path: str,
        line: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Add one fact line to a file."""
        ...

    def replace_fact(
        self,
        path: str,
        old_string: str,
        new_string: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Replace the one occurrence of `old_string` in a file."""
        ...

    def list_prefix(self, prefix: str, cursor: ListCursor | None = None) -> ListPage:
        """One page of the files under `prefix`."""
        ...

    def delete_file(self, path: str, expected_version: VersionToken) -> None:
        """Delete a file."""
        ...

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        """Every file of the entities in `scope_map` (scope → entity ID), without contents, up to the index's size."""
        ...


class InProcessClient:
    """A store in this very process: arguments, results and exceptions go through untouched.

    Raises `TypeError` for anything but a `MemoryStore`.
    """

    def __init__(self, store: MemoryStore) -> None:
        if not really(store, MemoryStore):
            raise TypeError(f"store must be a MemoryStore, got {type_name(store)}")
        self._store = store

    @property
    def store(self) -> MemoryStore:
        """The store behind this client."""
        return self._store

    def read_file(self, path: str) -> MemoryFile:
        """As `MemoryStore.read_file`."""
        return self._store.read_file(path)

    def write_file(
        self,
        path: str,
        content: str,
        metadata: FileMetadata,
        expected_version: VersionToken | None,
        *,
        source: str,
    ) -> MemoryFile:
        """As `MemoryStore.write_file`."""
        return self._store.write_file(path, content, metadata, expected_version, source=source)

    def append_line(
        self,
        path: str,
        line: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """As `MemoryStore.append_line`."""
        return self._store.append_line(
            path, line, expected_version, source=source, aliases=aliases, description=description
        )

    def replace_fact(
        self,
        path: str,
        old_string: str,
        new_string: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """As `MemoryStore.replace_fact`."""
        return self._store.replace_fact(
            path, old_string, new_string, expected_version, source=source, aliases=aliases, description=description
        )

    def list_prefix(self, prefix: str, cursor: ListCursor | None = None) -> ListPage:
        """As `MemoryStore.list_prefix`."""
        return self._store.list_prefix(prefix, cursor)

    def delete_file(self, path: str, expected_version: VersionToken) -> None:
        """As `MemoryStore.delete_file`."""
        self._store.delete_file(path, expected_version)

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        """As `MemoryStore.get_memory_index`."""
        return self._store.get_memory_index(scope_map)

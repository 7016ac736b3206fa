"""What the transport suite asks at every step: a fresh memory to work in, a refusal and its exact form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from wenchang._types import type_name
from wenchang.core import FileEntry, ListCursor, MemoryFile
from wenchang.errors import NotFoundError, NotFoundReason, VersionConflictError
from wenchang.file_format import FileMetadata
from wenchang.paths import build_path, build_prefix
from wenchang.transport import TransportClient

E = TypeVar("E", bound=Exception)

FACT = "- [stated] Likes short chapters."
SENTINEL_AREA = "conformance-sentinel"

_FIELDS = ("path", "scope", "area", "name", "content", "size", "limit", "match_count", "reason", "required_roles")


def require(holds: bool, phrase: str) -> None:
    """Fail with `phrase` unless `holds`."""
    if not holds:
        pytest.fail(f"TransportConformance: {phrase}")


def refusal(kind: type[E], attempt: str, call: Callable[[], object]) -> E:
    """The exception of exactly `kind` that `call` must raise."""
    try:
        call()
    except Exception as error:
        if type(error) is kind:
            return error
        found = type_name(error)
    else:
        found = "no error"
    pytest.fail(f"TransportConformance: {attempt} raised {found} instead of {kind.__name__}")


def require_refusal(expected: E, attempt: str, call: Callable[[], object]) -> E:
    """The equal of `expected`, which `call` must raise: type, message and attributes. Versions are never compared."""
    error = refusal(type(expected), attempt, call)
    require(str(error) == str(expected), f"{attempt} says {str(error)!r} instead of {str(expected)!r}")
    for field in _FIELDS:
        found, wanted = getattr(error, field, None), getattr(expected, field, None)
        require(found == wanted, f"the error of {attempt} has {field} {found!r} instead of {wanted!r}")
    return error


def require_conflict(file: MemoryFile, attempt: str, call: Callable[[], object]) -> VersionConflictError:
    """Hold `call` to a conflict that carries what `file` holds."""
    return require_refusal(VersionConflictError(file.path, file.content, file.version), attempt, call)


def require_absent(path: str, attempt: str, call: Callable[[], object]) -> None:
    """Hold `call` to the report that there is no file at `path`."""
    require_refusal(NotFoundError(path, NotFoundReason.FILE_ABSENT), attempt, call)


def metadata(
    description: str = "a description", aliases: tuple[str, ...] = (), sources: frozenset[str] = frozenset()
) -> FileMetadata:
    """Metadata as a writer hands it in; its time is ignored by a store."""
    return FileMetadata(description, aliases, sources, datetime(1970, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Memory:
    """A client over a store that was empty, and shorthands for the calls of the suite."""

    client: TransportClient
    source: str
    scopes: tuple[tuple[str, str], ...]

    def path(self, name: str = "n", area: str = "notes", scope: int = 0) -> str:
        """A path in the `scope`-th scope, in the order of their names."""
        return build_path(*self.scopes[scope], area, name)

    def prefix(self, area: str | None = None, scope: int = 0) -> str:
        """The prefix of an entity, or of one of its areas."""
        return build_prefix(*self.scopes[scope], area)

    def create(self, content: str, path: str | None = None, given: FileMetadata | None = None) -> MemoryFile:
        """A new file."""
        return self.client.write_file(path or self.path(), content, given or metadata(), None, source=self.source)

    def replace(self, file: MemoryFile, content: str, given: FileMetadata | None = None) -> MemoryFile:
        """The file, written anew at its version."""
        return self.client.write_file(file.path, content, given or metadata(), file.version, source=self.source)

    def append(self, file: MemoryFile, line: str, **more: Any) -> MemoryFile:
        """A line added to the file at its version."""
        return self.client.append_line(file.path, line, file.version, source=self.source, **more)

    def exchange(self, file: MemoryFile, old: str, new: str, **more: Any) -> MemoryFile:
        """A span of the file exchanged, at its version."""
        return self.client.replace_fact(file.path, old, new, file.version, source=self.source, **more)

    def require_stands(self, file: MemoryFile, after: str) -> None:
        """Hold the store to still or now containing `file`, body and metadata. Versions are never compared."""
        found = self.client.read_file(file.path)
        require(found.content == file.content, f"{after}: the content read is not the one last written")
        require(found.metadata == file.metadata, f"{after}: the metadata read is not the one last written")

    def entries(self, prefix: str) -> list[FileEntry]:
        """Every page under a prefix."""
        page = self.client.list_prefix(prefix)
        found = list(page.entries)
        while page.next_cursor is not None:
            page = self.client.list_prefix(prefix, ListCursor(page.next_cursor))
            found += page.entries
        return found


def fresh_memory(client: TransportClient, source: str, scope_map: Mapping[str, str]) -> Memory:
    """Make sure that no earlier test left anything, and leave a mark for the next."""
    memory = Memory(client, source, tuple(sorted(scope_map.items())))
    sentinel = memory.path("sentinel", SENTINEL_AREA)
    require_absent(sentinel, "reading in a fresh store", lambda: client.read_file(sentinel))
    memory.create("", sentinel)
    return memory

"""Noting what a call does to a file, where it happens: around the one operation of the client that changes it.

The call is found through a context variable, which frameworks carry into their worker threads. Outside of a call that
is being recorded, everything goes straight through.
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from wenchang.core import ListCursor, ListPage, MemoryFile, MemoryIndex
from wenchang.file_format import FileMetadata
from wenchang.transport import TransportClient
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Change

UNSEEN = "The file before the call is not known: it changed in that very moment, or it cannot be read."


@dataclass(slots=True)
class Sketch:
    """What is known so far of the effect of the call that runs."""

    change: Change | None = None
    note: str = ""


current_sketch: ContextVar[Sketch | None] = ContextVar("current_sketch", default=None)


class RecordingClient:
    """Another client, noting in the current sketch what each successful change did."""

    def __init__(self, client: TransportClient) -> None:
        self._client = client

    def read_file(self, path: str) -> MemoryFile:
        """As the client behind."""
        return self._client.read_file(path)

    def list_prefix(self, prefix: str, cursor: ListCursor | None = None) -> ListPage:
        """As the client behind."""
        return self._client.list_prefix(prefix, cursor)

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        """As the client behind."""
        return self._client.get_memory_index(scope_map)

    def write_file(
        self,
        path: str,
        content: str,
        metadata: FileMetadata,
        expected_version: VersionToken | None,
        *,
        source: str,
    ) -> MemoryFile:
        """As the client behind."""
        before = self._look(path)
        after = self._client.write_file(path, content, metadata, expected_version, source=source)
        _note(path, before, after, is_exact=_version(before) == expected_version)
        return after

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
        """As the client behind."""
        before = self._look(path)
        after = self._client.append_line(
            path, line, expected_version, source=source, aliases=aliases, description=description
        )
        _note(path, before, after, is_exact=_version(before) == expected_version)
        return after

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
        """As the client behind."""
        before = self._look(path)
        after = self._client.replace_fact(
            path, old_string, new_string, expected_version, source=source, aliases=aliases, description=description
        )
        # The version replaced may be newer than the one that the caller knew: only the outcome tells which it was.
        is_exact = before is not None and before.content.replace(old_string, new_string) == after.content
        _note(path, before, after, is_exact=is_exact)
        return after

    def delete_file(self, path: str, expected_version: VersionToken) -> None:
        """As the client behind."""
        before = self._look(path)
        self._client.delete_file(path, expected_version)
        _note(path, before, None, is_exact=_version(before) == expected_version)

    def _look(self, path: str) -> MemoryFile | None:
        """The file as it is; `None` when it is absent or cannot be read, or nobody wants to know."""
        if current_sketch.get() is None:
            return None
        try:
            return self._client.read_file(path)
        except Exception:  # whatever is wrong, the operation itself says so
            return None


def _version(file: MemoryFile | None) -> VersionToken | None:
    return None if file is None else file.version


def _note(path: str, before: MemoryFile | None, after: MemoryFile | None, *, is_exact: bool) -> None:
    sketch = current_sketch.get()
    if sketch is None:
        return
    if is_exact:
        sketch.change = Change(path, before, after)
    else:
        sketch.note = UNSEEN

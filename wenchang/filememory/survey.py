"""All that lies in one working folder, with what is odd about it, for people. Reads only. File memory, section 16."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from wenchang.filememory.changes import fresh_index
from wenchang.filememory.directory import Directory, Entry
from wenchang.filememory.index import is_indexed, sort_key
from wenchang.filememory.lines import split_lines, without_terminator
from wenchang.filememory.memories import decode, memory_names, read_description
from wenchang.filememory.names import (
    INDEX_NAME,
    STAGING_NAME,
    LegacyCompanions,
    companion_of,
    is_description,
    is_hidden,
    is_memory_name,
)


class Mark(StrEnum):
    """Something about a memory, or about another entry of its folder, that a person may want to know."""

    BYTE_ORDER_MARK = "starts with a byte-order mark"
    NOT_TEXT = "is not UTF-8 text"
    UNREADABLE = "cannot be read"
    WIDE_MODE = "is open to other users of the system"
    LEGACY_DESCRIPTION = "is a description under the name that older programs use"
    AMBIGUOUS_DESCRIPTION = "is a description that several files could own"
    ORPHAN_DESCRIPTION = "describes a file that is not there"
    SKIPPED = "is a link or a special file, which no tool touches"
    UNREACHABLE_NAME = "has a name that no tool can address"


class IndexState(StrEnum):
    """How the index compares with one made anew."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One memory. `size` is in bytes, `modified` in UTC; `version` stands for its content and description.

    It is empty for a memory that cannot be read.
    """

    name: str
    size: int
    modified: datetime
    description: str
    is_indexed: bool
    marks: frozenset[Mark]
    version: str


@dataclass(frozen=True, slots=True)
class Finding:
    """An entry of the folder that is no memory, and why it is worth a look."""

    name: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Survey:
    """All of a working folder: its memories in order, what else lies there, and its index as it stands."""

    memories: tuple[MemoryRow, ...]
    findings: tuple[Finding, ...]
    index_state: IndexState
    index_text: str


def survey_folder(directory: Directory) -> Survey:
    """All of a working folder, out of its open handle."""
    entries = {entry.name: entry for entry in directory.entries()}
    names = sorted((n for n, entry in entries.items() if entry.is_file and is_memory_name(n)), key=sort_key)
    state, text = _index(directory)
    legacy, lines = LegacyCompanions(names), [without_terminator(line) for line in split_lines(text)]
    return Survey(
        tuple(_row(directory, entries[name], legacy, is_indexed(name, lines)) for name in names),
        tuple(_findings(entries, names, legacy)),
        state,
        text,
    )


def _row(directory: Directory, entry: Entry, legacy: LegacyCompanions, indexed: bool) -> MemoryRow:
    data = _read_or_none(directory, entry.name)
    stored = None if data is None else decode(data)
    marks = {
        Mark.UNREADABLE: data is None,
        Mark.NOT_TEXT: data is not None and stored is None,
        Mark.BYTE_ORDER_MARK: stored is not None and stored.has_mark,
        Mark.WIDE_MODE: entry.status.st_mode & 0o077 != 0,
    }
    description = read_description(directory, entry.name, legacy)
    return MemoryRow(
        entry.name,
        entry.status.st_size,
        datetime.fromtimestamp(entry.status.st_mtime, UTC),
        description,
        indexed,
        frozenset(mark for mark, applies in marks.items() if applies),
        "" if data is None else _version(data, description),
    )


def _read_or_none(directory: Directory, name: str) -> bytes | None:
    with suppress(OSError):
        return directory.read(name)
    return None


def _version(data: bytes, description: str) -> str:
    return hashlib.sha256(hashlib.sha256(data).digest() + description.encode()).hexdigest()


def version_of(directory: Directory, name: str) -> str | None:
    """The version of a memory as it is now; `None` where there is none."""
    data = directory.read(name)
    if data is None:
        return None
    return _version(data, read_description(directory, name, LegacyCompanions(memory_names(directory))))


def _index(directory: Directory) -> tuple[IndexState, str]:
    entry = directory.entry(INDEX_NAME)
    if entry is None:
        return IndexState.MISSING, ""
    data = _read_or_none(directory, INDEX_NAME)
    stored = None if data is None else decode(data)
    if stored is None:
        return IndexState.UNREADABLE, ""
    is_current = stored.text == fresh_index(directory)
    return IndexState.CURRENT if is_current else IndexState.STALE, stored.text


def _findings(entries: dict[str, Entry], names: list[str], legacy: LegacyCompanions) -> Iterator[Finding]:
    own = set(map(companion_of, names))
    older = {legacy.of(name) for name in names}
    for name, entry in sorted(entries.items()):
        mark = _mark(entry, own, older, legacy.is_ambiguous)
        if mark is not None:
            yield Finding(name, mark)


def _mark(entry: Entry, own: set[str], older: set[str | None], is_ambiguous: Callable[[str], bool]) -> Mark | None:
    """Why an entry is worth a look. A memory, the index and a description in its place are not."""
    name = entry.name
    if entry.is_folder or name == STAGING_NAME:
        return None
    if not entry.is_file:
        return Mark.SKIPPED
    if not is_description(name):
        return None if is_hidden(name) or is_memory_name(name) else Mark.UNREACHABLE_NAME
    if name in own:
        return None
    if name in older:
        return Mark.LEGACY_DESCRIPTION
    return Mark.AMBIGUOUS_DESCRIPTION if is_ambiguous(name) else Mark.ORPHAN_DESCRIPTION

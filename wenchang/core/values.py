"""What a memory store gives back: files, pages, the index, exported objects. Nothing here reads storage."""

from collections.abc import Mapping
from dataclasses import dataclass

from wenchang._types import exact_str, really, type_name
from wenchang.core.cursor import ListCursor
from wenchang.file_format import FileMetadata
from wenchang.paths import is_valid_prefix
from wenchang.version_token import VersionToken

INDEX_SYSTEM_AREA = "system"
"""The area of curated files: first in the index, never counted by the quota."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file as read or just written."""

    path: str
    content: str
    metadata: FileMetadata
    version: VersionToken


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file as listed: everything but its content."""

    path: str
    metadata: FileMetadata
    version: VersionToken


@dataclass(frozen=True, slots=True)
class ListPage:
    """Some files under a prefix, ascending by path; `next_cursor` is `None` on the last page alone."""

    entries: tuple[FileEntry, ...]
    next_cursor: ListCursor | None


@dataclass(frozen=True, slots=True)
class CappedPrefix:
    """How many files under `prefix` the index left out.

    Raises `TypeError` for a prefix that is no `str` or a count that is no `int`, `ValueError` for an invalid prefix or
    a count below 1.
    """

    prefix: str
    omitted: int

    def __post_init__(self) -> None:
        if not really(self.prefix, str):
            raise TypeError(f"prefix must be a str, not {type_name(self.prefix)}")
        if not really(self.omitted, int) or really(self.omitted, bool):
            raise TypeError(f"omitted must be an int, not {type_name(self.omitted)}")
        object.__setattr__(self, "prefix", exact_str(self.prefix))
        object.__setattr__(self, "omitted", int.__int__(self.omitted))
        if not is_valid_prefix(self.prefix):
            raise ValueError(f"invalid prefix: {self.prefix!r}")
        if self.omitted <= 0:
            raise ValueError("omitted must be positive")


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """The files an agent is shown at the start, most relevant first, and how many were left out where.

    Raises `TypeError` unless both fields are plain tuples of `FileEntry` and `CappedPrefix`, `ValueError` when a path
    or prefix occurs twice. The order is taken as given.
    """

    entries: tuple[FileEntry, ...] = ()
    capped: tuple[CappedPrefix, ...] = ()

    def __post_init__(self) -> None:
        _check_members("entries", self.entries, FileEntry)
        _check_members("capped", self.capped, CappedPrefix)
        _check_distinct("entry path", [entry.path for entry in self.entries])
        _check_distinct("capped prefix", [capped.prefix for capped in self.capped])


def _check_members(field: str, members: object, kind: type) -> None:
    if type(members) is not tuple:
        raise TypeError(f"{field} must be a tuple, not {type_name(members)}")
    for member in members:
        if type(member) is not kind:
            raise TypeError(f"{field} member must be a {kind.__name__}, not {type_name(member)}")


def _check_distinct(what: str, texts: list[str]) -> None:
    if len(set(texts)) < len(texts):
        repeated = next(text for text in texts if texts.count(text) > 1)
        raise ValueError(f"duplicate {what}: {repeated!r}")


@dataclass(frozen=True, slots=True)
class ExportedObject:
    """One stored object, exactly as stored, whether or not it is a readable memory file. `metadata` is read-only."""

    key: str
    data: bytes
    metadata: Mapping[str, str]
    version: VersionToken

"""What lies in a store, level by level and page by page, on any storage and whatever state its objects are in.

An object that cannot be read as a memory file is a row like any other, with the reason; nothing is left out, and no
listing reads a body.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wenchang.file_format import LAST_UPDATED_KEY, FileMetadata, MetadataFormatError, metadata_from_map, metadata_to_map
from wenchang.paths import PathParts, is_valid_path, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang.storage import ListedObject, Storage, StoredObject
from wenchang.version_token import VersionToken

PAGE_SIZE = 100
_LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class FileRow:
    """One object of a listing; `size` in bytes of its body, where known.

    `problem` says why it cannot be read as a memory file: `parts` is then `None` for a key that is no memory path,
    `metadata` is `None` in any case.
    """

    key: str
    parts: PathParts | None
    metadata: FileMetadata | None
    version: VersionToken
    size: int | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class FilePage:
    """Some rows, ascending by key; `next_after` asks for the rest, and is `None` at the end."""

    rows: tuple[FileRow, ...]
    next_after: str | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many objects lie under a prefix; `problems` of them unreadable, `more` when counting stopped early."""

    files: int
    problems: int
    bytes: int
    more: bool


@dataclass(frozen=True, slots=True)
class OpenFile:
    """One object with its body. `text` is `None` when the body is not UTF-8; `problem` says what is wrong with it."""

    key: str
    parts: PathParts | None
    data: bytes
    text: str | None
    metadata: FileMetadata | None
    stored: Mapping[str, str]
    version: VersionToken
    problem: str | None

    @property
    def shown_text(self) -> str:
        """The body as text; bytes that are no UTF-8 show as U+FFFD, so never save this back."""
        return self.data.decode("utf-8", errors="replace") if self.text is None else self.text

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.data)


class Catalog:
    """The levels of a store: scopes, entities, areas, files. Every call asks the storage anew."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def scopes(self) -> tuple[str, ...]:
        """The scopes that hold any object, sorted."""
        return tuple(self._children(""))

    def entities(self, scope: str) -> tuple[str, ...]:
        """The entities of a scope, sorted."""
        return tuple(self._children(f"{scope}/"))

    def areas(self, scope: str, entity: str) -> tuple[str, ...]:
        """The areas of an entity: `system` first, then sorted."""
        found = self._children(f"{scope}/{entity}/")
        return tuple(sorted(found, key=lambda area: (area != SYSTEM_AREA, area)))

    def page(self, prefix: str, after: str | None = None, limit: int | None = None) -> FilePage:
        """At most `limit` objects under `prefix` (`""`, `s/`, `s/e/` or `s/e/a/`), of any depth, behind key `after`."""
        limit = limit or PAGE_SIZE
        listed = self._storage.list_page(prefix, after, limit + 1)
        rows = tuple(_row(item) for item in listed[:limit])
        return FilePage(rows, rows[-1].key if len(listed) > limit else None)

    def rows(self, prefix: str) -> Iterator[FileRow]:
        """Every object under `prefix`, fetched page by page as the caller goes on."""
        after: str | None = None
        while True:
            page = self.page(prefix, after)
            yield from page.rows
            after = page.next_after
            if after is None:
                return

    def count(self, prefix: str, limit: int = 10_000) -> Count:
        """Objects, unreadable ones and bytes under `prefix`, counting at most `limit` objects."""
        files = problems = size = 0
        for row in self.rows(prefix):
            if files == limit:
                return Count(files, problems, size, more=True)
            files += 1
            problems += row.problem is not None
            size += row.size or 0
        return Count(files, problems, size, more=False)

    def open(self, key: str) -> OpenFile | None:
        """The object at `key` with its body, whatever state it is in; `None` when there is none."""
        stored = self._storage.get(key)
        return None if stored is None else _open(key, stored)

    def _children(self, prefix: str) -> Iterator[str]:
        """The distinct next segments under `prefix` that hold something: one page a jump, not one a file."""
        after: str | None = None
        latest: str | None = None
        while True:
            listed = self._storage.list_page(prefix, after, PAGE_SIZE)
            for item in listed:
                child, slash, _ = item.key.removeprefix(prefix).partition("/")
                if slash and child != latest:
                    latest = child
                    yield child
            if len(listed) < PAGE_SIZE:
                return
            after = max(listed[-1].key, _end_of_child(prefix, listed[-1].key))


def _end_of_child(prefix: str, key: str) -> str:
    """A text behind practically every key of the child that `key` belongs to; a key without a child stands alone."""
    child, slash, _ = key.removeprefix(prefix).partition("/")
    return f"{prefix}{child}/{_LAST_CHARACTER}" if slash else key


def _row(item: ListedObject) -> FileRow:
    parts = parse_path(item.key) if is_valid_path(item.key) else None
    metadata, problem = _metadata(item.metadata)
    if parts is None:
        metadata, problem = None, "not a memory path"
    return FileRow(item.key, parts, metadata, item.version, item.size, problem)


def _open(key: str, stored: StoredObject) -> OpenFile:
    parts = parse_path(key) if is_valid_path(key) else None
    metadata, problem = _metadata(stored.metadata)
    try:
        text = stored.data.decode("utf-8")
    except UnicodeDecodeError as error:
        text, problem = None, problem or f"the body is not UTF-8 (byte {error.start})"
    if parts is None:
        problem = "not a memory path"
    return OpenFile(key, parts, stored.data, text, metadata, stored.metadata, stored.version, problem)


def _metadata(stored: Mapping[str, str]) -> tuple[FileMetadata | None, str | None]:
    """The metadata, or why there is none; a time that UTC cannot hold breaks the index like any other fault."""
    try:
        metadata = metadata_from_map(stored)
        metadata_to_map(metadata)
    except MetadataFormatError as error:
        return None, str(error)
    except OverflowError as error:
        return None, f"{LAST_UPDATED_KEY}: cannot be rendered in UTC: {error}"
    return metadata, None

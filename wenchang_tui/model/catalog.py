"""What lies in a store, level by level and page by page, on any storage and whatever state its objects are in.

An object that cannot be read as a memory file is a row like any other, with the reason; nothing is left out, and no
listing reads a body. What a call costs does not grow with the store, save where it says that it reads everything.
"""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from errno import ENOENT
from itertools import islice
from pathlib import Path

from wenchang.core.paging import read_listed, walk
from wenchang.core.parallel import each
from wenchang.file_format import LAST_UPDATED_KEY, FileMetadata, MetadataFormatError, metadata_from_map, metadata_to_map
from wenchang.paths import PathParts, is_valid_path, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang.storage import ChildListing, ListedObject, Storage, StoredObject
from wenchang.version_token import VersionToken

PAGE_SIZE = 100
NAMES = 500
"""Names of one level that are read at once unless a caller says otherwise: one request to Cloud Storage."""

# With one more to see whether there are any, and the one to start behind, the largest page that Cloud Storage gives.
_WALK_PAGE = 998
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
class NamePage:
    """Some names of one level, ascending as keys are; `next_after` asks for the rest, and is `None` at the end."""

    names: tuple[str, ...]
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
    """The levels of a store: scopes, entities, areas, files. Every call asks the storage anew.

    With `is_far` each page is a request over a network: count there only what a person asks to have counted. Of a
    store in a folder, `root`, one that is not there any more is told from one that is empty: `FileNotFoundError`.
    """

    def __init__(self, storage: Storage, *, is_far: bool = False, root: Path | None = None) -> None:
        self._storage = storage
        self._levels: ChildListing = storage if isinstance(storage, ChildListing) else _SkipScan(storage)
        self.is_far = is_far
        self._root = root

    def scopes(self) -> tuple[str, ...]:
        """All scopes that hold any object."""
        return tuple(self._names(""))

    def entities(self, scope: str) -> tuple[str, ...]:
        """All entities of a scope; where there may be many, read `names` page by page."""
        return tuple(self._names(f"{scope}/"))

    def areas(self, scope: str, entity: str) -> tuple[str, ...]:
        """All areas of an entity, `system` first."""
        return _system_first(self._names(f"{scope}/{entity}/"))

    def names(self, prefix: str, after: str | None = None, limit: int = NAMES) -> NamePage:
        """At most `limit` names of the level below `prefix` (`""`, `s/` or `s/e/`), those behind the name `after`.

        Among areas `system` comes first on its page.
        """
        found = tuple(islice(self._names(prefix, after, limit + 1), limit + 1))
        shown = found[:limit]
        ordered = _system_first(shown) if prefix.count("/") == 2 else shown
        return NamePage(ordered, shown[-1] if len(found) > limit else None)

    def page(self, prefix: str, after: str | None = None, limit: int | None = None) -> FilePage:
        """At most `limit` objects under `prefix` (`""`, `s/`, `s/e/` or `s/e/a/`), of any depth, behind key `after`."""
        limit = limit or PAGE_SIZE
        listed = self._storage.list_page(prefix, after, limit + 1)
        if not listed:
            self._check_root()
        rows = tuple(_row(item) for item in listed[:limit])
        return FilePage(rows, rows[-1].key if len(listed) > limit else None)

    def rows(self, prefix: str) -> Iterator[FileRow]:
        """Every object under `prefix`, fetched page by page as the caller goes on."""
        return map(_row, self._walk(prefix))

    def files(self, prefix: str) -> Generator[tuple[FileRow, OpenFile | None], None, None]:
        """Every object under `prefix` with its body, `None` for one that vanished meanwhile.

        Reads ahead, many bodies at a time, where the storage is far away. Close the iterator to stop early.
        """

        def open_listed(item: ListedObject) -> tuple[FileRow, OpenFile | None]:
            stored = read_listed(self._storage, item)
            return _row(item), None if stored is None else open_file(item.key, stored)

        return each(self._storage, open_listed, self._walk(prefix))

    def count(self, prefix: str, limit: int = 10_000) -> Count:
        """Objects, unreadable ones and bytes under `prefix`, counting at most `limit` objects.

        A folder that may not be read counts as one that is unreadable, with more behind it.
        """
        files = problems = size = 0
        try:
            for row in self.rows(prefix):
                if files == limit:
                    return Count(files, problems, size, more=True)
                files += 1
                problems += row.problem is not None
                size += row.size or 0
        except PermissionError:
            return Count(files, problems + 1, size, more=True)
        return Count(files, problems, size, more=False)

    def open(self, key: str) -> OpenFile | None:
        """The object at `key` with its body, whatever state it is in; `None` when there is none."""
        stored = self._storage.get(key)
        return None if stored is None else open_file(key, stored)

    def _walk(self, prefix: str) -> Iterator[ListedObject]:
        is_empty = True
        for item in walk(self._storage, prefix, _WALK_PAGE):
            is_empty = False
            yield item
        if is_empty:
            self._check_root()

    def _check_root(self) -> None:
        """Where nothing was found: whether there is a store to find anything in."""
        if self._root is not None and not self._root.exists():
            raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(self._root))

    def _names(self, prefix: str, after: str | None = None, size: int = _WALK_PAGE) -> Iterator[str]:
        """The names below `prefix`, fetched `size` at a time as the caller goes on."""
        start_after = None if after is None else f"{prefix}{after}/"
        while True:
            children = self._levels.list_children(prefix, start_after, size)
            if not children:
                self._check_root()
            yield from (child.removeprefix(prefix).removesuffix("/") for child in children)
            if len(children) < size:
                return
            start_after = children[-1]


class _SkipScan:
    """`ChildListing` on a storage that does not offer it: a page for each jump over a child, not one for each file."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        """One page of the prefixes one level below `prefix`, behind `start_after`, which was one of them."""
        return list(islice(self._children(prefix, start_after), limit))

    def _children(self, prefix: str, latest: str | None) -> Iterator[str]:
        after = None if latest is None else f"{latest}{_LAST_CHARACTER}"
        while True:
            listed = self._storage.list_page(prefix, after, PAGE_SIZE)
            for item in listed:
                child = _child(prefix, item.key)
                if child is not None and child != latest:
                    latest = child
                    yield child
            if len(listed) < PAGE_SIZE:
                return
            # Practically every key of a child lies before this; the few that do not are recognised as its own.
            last = listed[-1].key
            child = _child(prefix, last)
            after = last if child is None else max(last, f"{child}{_LAST_CHARACTER}")


def _child(prefix: str, key: str) -> str | None:
    """The beginning of `key` through the first slash behind `prefix`; `None` for a key that stands there alone."""
    name, slash, _ = key.removeprefix(prefix).partition("/")
    return f"{prefix}{name}/" if slash else None


def _system_first(areas: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(areas, key=lambda area: area != SYSTEM_AREA))


def _row(item: ListedObject) -> FileRow:
    parts = parse_path(item.key) if is_valid_path(item.key) else None
    metadata, problem = _metadata(item.metadata)
    if parts is None:
        metadata, problem = None, "not a memory path"
    return FileRow(item.key, parts, metadata, item.version, item.size, problem)


def open_file(key: str, stored: StoredObject) -> OpenFile:
    """An object as a person looks at it, whatever state it is in."""
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

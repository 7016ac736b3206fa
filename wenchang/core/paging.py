"""Walking the keys under a prefix page by page, and reading what was listed."""

from collections.abc import Iterator, Sequence

from wenchang.core.values import FileEntry
from wenchang.file_format import metadata_from_map
from wenchang.paths import is_valid_path
from wenchang.storage import BodyReading, ListedObject, Storage, StoredObject


def list_objects(
    storage: Storage, prefix: str, start_after: str | None, page_size: int
) -> tuple[Sequence[ListedObject], str | None]:
    """One page of at most `page_size` objects, and the key to go on after; `None` when nothing follows.

    Asks for one object more than a page holds, which tells a full last page from one that has a successor.
    """
    found = storage.list_page(prefix, start_after, page_size + 1)
    page = found[:page_size]
    return page, page[-1].key if len(found) > page_size else None


def walk(storage: Storage, prefix: str, page_size: int) -> Iterator[ListedObject]:
    """Every object under `prefix`, ascending by key. Not a snapshot: pages are listed as they are reached."""
    page, after = list_objects(storage, prefix, None, page_size)
    yield from page
    while after is not None:
        page, after = list_objects(storage, prefix, after, page_size)
        yield from page


def read_listed(storage: Storage, listed: ListedObject) -> StoredObject | None:
    """What was listed, with its body, or what has replaced it; `None` where nothing stands there any more."""
    body = storage.get_body(listed) if isinstance(storage, BodyReading) else None
    return storage.get(listed.key) if body is None else StoredObject(body, listed.metadata, listed.version)


def is_file(listed: ListedObject) -> bool:
    """Whether a listed object is a memory file, going by its key alone."""
    return is_valid_path(listed.key)


def file_entry(listed: ListedObject) -> FileEntry:
    """The entry of a listed file. Raises `MetadataFormatError`."""
    return FileEntry(listed.key, metadata_from_map(listed.metadata), listed.version)

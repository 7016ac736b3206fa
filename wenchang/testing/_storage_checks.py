"""What the storage suite asks at every step: an object, the one row, a refusal; in words where it is not so."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from wenchang.storage import ListedObject, PreconditionFailedError, Storage, StoredObject


def require(holds: bool, phrase: str) -> None:
    """Fail with `phrase` unless `holds`."""
    if not holds:
        pytest.fail(f"StorageConformance: {phrase}")


def require_object(storage: Storage, key: str, data: bytes, metadata: dict[str, str]) -> None:
    """Hold the object at `key` to what was put there."""
    found = object_at(storage, key)
    require(found.data == data, f"the body read at {key!r} is not the one last put")
    require(dict(found.metadata) == metadata, f"the metadata read at {key!r} is not the one last put")


@contextmanager
def refused(storage: Storage, key: str, attempt: str) -> Iterator[None]:
    """Hold the block to a failed precondition at `key` that changes nothing."""
    before = storage.get(key), storage.list_page("", None, 1000)
    try:
        yield
    except PreconditionFailedError as error:
        require(error.key == key, f"{attempt} names {error.key!r} instead of {key!r}")
    except Exception as error:
        pytest.fail(f"StorageConformance: {attempt} raised {type(error).__name__} instead of PreconditionFailedError")
    else:
        pytest.fail(f"StorageConformance: {attempt} was accepted")
    after = storage.get(key), storage.list_page("", None, 1000)
    require(after[0] == before[0], f"{attempt} was refused but changed the object")
    require(list(after[1]) == list(before[1]), f"{attempt} was refused but changed the listing")


def object_at(storage: Storage, key: str) -> StoredObject:
    """The object at `key`, which must be there."""
    found = storage.get(key)
    if found is None:
        pytest.fail(f"StorageConformance: the object put at {key!r} is absent")
    require(type(found) is StoredObject, "get returned something else than a StoredObject")
    return found


def all_rows(storage: Storage, prefix: str = "") -> Sequence[ListedObject]:
    """The whole listing under `prefix`; the suite never stores more than a page of this size."""
    return storage.list_page(prefix, None, 1000)


def listed_keys(storage: Storage, prefix: str = "") -> list[str]:
    """The keys of the whole listing under `prefix`."""
    return [row.key for row in all_rows(storage, prefix)]


def only_row(storage: Storage) -> ListedObject:
    """The one row of the whole listing."""
    rows = all_rows(storage)
    require(len(rows) == 1, f"{len(rows)} rows are listed instead of one")
    return rows[0]

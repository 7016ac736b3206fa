"""The object behind a path, and what is said when it is not the one a caller expected."""

from wenchang.errors import NotFoundError, NotFoundReason, VersionConflictError
from wenchang.storage import Storage, StoredObject


def get_object(storage: Storage, path: str) -> StoredObject:
    """What is stored at `path`. Raises `NotFoundError` when nothing is."""
    found = storage.get(path)
    if found is None:
        raise NotFoundError(path, NotFoundReason.FILE_ABSENT)
    return found


def decoded(found: StoredObject) -> str:
    """The body as text. Raises `UnicodeDecodeError` for one that no memory store wrote."""
    return found.data.decode("utf-8")


def conflict(path: str, found: StoredObject) -> VersionConflictError:
    """The error that hands the caller what stands at `path` now."""
    return VersionConflictError(path, decoded(found), found.version)

"""What operators do to all of an entity at once: erase it, or take it out. Agents have no way here. Core, section 9.

Both work on whatever is stored under the entity's prefix, readable or not, and parse none of it.
"""

from types import MappingProxyType

from wenchang.core.paging import walk
from wenchang.core.values import ExportedObject
from wenchang.paths import build_prefix
from wenchang.storage import ListedObject, PreconditionFailedError, Storage

PURGE_MAX_PASSES = 5
"""How often a purge goes over an entity that is still being written to."""


class PurgeIncompleteError(Exception):
    """Objects were left, or came back, after as many passes as a purge was allowed.

    For operators only, and outside the taxonomy. The message does not name the entity.
    """

    def __init__(self, scope: str, entity_id: str, passes: int) -> None:
        super().__init__(f"Memory in scope {scope} still holds objects after {passes} purge passes.")
        self.scope = scope
        self.entity_id = entity_id
        self.passes = passes

    def __reduce__(self) -> tuple[type["PurgeIncompleteError"], tuple[str, str, int]]:
        return type(self), (self.scope, self.entity_id, self.passes)


def purge_entity(storage: Storage, scope: str, entity_id: str, *, max_passes: int, page_size: int) -> int:
    """Delete every object of the entity; return how many deletions were confirmed.

    Goes over the prefix from its start until nothing is found there, at most `max_passes` times with deletions and
    once more to look. Raises `PurgeIncompleteError`; what else the storage raises propagates.
    """
    prefix = build_prefix(scope, entity_id)
    deleted = 0
    for _ in range(max_passes):
        found, gone = _purge_pass(storage, prefix, page_size)
        deleted += gone
        if not found:
            return deleted
    if storage.list_page(prefix, None, 1):
        raise PurgeIncompleteError(scope, entity_id, max_passes)
    return deleted


def _purge_pass(storage: Storage, prefix: str, page_size: int) -> tuple[int, int]:
    """Delete what stands under `prefix` now; return how many objects were found, and how many were deleted."""
    found = deleted = 0
    for listed in walk(storage, prefix, page_size):
        found += 1
        deleted += _delete(storage, listed)
    return found, deleted


def _delete(storage: Storage, listed: ListedObject) -> bool:
    try:
        storage.delete_if_version(listed.key, listed.version)
    except PreconditionFailedError:
        return False
    return True


def export_entity(storage: Storage, scope: str, entity_id: str, *, page_size: int) -> tuple[ExportedObject, ...]:
    """Every object of the entity as stored, ascending by key; one that vanishes meanwhile is left out."""
    listing = list(walk(storage, build_prefix(scope, entity_id), page_size))
    exported = (_export(storage, listed.key) for listed in listing)
    return tuple(found for found in exported if found is not None)


def _export(storage: Storage, key: str) -> ExportedObject | None:
    found = storage.get(key)
    if found is None:
        return None
    return ExportedObject(key, found.data, MappingProxyType(dict(found.metadata)), found.version)

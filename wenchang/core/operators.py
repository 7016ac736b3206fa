"""What operators do to all of an entity at once: erase it, or take it out. Agents have no way here. Core, section 9.

Both work on whatever is stored under the entity's prefix, readable or not, and parse none of it. Both send many
requests at a time where that helps, tell how far they are, and can be cancelled.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType

from wenchang.core.paging import read_listed, walk
from wenchang.core.parallel import each
from wenchang.core.values import ExportedObject
from wenchang.paths import build_prefix
from wenchang.storage import BodyReading, ListedObject, PreconditionFailedError, Storage, StoredObject

PURGE_MAX_PASSES = 5
"""How often a purge goes over an entity that is still being written to."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an operation is: `done` of `total` objects, `key` the latest. A purge that finds more raises `total`."""

    done: int
    total: int
    key: str


@dataclass(frozen=True, slots=True)
class Watch:
    """Who looks on: `on_progress` is told of each object done, in the thread of the caller; `is_cancelled` is asked
    before each object, from any thread, and stops the operation.
    """

    on_progress: Callable[[Progress], None] | None = None
    is_cancelled: Callable[[], bool] | None = None


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


class OperationCancelledError(Exception):
    """A purge or an export was cancelled when `done` objects were deleted, or read; nothing is under way any more.

    For operators only, and outside the taxonomy. The message does not name the entity.
    """

    def __init__(self, scope: str, entity_id: str, done: int) -> None:
        super().__init__(f"The operation on memory in scope {scope} was cancelled after {done} objects.")
        self.scope = scope
        self.entity_id = entity_id
        self.done = done

    def __reduce__(self) -> tuple[type["OperationCancelledError"], tuple[str, str, int]]:
        return type(self), (self.scope, self.entity_id, self.done)


def purge_entity(storage: Storage, scope: str, entity_id: str, page_size: int, watch: Watch, max_passes: int) -> int:
    """Delete every object of the entity; return how many deletions were confirmed.

    Goes over the prefix from its start until nothing is found there, at most `max_passes` times with deletions and
    once more to look. Raises `PurgeIncompleteError` and `OperationCancelledError`; what else the storage raises
    propagates, once the deletions under way are done and reported.
    """
    run = _Run(storage, build_prefix(scope, entity_id), page_size, watch)
    try:
        for _ in range(max_passes):
            if not _purge_pass(run):
                return run.done
    except _CancelledError:
        raise OperationCancelledError(scope, entity_id, run.done) from None
    if storage.list_page(run.prefix, None, 1):
        raise PurgeIncompleteError(scope, entity_id, max_passes)
    return run.done


def _purge_pass(run: "_Run") -> bool:
    """Delete what stands under the prefix now; return whether anything did."""
    targets = run.listing(with_metadata=False)
    run.total = run.done + len(targets)

    def delete(target: ListedObject) -> str | None:
        run.check()
        try:
            run.storage.delete_if_version(target.key, target.version)
        except PreconditionFailedError:
            return None
        return target.key

    with closing(each(run.storage, delete, targets)) as deleted:
        for key in deleted:
            if key is not None:
                run.advance(key)
    return bool(targets)


def export_entity(
    storage: Storage, scope: str, entity_id: str, page_size: int, watch: Watch
) -> Generator[ExportedObject, None, None]:
    """Every object of the entity as stored, ascending by key; one that vanishes meanwhile is left out.

    Lists everything first, then reads a little ahead of the caller. Raises `OperationCancelledError`.
    """
    run = _Run(storage, build_prefix(scope, entity_id), page_size, watch)

    def read_next(target: ListedObject) -> tuple[str, StoredObject | None]:
        run.check()
        return target.key, read_listed(storage, target)

    try:
        targets = run.listing(with_metadata=isinstance(storage, BodyReading))
        run.total = len(targets)
        with closing(each(storage, read_next, targets)) as objects:
            for key, found in objects:
                run.advance(key)
                if found is not None:
                    yield ExportedObject(key, found.data, MappingProxyType(dict(found.metadata)), found.version)
    except _CancelledError:
        raise OperationCancelledError(scope, entity_id, run.done) from None


class _CancelledError(Exception):
    """Somebody who watches has cancelled."""


class _Run:
    """One operation on the objects under a prefix, and how far it is."""

    def __init__(self, storage: Storage, prefix: str, page_size: int, watch: Watch) -> None:
        self.storage = storage
        self.prefix = prefix
        self.done = self.total = 0
        self._page_size = page_size
        self._watch = watch

    def check(self) -> None:
        """Raises `_CancelledError` when it is time to stop."""
        if self._watch.is_cancelled is not None and self._watch.is_cancelled():
            raise _CancelledError

    def advance(self, key: str) -> None:
        """Count one object as done."""
        self.done += 1
        if self._watch.on_progress is not None:
            self._watch.on_progress(Progress(self.done, self.total, key))

    def listing(self, *, with_metadata: bool) -> list[ListedObject]:
        """What stands under the prefix now. Metadata, of which there may be a lot, is left out if nobody needs it."""
        targets = []
        for listed in walk(self.storage, self.prefix, self._page_size):
            self.check()
            targets.append(listed if with_metadata else ListedObject(listed.key, {}, listed.version))
        return targets

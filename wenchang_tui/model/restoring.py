"""Putting an entity back from its archive: nothing is written before every body is known to be whole."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wenchang.core import OperationCancelledError, Progress
from wenchang.core.parallel import each
from wenchang.paths import build_prefix
from wenchang_tui.model.archive import Totals
from wenchang_tui.model.archive_reading import Archive, ArchivedObject, open_archive
from wenchang_tui.model.operations import IsCancelled, OnProgress, Tally, check_writable, counted
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.workspace import Workspace

# Objects may be larger than a file that an agent writes, as others put them there; but not out of all proportion.
_LARGEST_IN_FILES = 1024


class NotEmptyError(OpenError):
    """The entity to restore holds objects already."""


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What a restore would do: put back `totals`, `replaced` objects among them, and leave `kept` others alone."""

    scope: str
    entity: str
    totals: Totals
    replaced: int
    kept: int


def plan_restore(workspace: Workspace, path: Path, *, is_cancelled: IsCancelled | None = None) -> RestorePlan:
    """What restoring an archive would do; checks all of it.

    Raises `ArchiveError`, `OSError`, `OperationCancelledError`.
    """
    with _whole(workspace, path, is_cancelled) as archive:
        contents = archive.contents
        standing = {row.key for row in workspace.catalog.rows(build_prefix(contents.scope, contents.entity))}
        replaced = len(standing.intersection(found.key for found in contents.objects))
        return RestorePlan(contents.scope, contents.entity, contents.totals, replaced, len(standing) - replaced)


def restore_entity(
    workspace: Workspace,
    path: Path,
    *,
    force: bool = False,
    on_progress: OnProgress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> Totals:
    """Put every object of an archive back, once all of them are known to be whole.

    Where the entity holds anything, `force` is needed; it replaces objects of the same keys and leaves others alone.
    Raises `ReadOnlyError`, `NotEmptyError`, `ArchiveError`, `OSError` and `OperationCancelledError` before the first
    write; after it `UnfinishedError`.
    """
    check_writable(workspace)
    with _whole(workspace, path, is_cancelled) as archive:
        contents = archive.contents
        if not force and workspace.storage.list_page(build_prefix(contents.scope, contents.entity), None, 1):
            raise NotEmptyError(_not_empty(f"{contents.scope}/{contents.entity}"))
        try:
            with counted(on_progress) as tally:
                _put_back(workspace, archive, force, tally, is_cancelled)
        finally:
            workspace.store.invalidate_index(contents.scope, contents.entity)
        return contents.totals


@contextmanager
def _whole(workspace: Workspace, path: Path, is_cancelled: IsCancelled | None) -> Iterator[Archive]:
    """The archive, every body of which has been read and found right."""
    with open_archive(path, _LARGEST_IN_FILES * workspace.settings.max_file_bytes) as archive:
        for found in archive.contents.objects:
            _check_cancelled(archive, 0, is_cancelled)
            archive.read(found)
        yield archive


def _put_back(
    workspace: Workspace, archive: Archive, force: bool, tally: Tally, is_cancelled: IsCancelled | None
) -> None:
    storage, objects = workspace.storage, archive.contents.objects
    tally.total = len(objects)

    def put(found: ArchivedObject) -> str:
        _check_cancelled(archive, tally.done, is_cancelled)
        data = archive.read(found)
        if force:
            storage.put(found.key, data, found.metadata)
        else:  # nothing stood there a moment ago: what does now is newer memory
            storage.put_if_version(found.key, data, found.metadata, None)
        return found.key

    with closing(each(storage, put, objects)) as keys:
        for done, key in enumerate(keys, 1):
            tally(Progress(done, len(objects), key))


def _check_cancelled(archive: Archive, done: int, is_cancelled: IsCancelled | None) -> None:
    if is_cancelled is not None and is_cancelled():
        raise OperationCancelledError(archive.contents.scope, archive.contents.entity, done)


def _not_empty(entity: str) -> Problem:
    next_step = "Purge it first, or add --force: objects of the same names are then replaced, all others stay."
    return Problem("Not empty", f"{entity} holds objects already.", next_step)

"""What is done to an entity as a whole: look at what it would touch, export, purge. Receipts are values.

Restoring is in `wenchang_tui.model.restoring`. Each operation takes `on_progress`, told in the caller's thread, and
`is_cancelled`, asked in any. One that cannot be undone says how far it came when it ends early.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from wenchang.core import OperationCancelledError, Progress
from wenchang.paths import build_prefix
from wenchang.scope import SYSTEM_AREA
from wenchang.storage import VersionHistory
from wenchang_tui.model.archive import Totals, new_file, write_archive
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.read_only import ReadOnlyError
from wenchang_tui.model.workspace import Workspace

FORMER_VERSIONS = (
    "Where the bucket keeps former versions or deleted objects, it still holds these, until its own rules remove them."
)

OnProgress: TypeAlias = Callable[[Progress], None]
IsCancelled: TypeAlias = Callable[[], bool]


class UnfinishedError(Exception):
    """A purge or a restore ended early, with `done` of `total` objects changed; `cause` says why."""

    def __init__(self, done: int, total: int, cause: Exception) -> None:
        super().__init__(f"{done} of {total} objects were changed: {cause}")
        self.done = done
        self.total = total
        self.cause = cause

    @property
    def was_cancelled(self) -> bool:
        """Whether that is what somebody wanted."""
        return isinstance(self.cause, OperationCancelledError)


@dataclass(frozen=True, slots=True)
class EntityPreview:
    """What an export or a purge of an entity touches.

    `areas` has the totals of each area, `system` first; keys that lie in no area count under `""`. `malformed` are the
    objects that cannot be read as memory files; they are counted like all others. `outlasts` says what a purge cannot
    reach, if the storage may hold any such thing.
    """

    scope: str
    entity: str
    totals: Totals
    areas: Mapping[str, Totals]
    malformed: tuple[FileRow, ...]
    outlasts: str = ""

    @property
    def system(self) -> Totals:
        """The curated part."""
        return self.areas.get(SYSTEM_AREA, Totals(0, 0))

    @property
    def unreadable(self) -> str:
        """How many are `malformed`, in words."""
        number = len(self.malformed)
        return f"{number:,} of them cannot be read as {'a memory file' if number == 1 else 'memory files'}"


@dataclass(frozen=True, slots=True)
class ExportReceipt:
    """What was exported, and to which file."""

    totals: Totals
    file: Path


def preview_entity(workspace: Workspace, scope: str, entity: str) -> EntityPreview:
    """Look at everything an entity has stored; reads no bodies. Raises `ValueError` for names that cannot be."""
    objects: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    malformed = []
    for row in workspace.catalog.rows(build_prefix(scope, entity)):
        area = row.parts.area if row.parts else ""
        objects[area] += 1
        sizes[area] += row.size or 0
        if row.problem:
            malformed.append(row)
    order = sorted(objects, key=lambda area: (area != SYSTEM_AREA, area))
    return EntityPreview(
        scope,
        entity,
        Totals(objects.total(), sizes.total()),
        {area: Totals(objects[area], sizes[area]) for area in order},
        tuple(malformed),
        outlasting(workspace),
    )


def outlasting(workspace: Workspace) -> str:
    """What a purge leaves behind, as a sentence; empty where it leaves nothing.

    Whether a bucket keeps versions takes a permission to find out that memory does not need, so it is not asked.
    """
    return FORMER_VERSIONS if isinstance(workspace.storage, VersionHistory) else ""


def export_entity(
    workspace: Workspace,
    scope: str,
    entity: str,
    path: Path,
    *,
    force: bool = False,
    on_progress: OnProgress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> ExportReceipt:
    """Write everything an entity has stored to an archive, wholly or not at all.

    Raises `ArchiveError` when `path` is taken and not `force`, `OperationCancelledError`, and what storage and
    operating system raise.
    """
    with new_file(path, force=force) as file:
        objects = workspace.store.iter_export(scope, entity, on_progress=on_progress, is_cancelled=is_cancelled)
        with closing(objects):
            return ExportReceipt(write_archive(file, objects), path)


def purge_entity(
    workspace: Workspace,
    scope: str,
    entity: str,
    *,
    on_progress: OnProgress | None = None,
    is_cancelled: IsCancelled | None = None,
) -> int:
    """Delete everything an entity has stored; return how many objects that were.

    Raises `ValueError` for names that cannot be, `ReadOnlyError`, and `UnfinishedError` for all that comes between.
    """
    build_prefix(scope, entity)
    check_writable(workspace)
    with counted(on_progress) as tally:
        return workspace.store.purge(scope, entity, on_progress=tally, is_cancelled=is_cancelled)


class Tally:
    """Counts what is done, for the case that the end is not reached."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.done = self.total = 0
        self._on_progress = on_progress

    def __call__(self, progress: Progress) -> None:
        """Take note, and pass it on."""
        self.done, self.total = progress.done, progress.total
        if self._on_progress is not None:
            self._on_progress(progress)


@contextmanager
def counted(on_progress: OnProgress | None) -> Iterator[Tally]:
    """Whatever ends the block early comes out as `UnfinishedError`, with what was done until then."""
    tally = Tally(on_progress)
    try:
        yield tally
    except Exception as error:
        raise UnfinishedError(tally.done, tally.total, error) from error


def check_writable(workspace: Workspace) -> None:
    """Raises `ReadOnlyError` before anything is begun."""
    if workspace.settings.read_only:
        raise ReadOnlyError

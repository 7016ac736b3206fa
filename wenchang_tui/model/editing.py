"""One edit from opening to saving: a single conditional write, and an outcome for every way in which it can end.

No outcome loses what was typed: each carries the edit it came from. Renaming is in `renaming`, merging in `merging`.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias

from wenchang._types import is_utf8
from wenchang.core import MemoryFile
from wenchang.errors import NotFoundError, VersionConflictError
from wenchang.file_format import FileMetadata
from wenchang.paths import is_valid_path, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.content import Content, Snapshot, snapshot_of, snapshot_of_written
from wenchang_tui.model.curation_log import Change, CurationLog, Done, Move, Moved, State
from wenchang_tui.model.merging import ContentMerge, merge_contents
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.model.workspace import Workspace

_NEVER = datetime.fromtimestamp(0, UTC)  # the store stamps the time of a write itself


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person makes of the file at `key`; `base` is what they started from, `None` for a new file."""

    key: str
    base: Snapshot | None
    content: Content

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save. A new file always is, even while it is empty."""
        return self.base is None or self.content != self.base.content

    def with_content(self, content: Content) -> "Edit":
        """The same edit, further on."""
        return replace(self, content=content)

    def onto(self, theirs: Snapshot, content: Content | None = None) -> "Edit":
        """The edit as one of `theirs`: saving it replaces that version knowingly, with `content` or else mine."""
        return Edit(self.key, theirs, self.content if content is None else content)

    def anew(self) -> "Edit":
        """The edit as a new file, for one that was deleted meanwhile."""
        return replace(self, base=None)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """There was nothing to save, and nothing was written."""

    edit: Edit


@dataclass(frozen=True, slots=True)
class Saved:
    """The edit stands in the store; `edit` goes on from there."""

    edit: Edit
    change: Change


@dataclass(frozen=True, slots=True)
class Identical:
    """Somebody else wrote exactly the same meanwhile: nothing is left to do. `edit` goes on from theirs."""

    edit: Edit


@dataclass(frozen=True, slots=True)
class Conflict:
    """The file was changed after it was opened: base is `edit.base`, mine is `edit.content`."""

    edit: Edit
    theirs: Snapshot

    def merge(self) -> ContentMerge:
        """Base, theirs and mine, merged for a person to accept; then save `edit.onto(theirs, content)`."""
        base = self.edit.base.content if self.edit.base else Content()
        return merge_contents(base, self.theirs.content, self.edit.content)


@dataclass(frozen=True, slots=True)
class CreatedMeanwhile:
    """The new file exists by now, made by somebody else with other content. `edit.onto(theirs)` would replace it."""

    edit: Edit
    theirs: Snapshot

    def merge(self) -> ContentMerge:
        """Theirs and mine, without a common base."""
        return merge_contents(Content(), self.theirs.content, self.edit.content)


@dataclass(frozen=True, slots=True)
class DeletedMeanwhile:
    """The file is gone. `edit.anew()` would make it again with mine."""

    edit: Edit


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written, and why."""

    edit: Edit
    problem: Problem


@dataclass(frozen=True, slots=True)
class Deleted:
    """The file is gone, as asked."""

    change: Change


Collision: TypeAlias = Identical | Conflict | CreatedMeanwhile | DeletedMeanwhile | Refused
SaveOutcome: TypeAlias = Unchanged | Saved | Collision
DeleteOutcome: TypeAlias = Deleted | Conflict | DeletedMeanwhile | Refused


class Curator:
    """A person who changes memory files of a workspace, `system/` alone unless `all_areas` is on. Calls block."""

    def __init__(self, workspace: Workspace, log: CurationLog | None = None) -> None:
        self.workspace = workspace
        self.log = log or CurationLog(workspace.storage, workspace.store)
        self.all_areas = False

    def objection(self, key: str) -> Problem | None:
        """Why the file at `key` may not be changed here, if it may not."""
        if not is_valid_path(key) or not is_utf8(key):
            return Problem("Not a memory path", f"{key} cannot name a memory file.", "Choose another name.")
        if self.workspace.settings.read_only:
            return Problem("Read-only", "The store is opened read-only.", "Open it without --read-only to edit.")
        area = parse_path(key).area
        if area != SYSTEM_AREA and not self.all_areas:
            return Problem(
                "The agent's own area",
                f"{area}/ is written by the agent; people curate {SYSTEM_AREA}/.",
                "Turn on curating all areas, f4 in Edit, to change it all the same.",
            )
        return None

    def open(self, key: str) -> Edit | Problem:
        """Start an edit of the file at `key`, or say why that cannot be. Anything that can be read can be opened."""
        try:
            file = self.workspace.catalog.open(key)
        except Exception as error:
            return describe(error)
        if file is None:
            return Problem("Not found", f"There is no file at {key}.", "It may have been deleted; look again.")
        base = snapshot_of(file)
        return _unreadable(file) if base is None else Edit(key, base, base.content)

    def begin(self, key: str) -> Edit | Problem:
        """Start a new file at `key`. Whether one stands there already is seen when it is saved."""
        return self.objection(key) or Edit(key, None, Content())

    def save(self, edit: Edit) -> SaveOutcome:
        """Write what was changed, if anything was, guarded by the version it was made from."""
        if not edit.is_changed:
            return Unchanged(edit)
        if objection := self.objection(edit.key):
            return Refused(edit, objection)
        try:
            written = self.write(edit)
        except (VersionConflictError, NotFoundError):
            return self.collision(edit)
        except Exception as error:
            return Refused(edit, describe(error))
        after = snapshot_of_written(written)
        title = f"Saved {edit.key}" if edit.base else f"Created {edit.key}"
        change = self.log.record(title, Moved(edit.key, _state(edit.base), after.stored))
        return Saved(Edit(edit.key, after, after.content), change)

    def delete(self, edit: Edit) -> DeleteOutcome:
        """Delete the version that the edit was opened at."""
        if objection := self.objection(edit.key):
            return Refused(edit, objection)
        if edit.base is None:
            return DeletedMeanwhile(edit)
        outcome = self.log.make(f"Deleted {edit.key}", [Move(edit.key, edit.base.stored, None)])
        if isinstance(outcome, Done):
            return Deleted(outcome.change)
        return self._undeleted(edit, outcome.problem)

    def write(self, edit: Edit) -> MemoryFile:
        """The one conditional write of a save. Raises what `MemoryStore.write_file` raises."""
        base, content = edit.base, edit.content
        sources = base.metadata.sources if base else frozenset[str]()
        metadata = FileMetadata(content.description, content.aliases, sources, _NEVER)
        expected = base.version if base else None
        return self.workspace.store.write_file(
            edit.key, content.body, metadata, expected, source=self.workspace.settings.source
        )

    def collision(self, edit: Edit) -> Collision:
        """What stands in the way of an edit whose write found another version than it expected."""
        try:
            file = self.workspace.catalog.open(edit.key)
        except Exception as error:
            return Refused(edit, describe(error))
        if file is None:
            return _absent(edit)
        theirs = snapshot_of(file)
        if theirs is None:
            return Refused(edit, _unreadable(file))
        if theirs.content == edit.content:
            return Identical(Edit(edit.key, theirs, theirs.content))
        return CreatedMeanwhile(edit, theirs) if edit.base is None else Conflict(edit, theirs)

    def _undeleted(self, edit: Edit, problem: Problem) -> DeleteOutcome:
        """Why a deletion did not happen: the file is gone already, or another version stands there, or the store."""
        try:
            file = self.workspace.catalog.open(edit.key)
        except Exception as error:
            return Refused(edit, describe(error))
        if file is None:
            return DeletedMeanwhile(edit)
        theirs = snapshot_of(file)
        if theirs is None or edit.base is None or theirs.version == edit.base.version:
            return Refused(edit, problem)
        return Conflict(edit, theirs)


def _absent(edit: Edit) -> DeletedMeanwhile | Refused:
    if edit.base is not None:
        return DeletedMeanwhile(edit)
    problem = Problem(
        "Name taken by the disk",
        f"The disk takes {edit.key} for another name that differs in case alone.",
        "Choose another name.",
    )
    return Refused(edit, problem)


def _state(base: Snapshot | None) -> State | None:
    return State(base.stored.data, base.stored.metadata) if base else None


def _unreadable(file: OpenFile) -> Problem:
    return Problem(
        "Not a readable memory file",
        f"{file.key} cannot be read as one: {file.problem}.",
        "Press 5 to see what that breaks, and to repair it.",
    )

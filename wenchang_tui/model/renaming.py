"""Renaming a file: made under the new name, then deleted under the old, each step guarded by a version.

What stops in between leaves the file under both names, never under none, and says so; it can be finished or taken back.
Only where the disk itself takes both names for one, the order is the other way round.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from wenchang.errors import NotFoundError, VersionConflictError
from wenchang_tui.model.content import Snapshot, snapshot_of, snapshot_of_written
from wenchang_tui.model.curation_log import Change, Done, Move, Moved, State, Stopped
from wenchang_tui.model.editing import Curator, Edit
from wenchang_tui.model.problems import Problem, describe


@dataclass(frozen=True, slots=True)
class Renamed:
    """The file stands under its new name alone."""

    edit: Edit
    change: Change


@dataclass(frozen=True, slots=True)
class NotRenamed:
    """Nothing was changed, and why."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class HalfRenamed:
    """The copy stands at `copy.key`, and `original` still stands under its own name, or something newer does.

    `problem` says what came in between. `finish_renaming` tries again, `take_back` removes the copy.
    """

    original: Snapshot
    copy: Snapshot
    problem: Problem


@dataclass(frozen=True, slots=True)
class Homeless:
    """The disk took both names for one: `original` is deleted and not yet made again as `key`, but still known here."""

    original: Snapshot
    key: str
    problem: Problem

    @property
    def edit(self) -> Edit:
        """The text under its new name, to be kept as a draft until the rename is finished."""
        return Edit(self.key, None, self.original.content)


RenameOutcome: TypeAlias = Renamed | NotRenamed | HalfRenamed | Homeless


def rename(curator: Curator, original: Snapshot, key: str) -> RenameOutcome:
    """Give the file as it was last saved the key `key`. Never replaces another file."""
    objection = curator.objection(original.key) or curator.objection(key)
    if objection or key == original.key:
        return NotRenamed(objection or Problem("Same name", "That is its name already.", "Choose another name."))
    try:
        copy = _create(curator, original, key)
    except VersionConflictError:
        return NotRenamed(Problem("Name taken", f"There is a file at {key} already.", "Choose another name."))
    except NotFoundError:
        return _rename_through_absence(curator, original, key)
    except Exception as error:
        return NotRenamed(describe(error))
    return _remove_original(curator, original, copy)


def finish_renaming(curator: Curator, half: HalfRenamed | Homeless) -> RenameOutcome:
    """Carry a rename that stopped in between to its end, with what stands under the old name now."""
    if isinstance(half, Homeless):
        return _make_again(curator, half.original, half.key)
    try:
        file = curator.workspace.catalog.open(half.original.key)
    except Exception as error:
        return replace(half, problem=describe(error))
    if file is None:
        return _renamed(curator, half.original, half.copy)
    current = snapshot_of(file)
    if current is None:
        return replace(half, problem=Problem("Unreadable", f"{file.key}: {file.problem}.", "Repair it first."))
    if current.content == half.copy.content:
        return _remove_original(curator, current, half.copy)
    return _bring_up_to_date(curator, current, half.copy)


def take_back(curator: Curator, half: HalfRenamed) -> Done | Stopped:
    """Remove the copy again, unless it was changed meanwhile; the file keeps its old name."""
    return curator.log.make(f"Took back {half.copy.key}", [Move(half.copy.key, half.copy.stored, None)])


def _create(curator: Curator, original: Snapshot, key: str) -> Snapshot:
    # The sources of the original come along: they say who wrote what the file holds.
    return snapshot_of_written(
        curator.workspace.store.write_file(
            key, original.content.body, original.metadata, None, source=curator.workspace.settings.source
        )
    )


def _remove_original(curator: Curator, original: Snapshot, copy: Snapshot) -> Renamed | HalfRenamed:
    try:
        curator.workspace.store.delete_file(original.key, original.version)
    except NotFoundError:
        return _renamed(curator, original, copy)
    except VersionConflictError:
        changed = f"{original.key} was changed while it was being renamed; it now stands under both names."
        return HalfRenamed(
            original, copy, Problem("Half renamed", changed, "Finish with the newer text, or take back.")
        )
    except Exception as error:
        why = describe(error)
        both = f"{why.sentence} The file now stands under both names."
        return HalfRenamed(original, copy, Problem("Half renamed", both, "Finish, or take back."))
    return _renamed(curator, original, copy)


def _renamed(curator: Curator, original: Snapshot, copy: Snapshot) -> Renamed:
    change = curator.log.record(
        f"Renamed {original.key} to {copy.key}",
        Moved(copy.key, None, copy.stored),
        Moved(original.key, State(original.stored.data, original.stored.metadata), None),
    )
    return Renamed(Edit(copy.key, copy, copy.content), change)


def _bring_up_to_date(curator: Curator, current: Snapshot, copy: Snapshot) -> Renamed | HalfRenamed:
    """Write what the old name holds by now over the copy, then remove the old name at that version."""
    try:
        written = curator.write(Edit(copy.key, replace(copy, metadata=current.metadata), current.content))
    except Exception as error:
        return HalfRenamed(current, copy, describe(error))
    return _remove_original(curator, current, snapshot_of_written(written))


def _rename_through_absence(curator: Curator, original: Snapshot, key: str) -> RenameOutcome:
    """For two spellings of one name on a disk that ignores case: delete first, then create."""
    if original.key.casefold() != key.casefold():
        return NotRenamed(
            Problem("Name taken by the disk", f"The disk takes {key} for another name.", "Choose another name.")
        )
    try:
        curator.workspace.store.delete_file(original.key, original.version)
    except Exception as error:
        return NotRenamed(describe(error))
    return _make_again(curator, original, key)


def _make_again(curator: Curator, original: Snapshot, key: str) -> Renamed | Homeless:
    try:
        copy = _create(curator, original, key)
    except Exception as error:
        why = describe(error)
        kept = f"{why.sentence} The file is deleted under its old name; its text is kept here."
        return Homeless(original, key, Problem("Half renamed", kept, "Finish now, before the app is closed."))
    return _renamed(curator, original, copy)

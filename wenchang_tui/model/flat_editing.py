"""What a person changes in a file memory: always through its library, and never over what somebody else wrote.

Outcomes are values, which carry the edit, so typed text is never lost. Blocking. File memory, section 16.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from wenchang.filememory.curator import Curator
from wenchang.filememory.errors import FileChangedError, FileMemoryError
from wenchang.filememory.text import is_blank, well_formed
from wenchang_tui.model.content import Content
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import find_row, read_text
from wenchang_tui.model.merging import ContentMerge, merge_contents
from wenchang_tui.model.problems import Problem, describe

READ_ONLY = Problem("Read-only", "This memory was opened read-only.", "Open it without --read-only to change it.")


@dataclass(frozen=True, slots=True)
class FlatEdit:
    """A file as it stood at `version`, and the text and description it shall have instead; aliases it has none."""

    name: str
    folder: str
    base: Content
    version: str
    content: Content

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        return self.content != self.base

    def onto(self, theirs: "FlatEdit", content: Content) -> "FlatEdit":
        """An edit of what somebody else left, which leaves `content`."""
        return replace(theirs, content=content)


@dataclass(frozen=True, slots=True)
class Saved:
    """Everything is written; `edit` starts from there."""

    edit: FlatEdit


@dataclass(frozen=True, slots=True)
class Conflict:
    """The file changed since; `theirs` is what is there now."""

    edit: FlatEdit
    theirs: FlatEdit

    def merge(self) -> ContentMerge:
        """Both changes together."""
        return merge_contents(self.edit.base, self.theirs.base, self.edit.content)


@dataclass(frozen=True, slots=True)
class Gone:
    """The file is not there any more."""

    edit: FlatEdit


@dataclass(frozen=True, slots=True)
class Refused:
    """It cannot be done; `problem` says why. What of it was done already shows in the file."""

    edit: FlatEdit
    problem: Problem


@dataclass(frozen=True, slots=True)
class Deleted:
    """The file and its description are gone."""

    name: str


Outcome: TypeAlias = Saved | Conflict | Gone | Refused


def begin(flat: FlatFolder, name: str, folder: str = "") -> FlatEdit | Problem | None:
    """An edit of a file as it stands, or why it cannot be edited; `None` where there is none."""
    try:
        return _current(flat, name, folder)
    except (FileMemoryError, OSError) as error:
        return describe(error)


def _current(flat: FlatFolder, name: str, folder: str) -> FlatEdit | None:
    row = find_row(flat, name, folder)
    if row is None:
        return None
    # Read after the version: when somebody writes in between, the save is refused.
    content = Content(read_text(flat, name, folder), row.memory.description)
    return FlatEdit(name, folder, content, row.memory.version, content)


def save(flat: FlatFolder, edit: FlatEdit) -> Outcome:
    """Write what an edit changed, unless the file is not as it was: the text, then the description."""
    if flat.settings.read_only:
        return Refused(edit, READ_ONLY)
    try:
        with Curator(flat.root) as curator:
            return Saved(_with_description(flat, curator, _with_text(flat, curator, edit)))
    except FileChangedError:
        return _changed(flat, edit)
    except (FileMemoryError, OSError) as error:
        return Refused(edit, describe(error))


def _with_text(flat: FlatFolder, curator: Curator, edit: FlatEdit) -> FlatEdit:
    if edit.content.body == edit.base.body:
        return edit
    curator.edit(edit.name, edit.content.body, edit.version, edit.folder)
    left = replace(edit.base, body=edit.content.body)
    return _advanced(flat, edit, left)


def _with_description(flat: FlatFolder, curator: Curator, edit: FlatEdit) -> FlatEdit:
    if edit.content.description == edit.base.description:
        return edit
    curator.describe(edit.name, edit.content.description, edit.version, edit.folder)
    return _advanced(flat, edit, edit.content)


def _advanced(flat: FlatFolder, edit: FlatEdit, left: Content) -> FlatEdit:
    """The edit after a step that left the file as `left`. Raises `FileChangedError` when it is something else."""
    now = _current(flat, edit.name, edit.folder)
    if now is None or _plain(now.base) != _plain(left):
        raise FileChangedError(edit.name)
    return replace(edit, base=left, version=now.version)


def _plain(content: Content) -> tuple[str, str]:
    """What tells contents apart: a blank description is stored as none."""
    description = "" if is_blank(content.description) else content.description
    return well_formed(content.body), well_formed(description)


def _changed(flat: FlatFolder, edit: FlatEdit) -> Outcome:
    match begin(flat, edit.name, edit.folder):
        case FlatEdit() as theirs:
            return Conflict(edit, theirs)
        case Problem() as problem:
            return Refused(edit, problem)
    return Gone(edit)


def delete(flat: FlatFolder, edit: FlatEdit) -> Deleted | Outcome:
    """Delete a file and its description, unless it is not as it was."""
    if flat.settings.read_only:
        return Refused(edit, READ_ONLY)
    try:
        with Curator(flat.root) as curator:
            curator.delete(edit.name, edit.version, edit.folder)
        return Deleted(edit.name)
    except FileChangedError:
        return _changed(flat, edit)
    except (FileMemoryError, OSError) as error:
        return Refused(edit, describe(error))


def rebuild_index(flat: FlatFolder, folder: str = "") -> Problem | None:
    """Write the index anew from what is there; `None` once it is, otherwise what is in the way."""
    if flat.settings.read_only:
        return READ_ONLY
    try:
        with Curator(flat.root) as curator:
            curator.rebuild_index(folder)
    except (FileMemoryError, OSError) as error:
        return describe(error)
    return None

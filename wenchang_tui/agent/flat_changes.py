"""Changes of a file memory as the record of calls knows them: a file now, what a change would make of it, the way back.

A file stands there as a memory file does, with its description for metadata; aliases and sources it has none.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from wenchang.core import MemoryFile
from wenchang.filememory import DeleteFileToolName, FileMemoryError, FileMemoryProvider, ReplaceToolName, WriteToolName
from wenchang.filememory.lines import replace_lines, replace_text
from wenchang.filememory.text import is_blank
from wenchang.filememory.tools import TOOLS
from wenchang.gate import WaitingChange
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Call, FlatMetadata
from wenchang_tui.agent.diffing import Proposal
from wenchang_tui.agent.recorder import ChangedSince, Reverted
from wenchang_tui.model.content import Content
from wenchang_tui.model.flat_editing import READ_ONLY, Conflict, Deleted, FlatEdit, Gone, Refused, Saved, delete, save
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import Mark, find_row, read_text
from wenchang_tui.model.problems import OpenError


def current_file(flat: FlatFolder, name: str) -> MemoryFile | None:
    """The file as it is; `None` when it is absent or no text. Raises `FileMemoryError` and `OSError`."""
    row = find_row(flat, name)
    if row is None or row.memory.marks & {Mark.NOT_TEXT, Mark.UNREADABLE}:
        return None
    metadata = FlatMetadata(row.memory.description, (), frozenset(), row.memory.modified)
    return MemoryFile(name, read_text(flat, name), metadata, VersionToken(row.memory.version))


def propose_flat(flat: FlatFolder, change: WaitingChange) -> Proposal:
    """What approving a change would do now. Raises `FileMemoryError` for arguments that the tool would refuse."""
    current = current_file(flat, change.path)
    if change.operation == DeleteFileToolName:
        return Proposal(current, None, "" if current else "There is no such file.")
    given = TOOLS[change.operation].read(change.arguments)
    if change.operation == WriteToolName:
        return Proposal(current, _written(change.path, given, current))
    if current is None:
        return Proposal(None, None, "There is no such file.")
    try:
        content = _edited(change.operation, current.content, given)
    except FileMemoryError as error:
        return Proposal(current, current, f"{error}.")
    return Proposal(current, replace(current, content=content, version=VersionToken("?")))


def _written(name: str, given: Mapping[str, Any], current: MemoryFile | None) -> MemoryFile:
    description = given.get("description", "")
    moment = datetime.now(UTC) if current is None else current.metadata.last_updated
    metadata = FlatMetadata("" if is_blank(description) else description, (), frozenset(), moment)
    return MemoryFile(name, given["content"], metadata, VersionToken("?"))


def _edited(tool: str, text: str, given: Mapping[str, Any]) -> str:
    if tool == ReplaceToolName:
        everywhere = given.get("replace_all", False)
        return replace_text(text, given["old_string"], given["new_string"], replace_all=everywhere)[0]
    return replace_lines(text, given["edits"])


def revert_flat(flat: FlatFolder, call: Call) -> Reverted | ChangedSince:
    """Bring the file back to what it was before the call, unless somebody changed it since.

    Raises `ValueError` for a call that changed nothing, and `OpenError` with what is in the way.
    """
    change = call.change
    if change is None or change.before == change.after:
        raise ValueError("the call changed nothing that could be taken back")
    if change.after is None:
        return _write_again(flat, cast(MemoryFile, change.before))
    edit = FlatEdit(
        change.path, "", _content(change.after), change.after.version, _content(change.before or change.after)
    )
    match delete(flat, edit) if change.before is None else save(flat, edit):
        case Conflict(theirs=theirs):
            return ChangedSince(change.path, theirs.base.body, VersionToken(theirs.version))
        case Gone():
            return ChangedSince(change.path, None, None)
        case Refused(problem=problem):
            raise OpenError(problem)
        case Saved() | Deleted():
            pass
    return Reverted(current_file(flat, change.path))


def _content(file: MemoryFile) -> Content:
    return Content(file.content, file.metadata.description)


def _write_again(flat: FlatFolder, file: MemoryFile) -> Reverted | ChangedSince:
    if flat.settings.read_only:
        raise OpenError(READ_ONLY)
    now = current_file(flat, file.path)
    if now is not None:
        return ChangedSince(file.path, now.content, now.version)
    given = {"file_name": file.path, "content": file.content, "description": file.metadata.description}
    with FileMemoryProvider(flat.root) as provider:
        provider.call(WriteToolName, given)
    return Reverted(current_file(flat, file.path))

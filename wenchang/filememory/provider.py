"""The provider an application asks before each invocation of its agent: tools, instructions, and the index so far.

It decides who works in which folder and in which order a call is checked; what happens to files is decided below.
File memory, sections 2, 4, 5, 11 and 16.1.
"""

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from wenchang._types import exact_str, really, type_name
from wenchang.filememory.changes import delete_memory, edit_memory, rebuild_index, write_memory
from wenchang.filememory.directory import Directory
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.instructions import INDEX_PREFACE, INSTRUCTIONS
from wenchang.filememory.lines import LineEdit, replace_lines, replace_text
from wenchang.filememory.memories import decode, list_memories, memory_names, read_memory, search_memories
from wenchang.filememory.names import INDEX_NAME, checked_name, folder_segments
from wenchang.filememory.patterns import name_matcher
from wenchang.filememory.root import Root
from wenchang.filememory.search import compile_pattern
from wenchang.filememory.staging import WritableFolder
from wenchang.filememory.text import is_blank, quoted
from wenchang.filememory.tools import (
    TOOLS,
    DeleteFileToolName,
    GrepToolName,
    LsToolName,
    ReadFileToolName,
    ReplaceLinesToolName,
    ReplaceToolName,
    WriteToolName,
)
from wenchang.filememory.values import ContextMessage, FileMatch, ListEntry, Session, State
from wenchang.storage._files import make_folder

SOURCE_ID = "FileMemoryProvider"
STATE_KEY = "fileMemoryProviderState"

log = logging.getLogger("wenchang.filememory")


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A tool for one session, made by the provider. `input_schema` is a JSON Schema of the arguments."""

    name: str
    description: str
    input_schema: dict[str, Any]
    _provider: "FileMemoryProvider" = field(repr=False)
    _session: Session | None = field(repr=False)

    def call(self, arguments: Mapping[str, object] | str | None = None) -> str:
        """As `FileMemoryProvider.call`, in the session the tool was made for."""
        return self._provider.call(self.name, arguments, self._session)


@dataclass(frozen=True, slots=True)
class Invocation:
    """What to add to an invocation of the agent, each after what is there. `instructions` is `None` for none."""

    messages: tuple[ContextMessage, ...]
    tools: tuple[Tool, ...]
    instructions: str | None


class FileMemoryProvider:
    """Memory in the flat files of a folder. Safe for threads, and for other processes on the same folder.

    `root` is made if it is missing, and opened once. `instructions` take the place of the built-in ones; blank ones
    mean none at all. `state_initializer` chooses the working folder of a session that has none stored; without it every
    session works in the root, and all share their memories.

    On systems that cannot open files relative to a folder (Windows), links are kept out by looking first, which is
    weaker, and processes do not exclude each other.

    Without a session `state_initializer` is called with `None` on each use, so it must be cheap and always choose the
    same. Raises `OSError` when the root cannot be made or opened.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        instructions: str | None = None,
        state_initializer: Callable[[Session | None], State] | None = None,
    ) -> None:
        given = INSTRUCTIONS if instructions is None else instructions
        if not really(given, str):
            raise TypeError(f"instructions must be a str or None, not {type_name(given)}")
        self._instructions = None if is_blank(given) else exact_str(given)
        self._initializer = state_initializer
        self._state_lock = threading.RLock()
        path = Path(os.path.realpath(root))
        make_folder(str(path), durable=True)
        self._root = Root(path)
        self._root.sweep()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for the running change and let go of the folder; may be repeated.

        Reading, writing and `invoking` afterwards raise `FileMemoryClosedError`. A provider that is never closed lets
        go when nothing refers to it any more.
        """
        self._root.close()

    # Around an invocation

    def invoking(self, session: Session | None = None) -> Invocation:
        """What to add before the agent is invoked; makes the working folder.

        Raises `FileMemoryError` for a working folder that cannot be used. An index that cannot be read is left out.
        """
        segments = self._working_folder(session)
        self._root.make(segments)
        with self._root.reading(segments) as folder:
            index = None if folder is None else _index_text(folder)
        tools = tuple(Tool(t.name, t.description, t.input_schema, self, session) for t in TOOLS.values())
        return Invocation(_index_messages(index), tools, self._instructions)

    def invoked(self, session: Session | None = None) -> None:
        """Nothing: the tools have kept everything already."""

    def call(
        self, tool_name: str, arguments: Mapping[str, object] | str | None = None, session: Session | None = None
    ) -> str:
        """Carry out a tool; `arguments` are JSON values by name, or the JSON text of such an object.

        A file that is not there is an answer; every other failure raises `FileMemoryError`, before anything is changed
        unless the system itself gave out between a memory and its description or index.
        """
        if tool_name not in TOOLS:
            raise FileMemoryError(f"unknown tool {quoted(str(tool_name))}: the tools are {', '.join(TOOLS)}")
        given = TOOLS[tool_name].read(arguments)
        return _OPERATIONS[tool_name](self, session, **given)

    def rebuild_index(self, session: Session | None = None) -> None:
        """Write the index of the working folder anew; for people, who may have changed files by hand."""
        with self._changing(session) as folder:
            if folder is not None:
                rebuild_index(folder)

    # The tools: names and patterns are checked before any file is looked at

    def _write(self, session: Session | None, *, file_name: str, content: str, description: str = "") -> str:
        name = checked_name(file_name)
        with self._changing(session, create=True) as folder:
            assert folder is not None
            write_memory(folder, name, content, description)
        return f"File {quoted(file_name)} written{'' if is_blank(description) else ' with description'}."

    def _read(self, session: Session | None, *, file_name: str) -> str:
        name = checked_name(file_name)
        with self._reading(session) as folder:
            stored = None if folder is None else read_memory(folder, name, file_name)
        return _not_found(file_name) if stored is None else stored.text

    def _delete(self, session: Session | None, *, file_name: str) -> str:
        name = checked_name(file_name)
        with self._changing(session) as folder:
            was_there = folder is not None and delete_memory(folder, name)
        return f"File {quoted(file_name)} deleted." if was_there else _not_found(file_name)

    def _ls(self, session: Session | None, *, glob_pattern: str = "") -> str:
        wanted = name_matcher(glob_pattern)
        with self._reading(session) as folder:
            entries = [] if folder is None else list_memories(folder, memory_names(folder), wanted)
        return _json(map(_list_row, entries))

    def _grep(self, session: Session | None, *, regex_pattern: str, glob_pattern: str = "") -> str:
        pattern = compile_pattern(regex_pattern)
        wanted = name_matcher(glob_pattern)
        with self._reading(session) as folder:
            found = [] if folder is None else list(search_memories(folder, pattern, wanted))
        return _json(map(_match_row, found))

    def _replace(
        self, session: Session | None, *, file_name: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> str:
        name = checked_name(file_name)
        count = 0

        def edit(text: str) -> str:
            nonlocal count
            edited, count = replace_text(text, old_string, new_string, replace_all=replace_all)
            return edited

        with self._changing(session) as folder:
            was_there = folder is not None and edit_memory(folder, name, file_name, edit)
        return f"Replaced {count} occurrence(s) in {quoted(file_name)}." if was_there else _not_found(file_name)

    def _replace_lines(self, session: Session | None, *, file_name: str, edits: tuple[LineEdit, ...]) -> str:
        name = checked_name(file_name)
        with self._changing(session) as folder:
            was_there = folder is not None and edit_memory(
                folder, name, file_name, lambda text: replace_lines(text, edits)
            )
        return f"Replaced {len(edits)} line(s) in {quoted(file_name)}." if was_there else _not_found(file_name)

    # Where a session works

    def _reading(self, session: Session | None) -> AbstractContextManager[Directory | None]:
        return self._root.reading(self._working_folder(session))

    def _changing(
        self, session: Session | None, *, create: bool = False
    ) -> AbstractContextManager[WritableFolder | None]:
        return self._root.writing(self._working_folder(session), create=create)

    def _working_folder(self, session: Session | None) -> tuple[str, ...]:
        self._root.check_open()
        if session is None:
            return folder_segments(self._initial_state(None).working_folder)
        folder = _stored_folder(session)
        return self._first_working_folder(session) if folder is None else folder_segments(folder)

    def _first_working_folder(self, session: Session) -> tuple[str, ...]:
        """The initializer's choice, or that of another call of this session which came first; kept if it is valid."""
        with self._state_lock:
            folder = _stored_folder(session)
            if folder is not None:
                return folder_segments(folder)
            folder = self._initial_state(session).working_folder
            segments = folder_segments(folder)
            session.set(STATE_KEY, {"workingFolder": folder})
            return segments

    def _initial_state(self, session: Session | None) -> State:
        return State() if self._initializer is None else self._initializer(session)


_OPERATIONS: dict[str, Callable[..., str]] = {
    WriteToolName: FileMemoryProvider._write,
    ReadFileToolName: FileMemoryProvider._read,
    DeleteFileToolName: FileMemoryProvider._delete,
    LsToolName: FileMemoryProvider._ls,
    GrepToolName: FileMemoryProvider._grep,
    ReplaceToolName: FileMemoryProvider._replace,
    ReplaceLinesToolName: FileMemoryProvider._replace_lines,
}


def _stored_folder(session: Session) -> str | None:
    """The working folder that a session remembers; `None` where it does not, or that cannot be read."""
    value = session.get(STATE_KEY)
    if not really(value, Mapping):  # type: ignore[type-abstract]
        return None
    folder = value.get("workingFolder", "")
    return exact_str(folder) if really(folder, str) else None


def _index_text(folder: Directory) -> str | None:
    """The index as it stands; `None` where there is none that can be read, which the next write repairs."""
    try:
        data = folder.read(INDEX_NAME)
    except OSError as error:
        log.warning("The index of the memory folder cannot be read: %s", error)
        return None
    stored = None if data is None else decode(data)
    if data is not None and stored is None:
        log.warning("The index of the memory folder is not UTF-8 text")
    return None if stored is None else stored.text


def _index_messages(index: str | None) -> tuple[ContextMessage, ...]:
    if index is None or is_blank(index):
        return ()
    return (ContextMessage("user", f"{INDEX_PREFACE}\n\n{index}", "context-provider", SOURCE_ID),)


def _not_found(file_name: str) -> str:
    return f"File {quoted(file_name)} not found."


def _json(rows: Any) -> str:
    return json.dumps(list(rows), ensure_ascii=False, separators=(",", ":"))


def _list_row(entry: ListEntry) -> dict[str, Any]:
    return {key: value for key, value in asdict(entry).items() if value}


def _match_row(match: FileMatch) -> dict[str, Any]:
    return {
        "fileName": match.file_name,
        "snippet": match.snippet,
        "matchingLines": [{"lineNumber": found.line_number, "line": found.line} for found in match.matching_lines],
    }

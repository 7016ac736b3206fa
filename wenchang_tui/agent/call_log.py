"""Calls of a server in another process: it appends one line of JSON a call to a file, and the app follows the file.

A line is written by one call of the operating system to a descriptor opened for appending, so that several servers can
share a file. It is not made for network file systems.
"""

import fcntl
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from wenchang_tui.agent.calls import Call, call_from_json, call_to_json

MAX_LINE_BYTES = 262_144
"""The longest line, in bytes. What does not fit is left out, and the call's `note` says so."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A log that has grown beyond this is set aside as `NAME.1` before the next line is written."""

_MAX_TEXT = 2_000


class CallLog:
    """Appends calls to a file, which is its owner's alone (mode 0600) and need not exist."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._descriptor = self._open()

    def append(self, call: Call) -> None:
        """Add one line. Raises `OSError`."""
        line = _line(call)
        with self._lock:
            self._rotate()
            os.write(self._descriptor, line)

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            os.close(self._descriptor)

    def _open(self) -> int:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        return descriptor

    def _rotate(self) -> None:
        """Go on in the file that has the name now: a new one when this one is full, was set aside or was removed."""
        mine = os.fstat(self._descriptor)
        if mine.st_size > MAX_FILE_BYTES:
            self._set_aside(mine.st_ino)
        if _inode(self._path) != mine.st_ino:
            os.close(self._descriptor)
            self._descriptor = self._open()

    def _set_aside(self, inode: int) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)  # of several writers only one may do it
        try:
            if _inode(self._path) == inode:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)


class CallLogReader:
    """Follows a log from its end or its beginning, through its being set aside, emptied or removed."""

    def __init__(self, path: Path, *, from_start: bool = False) -> None:
        self._path = path
        self._unfinished = b""
        self._skipped = 0
        # Kept open: as long as it is, no other file can come to look like this one.
        self._file = self._open()
        if self._file is not None and not from_start:
            self._file.seek(0, os.SEEK_END)

    @property
    def skipped(self) -> int:
        """How many lines so far were no records of calls."""
        return self._skipped

    def read_new(self) -> list[Call]:
        """The calls whose lines were finished since the last time; none when there is no file. Raises `OSError`."""
        return [call for line in self._new_lines() for call in self._parsed(line)]

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> BinaryIO | None:
        try:
            return self._path.open("rb", buffering=0)
        except FileNotFoundError:
            return None

    def _new_lines(self) -> list[bytes]:
        was_replaced = self._file is None or _inode(self._path) != os.fstat(self._file.fileno()).st_ino
        lines = self._rest()
        if was_replaced:
            self.close()
            self._unfinished = b""
            self._file = self._open()
            lines += self._rest()
        return lines

    def _rest(self) -> list[bytes]:
        if self._file is None:
            return []
        if os.fstat(self._file.fileno()).st_size < self._file.tell():  # emptied
            self._file.seek(0)
            self._unfinished = b""
        *lines, self._unfinished = (self._unfinished + self._file.read()).split(b"\n")
        return lines

    def _parsed(self, line: bytes) -> Iterator[Call]:
        try:
            yield call_from_json(json.loads(line))
        except (ValueError, RecursionError):
            self._skipped += 1


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _line(call: Call) -> bytes:
    """The line of a call, or of as much of it as fits."""
    line = _spelt(call)
    if len(line) > MAX_LINE_BYTES and call.change is not None:
        note = f"The file before and after is left out of the log: more than {MAX_LINE_BYTES} bytes."
        call = replace(call, change=None, note=_joined(call.note, note))
        line = _spelt(call)
    if len(line) > MAX_LINE_BYTES:
        note = f"Long texts are cut to {_MAX_TEXT} characters in the log."
        arguments, answer = _cut(dict(call.arguments)), _cut(dict(call.answer))
        line = _spelt(replace(call, arguments=arguments, answer=answer, note=_joined(call.note, note)))
    if len(line) > MAX_LINE_BYTES:  # an index of a thousand files, or a list without end
        note = f"Arguments and answer are left out of the log: more than {MAX_LINE_BYTES} bytes."
        line = _spelt(replace(call, arguments={}, answer={}, note=_joined(call.note, note)))
    return line


def _spelt(call: Call) -> bytes:
    return json.dumps(call_to_json(call)).encode() + b"\n"


def _joined(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        return f"{value[:_MAX_TEXT]}…"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return value

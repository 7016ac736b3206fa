"""Calls and files that are the same every time."""

from datetime import UTC, datetime, timedelta
from typing import Any

from wenchang.core import MemoryFile
from wenchang.file_format import FileMetadata
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Call, Change

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
INK = "user/u-tianlong/notes/ink.md"
INK_NAMED = {"scope": "user", "area": "notes", "name": "ink"}


def file(
    content: str, version: str = "1", *, description: str = "Ink", aliases: tuple[str, ...] = (), path: str = INK
) -> MemoryFile:
    """A memory file, written by an agent in the minute of its version."""
    moment = START + timedelta(minutes=int(version) if version.isdecimal() else 0)
    return MemoryFile(path, content, FileMetadata(description, aliases, frozenset({"pen"}), moment),
                      VersionToken(version))  # fmt: skip


def call(number: int = 1, tool: str = "read_file", **fields: Any) -> Call:
    """A call that began so many seconds after nine; it went well, unless `fields` says otherwise."""
    usual: dict[str, Any] = {
        "caller": "agent",
        "client": "claude-code 2.1.0",
        "protocol": "2026-07-28",
        "tool": tool,
        "arguments": INK_NAMED,
        "answer": {"ok": True},
        "category": None,
        "started": START + timedelta(seconds=number),
        "duration_s": 0.0015,
        "change": None,
        "process": 4711,
        "note": "",
    }
    return Call(**{**usual, **fields})


def conflict(number: int) -> Call:
    """A call that lost a race."""
    message = "The file at scope user, area notes, name ink changed since it was read."
    answer = {"error": "VersionConflictError", "category": "recoverable", "message": message, **INK_NAMED,
              "content": "- [stated] Black.\n", "version": "2"}  # fmt: skip
    arguments = {**INK_NAMED, "line": "- [stated] Blue.", "expected_version": "1"}
    return call(number, "append_line", arguments=arguments, answer=answer, category="recoverable")


def append(number: int) -> Call:
    """A call that added a line."""
    before = file("- [stated] Black.\n", "2")
    after = file("- [stated] Black.\n- [stated] Blue.\n", "3", aliases=("墨",))
    arguments = {**INK_NAMED, "line": "- [stated] Blue.", "expected_version": "2", "aliases": ["墨"]}
    return call(number, "append_line", arguments=arguments, answer={**INK_NAMED, "content": after.content,
                "version": "3"}, change=Change(INK, before, after))  # fmt: skip

"""Lines as search and line edits count them, and the two edits of a text. Pure. File memory, sections 7.6, 7.7, 8."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.text import quoted

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """`new_line` for the line `line_number`, counted from 1, terminator included.

    An `expected_line` that is given must be what stands there, terminators aside.
    """

    line_number: int
    new_line: str
    expected_line: str | None = None


def split_lines(text: str) -> list[str]:
    r"""The lines of `text`, each with its own `\n`, `\r\n` or `\r`; joined, they are `text`."""
    return _LINE.findall(text)


def without_terminator(line: str) -> str:
    """`line` without the one terminator it may end in."""
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n").removesuffix("\r")


def replace_text(text: str, old: str, new: str, *, replace_all: bool) -> tuple[str, int]:
    """`text` with `new` for `old`, and how many times; occurrences do not overlap."""
    if not old:
        raise FileMemoryError("old_string must not be empty")
    count = text.count(old)
    if count == 0:
        raise FileMemoryError(f"old_string not found: {quoted(old)}")
    if count > 1 and not replace_all:
        raise FileMemoryError(
            f"old_string occurs {count} times; pass replace_all=true to replace all, "
            "or provide a more specific old_string"
        )
    return text.replace(old, new), count


def replace_lines(text: str, edits: Sequence[LineEdit]) -> str:
    """`text` with all edits made; every line number is that of `text` as given."""
    if not edits:
        raise FileMemoryError("at least one line edit must be provided")
    lines = split_lines(text)
    edited: dict[int, str] = {}
    for edit in edits:
        _check(edit, lines, edited)
        edited[edit.line_number] = edit.new_line
    return "".join(edited.get(number, line) for number, line in enumerate(lines, 1))


def _check(edit: LineEdit, lines: Sequence[str], edited: dict[int, str]) -> None:
    number = edit.line_number
    if number in edited:
        raise FileMemoryError(f"duplicate line_number {number} in edits")
    if not 1 <= number <= len(lines):
        raise FileMemoryError(f"line_number {number} is out of range (file has {len(lines)} lines)")
    if edit.expected_line is None:
        return
    if without_terminator(edit.expected_line) != without_terminator(lines[number - 1]):
        raise FileMemoryError(
            f"line_number {number} does not contain the expected text. Re-read the file to get current line numbers."
        )

"""What a change made of one memory file, line by line: the body, then the metadata fields. Pure; knows no screen.

Also what a change that waits for approval would make of it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, cast

from wenchang.core import MemoryFile
from wenchang.core.edits import MetadataEdit, append_line, count_spans
from wenchang.file_format import ALIASES_KEY, LAST_UPDATED_KEY, SOURCES_KEY, FileMetadata, metadata_to_map
from wenchang.gate import WaitingChange
from wenchang.version_token import VersionToken

CONTEXT_LINES = 3
MAX_COMPARED = 4_000
"""Bodies of more lines than this are not compared line by line: all of the old goes, all of the new comes."""


class Mark(StrEnum):
    """What became of a line; `GAP` stands for unchanged lines that are left out."""

    SAME = " "
    ADDED = "+"
    REMOVED = "-"
    GAP = "…"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a metadata field, whose name is `field`, or of the body, where `field` is empty.

    `changed` is the part of an added or removed line by which it differs from its counterpart, if it has one.
    """

    mark: Mark
    text: str
    field: str = ""
    changed: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The lines of a file before and after, and how many were added and removed, fields included."""

    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(line.mark is Mark.ADDED for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(line.mark is Mark.REMOVED for line in self.lines)


def diff_files(before: MemoryFile | None, after: MemoryFile | None, context: int = CONTEXT_LINES) -> FileDiff:
    """Compare a file with itself later; `None` is no file. Unchanged lines farther than `context` are left out."""
    fields = _diff_fields(_fields(before), _fields(after))
    body = _diff_body(_body(before), _body(after))
    return FileDiff((*_near_changes(list(body), context), *fields))


def diff_stored(
    before: tuple[str, Mapping[str, str]] | None,
    after: tuple[str, Mapping[str, str]] | None,
    context: int = CONTEXT_LINES,
) -> FileDiff:
    """Compare bodies and metadata as they are stored, whether or not they can be read as memory files."""
    (old_text, old_fields), (new_text, new_fields) = before or ("", {}), after or ("", {})
    body = _diff_body(_lines(old_text), _lines(new_text))
    return FileDiff((*_near_changes(list(body), context), *_diff_fields(old_fields, new_fields)))


def _fields(file: MemoryFile | None) -> Mapping[str, str]:
    """The four fields by their stored names, as a person reads them: lists not escaped as in storage."""
    if file is None:
        return {}
    metadata = file.metadata
    lists = {ALIASES_KEY: list(metadata.aliases), SOURCES_KEY: sorted(metadata.sources)}
    readable = {name: json.dumps(values, ensure_ascii=False) for name, values in lists.items()}
    return {**metadata_to_map(metadata), **readable}


def _body(file: MemoryFile | None) -> list[str]:
    return [] if file is None else _lines(file.content)


def _lines(text: str) -> list[str]:
    """The lines of a body. A last line that lacks its line break says so, as that is a difference, too."""
    if not text:
        return []
    *lines, last = text.split("\n")
    return [*lines, f"{last} (no line break at the end)"] if last else lines


def _diff_fields(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[DiffLine]:
    for name in {**after, **before}:
        old, new = before.get(name), after.get(name)
        if old == new:
            yield DiffLine(Mark.SAME, new or "", name)
            continue
        spans = (None, None) if old is None or new is None else _difference(old, new)
        if old is not None:
            yield DiffLine(Mark.REMOVED, old, name, spans[0])
        if new is not None:
            yield DiffLine(Mark.ADDED, new, name, spans[1])


def _diff_body(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    for kind, start, end, new_start, new_end in _steps(before, after):
        old, new = before[start:end], after[new_start:new_end]
        if kind == "equal":
            yield from (DiffLine(Mark.SAME, line) for line in old)
            continue
        spans = [_difference(*pair) for pair in zip(old, new, strict=False)] if len(old) == len(new) else []
        yield from (DiffLine(Mark.REMOVED, line, "", spans[at][0] if spans else None) for at, line in enumerate(old))
        yield from (DiffLine(Mark.ADDED, line, "", spans[at][1] if spans else None) for at, line in enumerate(new))


def _steps(before: Sequence[str], after: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if max(len(before), len(after)) > MAX_COMPARED:
        return [("replace", 0, len(before), 0, len(after))]
    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()


def _difference(old: str, new: str) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The spans between what both lines begin and end with, widened to whole words; `None` when nothing is shared."""
    limit = min(len(old), len(new))
    head = next((at for at in range(limit) if old[at] != new[at]), limit)
    tail = next((at for at in range(limit - head) if old[-1 - at] != new[-1 - at]), limit - head)
    while head and old[head - 1].isalnum():
        head -= 1
    while tail and old[-tail].isalnum():
        tail -= 1
    if head + tail == 0:
        return None, None
    return (head, len(old) - tail), (head, len(new) - tail)


def _near_changes(lines: Sequence[DiffLine], context: int) -> Iterator[DiffLine]:
    """The lines within `context` of a change, and a gap for each run of others that is longer than the gap itself."""
    changes = [at for at, line in enumerate(lines) if line.mark is not Mark.SAME]
    near = {at for change in changes for at in range(change - context, change + context + 1)}
    left_out: list[DiffLine] = []
    for at, line in enumerate(lines):
        if at in near or not changes:
            yield from _gap(left_out)
            left_out = []
            yield line
        else:
            left_out.append(line)
    yield from _gap(left_out)


def _gap(lines: Sequence[DiffLine]) -> Sequence[DiffLine]:
    return lines if len(lines) < 2 else [DiffLine(Mark.GAP, f"{len(lines):,} lines as before")]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a waiting change would make of the file as it is now; `obstacle` says why it would fail, if it would."""

    before: MemoryFile | None
    after: MemoryFile | None
    obstacle: str = ""

    def diff(self) -> FileDiff:
        """What would change. The time of the change is not known yet, and left out."""
        lines = diff_files(self.before, self.after).lines
        return FileDiff(tuple(line for line in lines if line.field != LAST_UPDATED_KEY or line.mark is Mark.REMOVED))


def propose(change: WaitingChange, current: MemoryFile | None) -> Proposal:
    """Work out what approving a change would do now. The version and time that it would get are not known yet."""
    arguments = cast(Mapping[str, Any], change.arguments)
    expected = arguments.get("expected_version")
    obstacle = _obstacle(expected, current)
    if change.operation == "delete_file":
        return Proposal(current, None, obstacle)
    if change.operation == "write_file":
        given: FileMetadata = arguments["metadata"]
        known = frozenset() if current is None else current.metadata.sources
        metadata = replace(given, sources=given.sources | known | {arguments["source"]})
        return Proposal(current, _after(change.path, arguments["content"], metadata, current), obstacle)
    if current is None:
        return Proposal(None, None, "There is no such file.")
    if change.operation == "append_line":
        content = append_line(current.content, arguments["line"])
    else:
        spans = count_spans(current.content, arguments["old_string"])
        if spans != 1:
            return Proposal(current, current, f"The text to replace stands in the file {spans} times, not once.")
        content = current.content.replace(arguments["old_string"], arguments["new_string"])
    aliases = tuple(arguments.get("aliases") or ())
    edit = MetadataEdit(arguments["source"], aliases, arguments.get("description"))
    return Proposal(current, _after(change.path, content, edit.apply(current.metadata), current), obstacle)


def _obstacle(expected: str | None, current: MemoryFile | None) -> str:
    actual = None if current is None else current.version
    if expected == actual:
        return ""
    if actual is None:
        return "There is no such file any more."
    return f"The file is at version {actual} now, not {expected}." if expected else "There is such a file already."


def _after(path: str, content: str, metadata: FileMetadata, current: MemoryFile | None) -> MemoryFile:
    """The file as it would be, but for the time: that of the change is not known, and no difference worth showing."""
    moment = metadata.last_updated if current is None else current.metadata.last_updated
    return MemoryFile(path, content, replace(metadata, last_updated=moment), VersionToken("?"))

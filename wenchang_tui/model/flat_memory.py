"""What lies in a file memory, for a person: its files with their standing in the index, a file, what a search finds.

Reads only, and opens the folder anew each time, so it follows one that is replaced. Blocking. Errors of the file
memory propagate. File memory, section 16.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from wenchang.filememory.index import INDEX_CAP
from wenchang.filememory.instructions import INDEX_PREFACE
from wenchang.filememory.lines import without_terminator
from wenchang.filememory.search import Pattern, compile_pattern
from wenchang.filememory.survey import Finding, IndexState, Mark, MemoryRow, Survey
from wenchang.filememory.text import is_blank
from wenchang.filememory.values import FileMatch
from wenchang.filememory.view import FolderView
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.folding import fold

__all__ = [
    "INDEX_CAP",
    "FlatHit",
    "FlatListing",
    "FlatRow",
    "IndexState",
    "Mark",
    "Standing",
    "find_row",
    "matches",
    "read_listing",
    "read_text",
    "search",
]

MAX_HITS = 10_000


class Standing(StrEnum):
    """How a file stands in the index that agents get; the value says so in a table."""

    INDEXED = "yes"
    BEYOND = "beyond"
    UNLISTED = "not yet"


@dataclass(frozen=True, slots=True)
class FlatRow:
    """One file, and its place in the order of the index, counted from 1."""

    memory: MemoryRow
    position: int

    @property
    def name(self) -> str:
        """The name that agents call it by."""
        return self.memory.name

    @property
    def standing(self) -> Standing:
        """In the index, beyond the number of entries that it holds, or missing from one that is out of date."""
        if self.memory.is_indexed:
            return Standing.INDEXED
        return Standing.BEYOND if self.position > INDEX_CAP else Standing.UNLISTED


@dataclass(frozen=True, slots=True)
class FlatListing:
    """A working folder as a whole. `folders` are all of the memory, `""` being its root."""

    rows: tuple[FlatRow, ...]
    findings: tuple[Finding, ...]
    index_state: IndexState
    index_text: str
    folders: tuple[str, ...]

    @property
    def agent_text(self) -> str:
        """What an agent is told of the index when it connects; empty where it is told nothing."""
        return "" if is_blank(self.index_text) else f"{INDEX_PREFACE}\n\n{self.index_text}"

    def count(self, standing: Standing) -> int:
        """How many files stand so."""
        return sum(row.standing is standing for row in self.rows)


@dataclass(frozen=True, slots=True)
class FlatHit:
    """A line that a search found; the match is `line[start:end]`."""

    name: str
    line_number: int
    line: str
    start: int
    end: int


def read_listing(flat: FlatFolder, folder: str = "") -> FlatListing:
    """All of the working folder `folder`. Reads every file in it."""
    with FolderView(flat.root) as view:
        return _listing(view.survey(folder), view.working_folders())


def _listing(survey: Survey, folders: tuple[str, ...]) -> FlatListing:
    rows = tuple(FlatRow(memory, position) for position, memory in enumerate(survey.memories, 1))
    return FlatListing(rows, survey.findings, survey.index_state, survey.index_text, folders)


def find_row(flat: FlatFolder, name: str, folder: str = "") -> FlatRow | None:
    """The row of the file `name`; `None` where there is none. Reads every file of the folder."""
    return next((row for row in read_listing(flat, folder).rows if row.name == name), None)


def read_text(flat: FlatFolder, name: str, folder: str = "") -> str:
    """The text of the file `name`, without a byte-order mark."""
    with FolderView(flat.root) as view:
        return view.text(name, folder)


def search(flat: FlatFolder, pattern: str, names: str = "", folder: str = "") -> Iterator[FlatHit]:
    """The lines that match `pattern`, as the search of an agent finds them, in files whose names match `names`.

    At most `MAX_HITS` of them. Raises `FileMemoryError` for a pattern that an agent would be refused.
    """
    compiled = compile_pattern(pattern)
    with FolderView(flat.root) as view:
        found = view.search(pattern, names, folder)
    yield from islice(_hits(found, compiled), MAX_HITS)


def _hits(found: Iterable[FileMatch], compiled: Pattern) -> Iterator[FlatHit]:
    for match in found:
        for line in match.matching_lines:
            text = without_terminator(line.line)
            span = compiled.search(text)
            yield FlatHit(match.file_name, line.line_number, text, span.start(), span.end())


def matches(row: FlatRow, typed: str) -> bool:
    """Whether a row passes a filter: every word of it is in the name or the description, and no `!word` is."""
    text = fold(f"{row.name}\n{row.memory.description}")
    words = [(fold(word.removeprefix("!")), not word.startswith("!")) for word in typed.split()]
    return all((word in text) is wanted for word, wanted in words if word)

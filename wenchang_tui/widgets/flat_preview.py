"""The file under the cursor, or the index as an agent gets it."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from wenchang.filememory.lines import split_lines
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import INDEX_CAP, FlatHit, FlatListing, FlatRow, Mark, Standing, read_text
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.file_view import FileView, moment
from wenchang_tui.widgets.flat_files import INDEX_STATES
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.text_lines import TextLine

_LEAD = 10
_RULE = TextLine("─" * 24, "rule")
_STANDINGS = {
    Standing.INDEXED: "in the index",
    Standing.BEYOND: f"beyond the {INDEX_CAP} that the index holds: agents find it only by listing or searching",
    Standing.UNLISTED: "not in the index yet: it comes in with the next write or delete, or with B",
}


class FlatPreview(Vertical):
    """One file of `folder`, or the index."""

    DEFAULT_CSS = """
    FlatPreview { height: 1.2fr; min-height: 4; }
    """

    @dataclass
    class Shown(Message):
        """A file came in sight."""

        name: str

    def __init__(self, flat: FlatFolder) -> None:
        super().__init__()
        self._flat = flat
        self._reading = Lane[str](self, self._receive, self._end)
        self._keeps_scroll = False
        self._hit: FlatHit | None = None
        self.folder = ""
        self.row: FlatRow | None = None
        self.text: str | None = None
        self.shows_index = False
        self.view = FileView(id="file")
        self.title = PaneTitle()
        self.title.track(self._reading, "reading")

    def compose(self) -> ComposeResult:
        """Title and file."""
        yield self.title
        yield self.view

    def show(self, row: FlatRow | None, folder: str, hit: FlatHit | None = None) -> None:
        """Show a file, pointing at `hit`. One that is as it was stays where it is scrolled to."""
        is_same = self._is_shown(row, folder)
        is_at_hand = is_same and self.text is not None and row is not None and self.row == row
        self._keeps_scroll = is_same
        self.row, self.folder, self._hit, self.shows_index = row, folder, hit, False
        if row is None:
            self._reading.cancel()
            self.text = None
            self.title.left = self.title.right = Content("")
            self.view.show_note("No file is selected.")
        elif not is_at_hand:
            self._read(row)
        elif hit is not None:
            self.view.point_at(hit.line_number, hit.start, hit.end)

    def _is_shown(self, row: FlatRow | None, folder: str) -> bool:
        known = self.row
        return (
            known is not None
            and row is not None
            and (known.name, self.folder) == (row.name, folder)
            and not self.shows_index
        )

    def _read(self, row: FlatRow) -> None:
        flat, folder = self._flat, self.folder
        self.title.left, self.title.right = safe(row.name), Content("")
        self.text = None

        def work(_: IsCancelled) -> Iterator[str]:
            yield read_text(flat, row.name, folder)

        self._reading.run(work)

    def cancel(self) -> bool:
        """Stop reading; whether a file was being read."""
        return self._reading.cancel()

    def show_index(self, listing: FlatListing, folder: str) -> None:
        """Show the index as an agent gets it, then what it leaves out."""
        self._reading.cancel()
        keeps = self.shows_index
        self.shows_index, self.folder, self.text = True, folder, None
        self.title.left = Content("index as an agent gets it")
        size = len(listing.agent_text.encode())
        self.title.right = Content("  ".join(filter(None, (INDEX_STATES[listing.index_state], f"{size:,} bytes"))))
        self.view.show([*_index_head(listing)], _lines(listing.agent_text), keep_scroll=keeps)

    def _receive(self, text: str) -> None:
        if self.row is None:
            return
        self.text = text
        self.view.show([*_head(self.row)], _lines(text), keep_scroll=self._keeps_scroll)
        if self._hit is not None:
            self.view.point_at(self._hit.line_number, self._hit.start, self._hit.end)
        self.post_message(self.Shown(self.row.name))

    def _end(self, problem: Problem | None) -> None:
        if problem is not None and self.row is not None:
            self.view.show_problem(problem)
            if self.row.memory.marks & {Mark.NOT_TEXT}:
                self.view.show([*_head(self.row), TextLine("Agents cannot read it, and nor can this view.", "warn")])


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\n").removesuffix("\r") for line in split_lines(text)]


def _head(row: FlatRow) -> Iterator[TextLine]:
    memory = row.memory
    for line in memory.description.split("\n") if memory.description else ():
        yield TextLine(line, "strong")
    if not memory.description:
        yield TextLine("(no description)", "dim")
    tone = "" if row.standing is Standing.INDEXED else "warn"
    yield TextLine(_STANDINGS[row.standing], tone, _lead("index"), "dim")
    yield TextLine(f"{moment(memory.modified)} UTC", "", _lead("modified"), "dim")
    yield TextLine(f"{memory.size:,} bytes", "", _lead("size"), "dim")
    yield from (TextLine(f"it {mark}", "warn", _lead("note"), "dim") for mark in sorted(memory.marks))
    yield _RULE


def _index_head(listing: FlatListing) -> Iterator[TextLine]:
    indexed = listing.count(Standing.INDEXED)
    yield TextLine(f"{indexed} of at most {INDEX_CAP} files; told once, when the agent connects", "strong")
    for standing in (Standing.UNLISTED, Standing.BEYOND):
        names = ", ".join(row.name for row in listing.rows if row.standing is standing)
        if names:
            yield TextLine(names, "warn", _lead(standing), "dim")
    yield from (TextLine(f"{found.name} {found.mark}", "warn", _lead("odd"), "dim") for found in listing.findings)
    if not listing.agent_text:
        yield TextLine("An agent that connects is told of no file.", "warn")
    yield _RULE


def _lead(name: str) -> str:
    return f"{name:<{_LEAD}}"

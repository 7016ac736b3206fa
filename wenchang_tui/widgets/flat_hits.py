"""What a search of a file memory finds: the agents' own search, with its patterns, its engine and its refusals."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import MAX_HITS, FlatHit, search
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine

_BEFORE_MATCH = 12


class FlatHitsPane(Vertical):
    """A pattern, a pattern of names, and the lines that match. `folder` is where it searches."""

    DEFAULT_CSS = """
    FlatHitsPane {
        height: 1fr;
        min-height: 4;
        & > #inputs { height: 1; }
        & #pattern { width: 2fr; }
        & #names { width: 1fr; }
    }
    """

    @dataclass
    class Selected(Message):
        """Another line is under the cursor."""

        hit: FlatHit

    def __init__(self, flat: FlatFolder) -> None:
        super().__init__()
        self._flat = flat
        self._search = Lane[list[FlatHit]](self, self._receive, self._end)
        self.folder = ""
        columns = (
            Column("name", "file", 22, sortable=False),
            Column("line", "line", 5, right=True, rank=1, sortable=False),
            Column("text", "text", sortable=False),
        )
        self.list = RowList[FlatHit](columns, _key, _draw, marks=False, id="hits")
        self.input = FilterInput(placeholder="pattern, such as inn|monastery", id="pattern")
        self.names = FilterInput(placeholder="files, such as *.md", id="names")
        self.title = PaneTitle("search")
        self.title.track(self._search, "searching")
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, inputs, list, status."""
        yield self.title
        yield Horizontal(self.input, self.names, id="inputs")
        yield self.list
        yield self.status

    def look_in(self, folder: str) -> None:
        """Search in this folder from now on."""
        self.folder = folder
        self.title.left = Content("search as agents do") + (Content(" in ") + safe(folder) if folder else Content(""))
        self.search()

    def search(self) -> None:
        """Search again."""
        flat, folder, pattern, names = self._flat, self.folder, self.input.value, self.names.value
        self.list.empty = "nothing found" if pattern else "type a pattern to look for"

        def work(_: IsCancelled) -> Iterator[list[FlatHit]]:
            yield list(search(flat, pattern, names, folder)) if pattern else []

        self._search.run(work)

    def cancel(self) -> bool:
        """Stop searching; whether a search was under way."""
        return self._search.cancel()

    def _receive(self, hits: list[FlatHit]) -> None:
        full = f", the first {MAX_HITS:,} only: look for something rarer" if len(hits) >= MAX_HITS else ""
        files = len({hit.name for hit in hits})
        self.title.right = Content(f"{_counted(len(hits), 'line')} in {_counted(files, 'file')}{full}")
        self.list.set_rows(hits)
        self.announce()  # the line under the cursor may be the same, and what matches in it another

    def _end(self, problem: Problem | None) -> None:
        if problem is None:
            self.status.clear()
        else:  # what was found before stays
            self.list.empty = "not a pattern yet"
            self.list.refresh()
            self.status.show_note(safe(problem.sentence))

    @on(Input.Changed)
    def _retype(self, event: Input.Changed) -> None:
        event.stop()
        self.search()

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.announce()

    def announce(self) -> None:
        """Say what is under the cursor."""
        if self.list.current is not None:
            self.post_message(self.Selected(self.list.current))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _key(hit: FlatHit) -> str:
    return f"{hit.name}\0{hit.line_number}"


def _draw(hit: FlatHit) -> Look:
    start = max(0, hit.start - _BEFORE_MATCH)
    text = ("…" if start else "") + hit.line[start:]
    return Look({"name": Cell(hit.name, "strong"), "line": Cell(str(hit.line_number), "dim"), "text": Cell(text)})

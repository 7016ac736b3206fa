"""The files of a working folder of a file memory: filtered, ordered, marked as they change, with their standing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import (
    INDEX_CAP,
    FlatListing,
    FlatRow,
    IndexState,
    Mark,
    Standing,
    matches,
    read_listing,
)
from wenchang_tui.model.folding import fold
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.status_line import StatusLine

COLUMNS = (
    Column("name", "name", 22),
    Column("description", "description"),
    Column("index", "index", 7, rank=1),
    Column("modified", "modified", 16, rank=3),
    Column("size", "bytes", 7, right=True, rank=2),
)
_STANDINGS = tuple(Standing)
ORDERS: Mapping[str, Callable[[FlatRow], Any]] = {
    "name": lambda row: row.position,
    "description": lambda row: fold(row.memory.description),
    "index": lambda row: (_STANDINGS.index(row.standing), row.position),
    "modified": lambda row: row.memory.modified,
    "size": lambda row: row.memory.size,
}
INDEX_STATES = {
    IndexState.CURRENT: "",
    IndexState.STALE: "index out of date",
    IndexState.MISSING: "no index yet",
    IndexState.UNREADABLE: "! index unreadable",
}


class FlatFilesPane(Vertical):
    """A title, a filter that opens on demand, the list, and a line for what went wrong."""

    DEFAULT_CSS = """
    FlatFilesPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Selected(Message):
        """Another file is under the cursor, or none is."""

        row: FlatRow | None

    @dataclass
    class Listed(Message):
        """The folder was read."""

        listing: FlatListing

    def __init__(self, flat: FlatFolder) -> None:
        super().__init__()
        self._flat = flat
        self._listing = Lane[FlatListing](self, self._receive, self._end)
        self._changed: set[str] = set()
        self._is_new = True
        self._wanted: str | None = None
        self.listing: FlatListing | None = None
        self.folder = ""
        self.order, self.is_reversed = "name", False
        self.list = RowList[FlatRow](COLUMNS, lambda row: row.name, self._draw, empty="no files here", id="files",
                                     marks=False)  # fmt: skip
        self.input = FilterInput(placeholder="words of the name or description, !not", id="filter")
        self.title = PaneTitle()
        self.title.track(self._listing, "reading")
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, filter, list, status."""
        yield self.title
        yield self.input
        yield self.list
        yield self.status

    def on_mount(self) -> None:
        """The filter opens when it is asked for."""
        self.input.display = False

    def show(self, folder: str) -> None:
        """List another working folder."""
        self.folder, self.listing, self._is_new = folder, None, True
        self._changed.clear()
        self.reload()

    def go_to(self, name: str) -> None:
        """Put the cursor on a file, once it is listed."""
        if self.listing is None or not self.list.move_to_key(name):
            self._wanted = name

    def reload(self) -> None:
        """Read the folder again; the cursor stays, and what is not as before is marked."""
        flat, folder = self._flat, self.folder
        self._listing.run(lambda _: iter([read_listing(flat, folder)]))

    def cancel(self) -> bool:
        """Stop reading; whether the folder was being read."""
        return self._listing.cancel()

    def seen(self, name: str) -> None:
        """Take the mark of a change away: somebody looked."""
        self._changed.discard(name)

    def sort_by(self, order: str) -> None:
        """Order by a column, or turn the order around when it is that one already."""
        self.is_reversed = order == self.order and not self.is_reversed
        self.order = order
        self._arrange()

    def sort_next(self) -> None:
        """Order by the next column."""
        names = list(ORDERS)
        self.order, self.is_reversed = names[(names.index(self.order) + 1) % len(names)], False
        self._arrange()

    def reverse(self) -> None:
        """Turn the order around."""
        self.is_reversed = not self.is_reversed
        self._arrange()

    # what comes in

    def _receive(self, listing: FlatListing) -> None:
        if self.listing is not None:
            known = {row.name: row.memory.version for row in self.listing.rows}
            self._changed |= {row.name for row in listing.rows if known.get(row.name) != row.memory.version}
        self.listing = listing
        self._arrange()
        self.post_message(self.Listed(listing))

    def _end(self, problem: Problem | None) -> None:
        if problem is None:
            self.status.clear()
        else:
            self.status.show_problem(problem, "f5 tries again")

    def _arrange(self) -> None:
        rows = self.listing.rows if self.listing else ()
        shown = [row for row in rows if matches(row, self.input.value)]
        shown.sort(key=ORDERS[self.order], reverse=self.is_reversed)
        self.list.empty = "no file matches" if rows else "no files here"
        self.list.show_sort(self.order, self.is_reversed)
        self.list.set_rows(shown, to_top=self._is_new)
        self._is_new = False
        if self._wanted is not None and self.list.move_to_key(self._wanted):
            self._wanted = None
        self._report()

    def _report(self) -> None:
        listing = self.listing
        if listing is None:
            return
        shown, total = len(self.list.rows), len(listing.rows)
        beyond = listing.count(Standing.BEYOND)
        files = f"{total:,} file{'' if total == 1 else 's'}"
        notes = [f"{shown:,} of {files}" if self.input.value else files]
        notes += [f"index {listing.count(Standing.INDEXED)}/{INDEX_CAP}"]
        notes += [f"{beyond:,} beyond"] if beyond else []
        notes += [INDEX_STATES[listing.index_state]] if INDEX_STATES[listing.index_state] else []
        self.title.right = Content("  ".join(notes))

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._arrange()

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Selected(self.list.current))

    @on(RowList.SortRequested)
    def _sort(self, event: RowList.SortRequested) -> None:
        event.stop()
        self.sort_by(event.column)

    # drawing

    def _draw(self, row: FlatRow) -> Look:
        memory, is_changed = row.memory, row.name in self._changed
        is_odd = bool(memory.marks & {Mark.NOT_TEXT, Mark.UNREADABLE})
        is_indexed = row.standing is Standing.INDEXED
        cells = {
            "name": Cell(row.name, "bad" if is_odd else "changed" if is_changed else "strong" if is_indexed else ""),
            "description": Cell(", ".join(sorted(memory.marks)), "bad") if is_odd else Cell(memory.description),
            "index": Cell(row.standing, "dim" if is_indexed else "warn"),
            "modified": Cell(moment(memory.modified, seconds=False), "dim"),
            "size": Cell(f"{memory.size:,}"),
        }
        return Look(cells, "!" if is_odd else "~" if is_changed else " ")

"""The files below a place: listed page by page, narrowed by what is typed, ordered by a column, marked as they change.

The pane holds rows, never bodies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang.core import FileEntry
from wenchang.paths import PathParts
from wenchang_tui.model.catalog import Catalog, FilePage, FileRow
from wenchang_tui.model.filtering import parse_filter, sort_rows
from wenchang_tui.model.lookalikes import lookalikes, told_apart
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.marks import Marks
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine

FIRST_PAGE, CAP = 200, 10_000
PAGE = 998
"""Rows that are read at once: what one request to Cloud Storage gives, with the row before and the one behind."""
_SOON = 0.1

COLUMNS = (
    Column("name", "name", 20),
    Column("place", "in", 24, rank=4, cut_start=True, sortable=False),
    Column("description", "description", least=24),
    Column("aliases", "aliases", 18, rank=5),
    Column("sources", "sources", 14, rank=6),
    Column("updated", "updated", 16, rank=2),
    Column("size", "bytes", 7, right=True, rank=1),
)
ORDERS = ("path", "name", "description", "aliases", "sources", "updated", "size")

Patch: TypeAlias = tuple[str, FileRow | None]


class FilterInput(LineInput):
    """Where a filter or a search is typed; Enter and Down go on to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TYPING)]

    @dataclass
    class Done(Message):
        """What was typed stays, and the list is wanted."""

    def action_to_list(self) -> None:
        """Go on to the list."""
        self.post_message(self.Done())


class FilesPane(Vertical):
    """A title, a filter that opens on demand, the list, and a line that says how much of it is shown."""

    DEFAULT_CSS = """
    FilesPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Selected(Message):
        """Another file is under the cursor, or none is."""

        key: str | None

    @dataclass
    class Listed(Message):
        """The first page of what lies below a place was listed, and is in sight."""

        prefix: str
        rows: tuple[FileRow, ...]

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self._catalog = catalog
        self._listing = Lane[FilePage](self, self._receive_page, self._end_listing)
        self._view = Lane[_View](self, self._receive_view)
        self._patches = Lane[list[Patch]](self, self._receive_patches)
        self._rows: dict[str, FileRow] = {}
        self._changed = Marks()
        self._stale: set[str] = set()
        self._cut: Sequence[FileEntry] = ()
        self._alike: frozenset[PathParts] = frozenset()
        self._next_after: str | None = None
        self._most = 0
        self._problem: Problem | None = None
        self._wanted: str | None = None
        self._is_new = False
        self._is_anew = False
        self._is_cut_short = False
        self.prefix = ""
        self.order, self.is_reversed = "path", False
        self.list = RowList[FileRow](COLUMNS, lambda row: row.key, self._draw, empty="no files here", id="files")
        self.input = FilterInput(placeholder="words, !not, by:SOURCE, since:3d, is:cut", id="filter")
        self.title = PaneTitle()
        self.title.track(self._listing, "loading")
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

    # what the screen asks for

    @property
    def can_load_more(self) -> bool:
        """Whether the listing was cut short."""
        return self._next_after is not None and not self._listing.busy

    @property
    def is_filtered(self) -> bool:
        """Whether anything is typed into the filter."""
        return bool(self.input.value)

    def show(self, prefix: str, key: str | None = None) -> None:
        """List what lies below `prefix`, with the cursor on `key` once it is there."""
        if prefix != self.prefix:
            self.list.marked.clear()
        self.prefix, self._wanted, self._is_new = prefix, key, True
        self._most = PAGE if self._catalog.is_far else CAP
        self.list.columns = tuple(column for column in COLUMNS if column.key != "place" or prefix.count("/") < 3)
        self._patches.cancel()
        self._stale.clear()
        self._start(None)
        self.set_timer(_SOON, lambda: self._empty_while_waiting(prefix))

    def _empty_while_waiting(self, prefix: str) -> None:
        """Rows of another place stay for a moment, so that nothing flickers, but never while one waits."""
        if self._is_new and prefix == self.prefix and self._listing.busy:
            self.list.set_rows([], to_top=True)
            self._report()

    def reload(self) -> None:
        """Read the listing again; cursor, filter and order stay."""
        self._wanted = self.list.current_key
        self._start(None)

    def load_more(self) -> None:
        """Go on with a listing that was cut short."""
        if self.can_load_more:
            self._most = len(self._rows) + CAP
            self._start(self._next_after)

    def cancel(self) -> bool:
        """Stop loading; whether anything was being loaded."""
        was_busy = self._listing.cancel()
        self._is_cut_short |= was_busy
        self._report()
        return was_busy

    def sort_by(self, order: str) -> None:
        """Order by a column, or turn the order around when it is that one already."""
        self.is_reversed = order == self.order and not self.is_reversed
        self.order = order
        self._refresh_view()

    def sort_next(self) -> None:
        """Order by the next column."""
        self.order, self.is_reversed = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)], False
        self._refresh_view()

    def reverse(self) -> None:
        """Turn the order around."""
        self.is_reversed = not self.is_reversed
        self._refresh_view()

    def show_changed(self, keys: frozenset[str]) -> None:
        """Mark changed files, and read their rows again."""
        self._changed.add(keys)
        below = {key for key in keys if key.startswith(self.prefix)}
        if below:
            self._stale |= below
            stale = sorted(self._stale)
            self._patches.run(lambda is_cancelled: self._read_patches(stale, is_cancelled))

    def show_cut(self, entries: Sequence[FileEntry]) -> None:
        """Know the files that the index leaves out."""
        self._cut = entries
        if self.is_filtered:
            self._refresh_view()

    def seen(self, key: str) -> None:
        """Take the mark of a change away: somebody looked."""
        self._changed.discard(key)

    # listing

    def _start(self, after: str | None) -> None:
        self._is_anew = after is None
        if self._is_new:
            self._rows = {}
        self._problem, self._is_cut_short = None, False
        reading = _Reading(self.prefix, after, self._wanted or "", 0 if after is None else len(self._rows), self._most)
        self._listing.run(lambda is_cancelled: self._read_pages(reading, is_cancelled))
        self._report()

    def _read_pages(self, reading: "_Reading", is_cancelled: IsCancelled) -> Iterator[FilePage]:
        after, read = reading.after, reading.shown
        size = PAGE if self._catalog.is_far else FIRST_PAGE
        while not is_cancelled():
            page = self._catalog.page(reading.prefix, after, size)
            yield page
            after, read, size = page.next_after, read + len(page.rows), PAGE
            most = CAP if after is not None and reading.wanted > after else reading.most
            if after is None or read >= most:
                return

    def _receive_page(self, page: FilePage) -> None:
        if self._is_anew:
            self._is_anew, self._rows = False, {}
            self.post_message(self.Listed(self.prefix, page.rows))
        self._rows.update((row.key, row) for row in page.rows)
        self._next_after = page.next_after
        self._refresh_view()

    def _end_listing(self, problem: Problem | None) -> None:
        self._problem = problem
        self._refresh_view()

    def _read_patches(self, keys: list[str], is_cancelled: IsCancelled) -> Iterator[list[Patch]]:
        patches: list[Patch] = []
        for key in keys:
            if is_cancelled():
                return
            rows = self._catalog.page(key, limit=1).rows
            patches.append((key, rows[0] if rows and rows[0].key == key else None))
        yield patches

    def _receive_patches(self, patches: list[Patch]) -> None:
        for key, row in patches:
            self._stale.discard(key)
            self._rows.pop(key, None)
            if row is not None:
                self._rows[key] = row
        self._refresh_view()

    # the view: filtered and ordered

    def _refresh_view(self) -> None:
        rows, text = list(self._rows.values()), self.input.value
        order, is_reversed, now, left_out = self.order, self.is_reversed, datetime.now(UTC), self._cut

        def arrange(_: IsCancelled) -> Iterator[_View]:
            chosen = parse_filter(text)
            cut = frozenset(entry.path for entry in left_out) if text else frozenset()
            kept = [row for row in rows if chosen.matches(row, now=now, cut=cut)]
            yield _View(_ordered(kept, order, is_reversed), lookalikes(row.parts for row in rows if row.parts))

        self._view.run(arrange)
        self.list.show_sort(order, is_reversed)

    def _receive_view(self, view: "_View") -> None:
        self._alike = view.alike
        self.list.set_rows(view.rows, to_top=self._is_new)
        self._is_new = False
        if self._wanted is not None and self.list.move_to_key(self._wanted):
            self._wanted = None
        self._report()

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._refresh_view()

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Selected(event.key))

    @on(RowList.SortRequested)
    def _sort(self, event: RowList.SortRequested) -> None:
        event.stop()
        self.sort_by(event.column)

    @on(RowList.MarksChanged)
    def _marks(self, event: RowList.MarksChanged) -> None:
        event.stop()
        self._report()

    # drawing

    def _report(self) -> None:
        shown, loaded = len(self.list.rows), len(self._rows)
        self.list.empty = self._why_empty(loaded)
        self.list.refresh()
        files = f"{loaded:,} file{'' if loaded == 1 else 's'}"
        notes = [f"{shown:,} of {files}" if self.is_filtered else files]
        problems = sum(row.problem is not None for row in self._rows.values())
        notes += [f"! {problems} unreadable"] if problems else []
        notes += [f"* {len(self.list.marked)} marked"] if self.list.marked else []
        notes += [f"by {self.order}{', reversed' if self.is_reversed else ''}"] if self.order != "path" else []
        notes += ["more: m loads them"] if self.can_load_more else []
        self.title.right = Content("  ".join(notes))
        error = parse_filter(self.input.value).error
        if self._problem is not None:
            self.status.show_problem(self._problem, "f5 tries again")
        elif error is not None:
            self.status.show_note(safe(error))
        else:
            self.status.clear()

    def _why_empty(self, loaded: int) -> str:
        if self._listing.busy:
            return "loading…"
        if loaded:
            return "no file matches"
        return "not read: f5 reads it" if self._is_cut_short or self._problem is not None else "no files here"

    def _draw(self, row: FileRow) -> Look:
        inner = row.key.removeprefix(self.prefix).removesuffix(".md")
        place, _, name = inner.rpartition("/")
        name = told_apart(name) if row.parts in self._alike else name
        changed = "changed" if row.key in self._changed else ""
        cells = {"place": Cell(place, changed or "dim"), "size": Cell(_size(row.size))}
        if row.metadata is None:
            return Look({**cells, "name": Cell(name, "bad"), "description": Cell(row.problem or "", "bad")}, "!")
        data = row.metadata
        cells |= {
            "name": Cell(name, changed or "strong"),
            "description": Cell(data.description),
            "aliases": Cell(", ".join(data.aliases), "dim"),
            "sources": Cell(", ".join(sorted(data.sources)), "dim"),
            "updated": Cell(moment(data.last_updated, seconds=False), "dim"),
        }
        return Look(cells, "~" if changed else " ", changed)


@dataclass(frozen=True, slots=True)
class _View:
    """The rows that are kept, in their order; and which files, of all, look like another one."""

    rows: list[FileRow]
    alike: frozenset[PathParts]


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is to be listed: below `prefix`, behind `after`, until `most` rows are shown, or a key that is wanted."""

    prefix: str
    after: str | None
    wanted: str
    shown: int
    most: int


def _size(size: int | None) -> str:
    """A size in bytes; of one too wide for the column, the thousands."""
    return "" if size is None else f"{size:,}" if size < 1_000_000 else f"{size // 1_000:,}k"


def _ordered(rows: list[FileRow], order: str, is_reversed: bool) -> list[FileRow]:
    if order == "path":
        return sorted(rows, key=lambda row: row.key, reverse=is_reversed)
    return sort_rows(rows, order, is_reversed)

"""What there is to curate: the files of `system/`, or of all areas, with unsaved texts first."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from wenchang.paths import is_valid_path, parse_path
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.desk import MAX_ROWS, Desk, DeskRow, collect_desk
from wenchang_tui.model.draft_keeper import DraftKeeper
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.awaited_list import AwaitedList
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.status_line import StatusLine

COLUMNS = (
    Column("name", "name", 22, sortable=False),
    Column("place", "in", 30, sortable=False, cut_start=True, rank=1),
    Column("description", "description", sortable=False, rank=3),
    Column("updated", "updated", 16, sortable=False, rank=4),
    Column("size", "bytes", 7, right=True, sortable=False, rank=5),
)


class DeskPane(Vertical):
    """The list. It reads listings, never bodies."""

    DEFAULT_CSS = """
    DeskPane { height: 1fr; }
    """

    @dataclass
    class Wanted(Message):
        """A file was chosen."""

        key: str

    @dataclass
    class Listed(Message):
        """The list is up to date."""

    def __init__(self, catalog: Catalog, drafts: DraftKeeper) -> None:
        super().__init__()
        self._catalog = catalog
        self._drafts = drafts
        self._listing = Lane[Desk](self, self._receive, self._end)
        self._places: tuple[str, ...] = ()
        self._is_known = False
        self._sought: str | None = None
        self.waiting: frozenset[str] = frozenset()
        """The keys of unsaved texts."""
        self.list = AwaitedList[DeskRow](COLUMNS, lambda row: row.key, _look, empty="…", marks=False, id="desk")
        self.title = PaneTitle()
        self.title.track(self._listing, "loading")
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, list, status."""
        yield self.title
        yield self.list
        yield self.status

    def show(self, places: tuple[str, ...], what: str, *, is_known: bool) -> None:
        """List what lies at these places; `what` is the name for all of it.

        Unless `is_known`, who is served is still being looked up, and other places will follow.
        """
        self._places, self._is_known = places, is_known
        self.title.left = Content(what)
        self.reload()

    def reload(self) -> None:
        """Read the listings again; the cursor stays on its row."""
        places = self._places

        def work(_: IsCancelled) -> Iterator[Desk]:
            yield collect_desk(self._catalog, places, self._drafts.all())

        self._listing.run(work)

    def point_at(self, key: str) -> None:
        """Put the cursor on a file, now or once it is listed."""
        self._sought = None if self.list.move_to_key(key) else key

    def concerns(self, keys: frozenset[str]) -> bool:
        """Whether any of these files would be listed."""
        return any(key.startswith(self._places) for key in keys)

    def cancel(self) -> bool:
        """Stop loading; whether anything was being loaded."""
        self.list.forget()
        return self._listing.cancel()

    def _receive(self, desk: Desk) -> None:
        self.status.clear()
        nobody = "nobody is served yet: 4, then i, asks whose memory it is"
        if self._is_known:
            self.list.empty = "nothing here yet: ^n makes a file" if self._places else nobody
        (self.list.now_read if self._is_known else self.list.set_rows)(desk.rows)
        if self._sought is not None:
            self.point_at(self._sought)
        self.waiting = frozenset(row.key for row in desk.rows if row.draft_at is not None)
        drafts = len(self.waiting)
        count = sum(row.row is not None for row in desk.rows)
        files = f"{count:,} file{'' if count == 1 else 's'}"
        more = f", the first {MAX_ROWS:,} of more: Browse lists all" if desk.is_cut else ""
        self.title.right = Content(f"{f'{drafts} not saved  ' if drafts else ''}{files}{more}")
        self.post_message(self.Listed())

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self.list.forget()
            self.status.show_problem(problem, "f5 tries again")

    @on(RowList.Chosen)
    def _choose(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Wanted(event.key))


def _look(desk_row: DeskRow) -> Look:
    row = desk_row.row
    place, _, name = desk_row.key.removesuffix(".md").rpartition("/")
    if is_valid_path(desk_row.key):
        parts = parse_path(desk_row.key)
        place, name = f"{parts.scope}/{parts.entity_id}/{parts.area}", parts.name
    cells = {"name": Cell(name, "strong"), "place": Cell(place, "dim")}
    if desk_row.draft_at is not None:
        what = "not saved" if row is not None else "new, not saved"
        cells["description"] = Cell(f"{what}, typed {moment(desk_row.draft_at, seconds=False)} UTC", "changed")
        return Look({**cells, "name": Cell(name, "changed")}, "*")
    if row is None or row.metadata is None:
        cells["description"] = Cell((row and row.problem) or "", "bad")
        return Look(cells, "!")
    cells["description"] = Cell(row.metadata.description)
    cells["updated"] = Cell(moment(row.metadata.last_updated, seconds=False), "dim")
    cells["size"] = Cell("" if row.size is None else f"{row.size:,}", "dim")
    return Look(cells)

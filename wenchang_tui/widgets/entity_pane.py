"""All entities of a store, narrowed by what is typed. They are read level by level, never object by object."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.folding import find_folded, fold
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.status_line import StatusLine

CAP = 20_000


class EntityPane(Vertical):
    """A title, a filter that opens on demand, and the entities as `SCOPE/ENTITY`."""

    DEFAULT_CSS = """
    EntityPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Selected(Message):
        """Another entity is under the cursor, or none is."""

        entity: str | None

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self._catalog = catalog
        self._listing = Lane[tuple[str, ...]](self, self._receive, self._end)
        self._entities: list[str] = []
        self._wanted: str | None = None
        self._is_cut = False
        self.list = RowList[str](
            (Column("name", "", cut_start=True),), str, _draw, header=False, marks=False, id="entities"
        )
        self.input = FilterInput(placeholder="part of a name", id="entity-filter")
        self.title = PaneTitle("entities")
        self.title.track(self._listing, "loading")
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, filter, list."""
        yield self.title
        yield self.input
        yield self.list
        yield self.status

    def on_mount(self) -> None:
        """The filter opens when it is asked for."""
        self.input.display = False
        self.reload()

    def select(self, entity: str) -> None:
        """Put the cursor on an entity, now or once it is listed."""
        if not self.list.move_to_key(entity):
            self._wanted = entity

    def reload(self) -> None:
        """Read the names anew; the cursor stays."""
        self._wanted = self._wanted or self.list.current_key
        self._entities = []
        catalog = self._catalog

        def work(is_cancelled: IsCancelled) -> Iterator[tuple[str, ...]]:
            for scope in catalog.scopes():
                after: str | None = None
                while not is_cancelled():
                    page = catalog.names(f"{scope}/", after)
                    yield tuple(f"{scope}/{name}" for name in page.names)
                    after = page.next_after
                    if after is None:
                        break

        self._listing.run(work)

    def close_filter(self) -> None:
        """Show all again."""
        self.input.value = ""
        self.input.display = False

    def cancel(self) -> bool:
        """Stop reading; whether names were being read."""
        return self._listing.cancel()

    def _receive(self, entities: tuple[str, ...]) -> None:
        self._entities += entities
        self._is_cut = len(self._entities) > CAP
        if self._is_cut:
            del self._entities[CAP:]
            self._listing.cancel()
        self._show()

    def _end(self, problem: Problem | None) -> None:
        self._show()
        if problem is not None:
            self.status.show_problem(problem, "f5 tries again")
        else:
            self.status.clear()

    def _show(self) -> None:
        needle = fold(self.input.value.strip())
        rows = [name for name in self._entities if not needle or find_folded(needle, name)]
        self.list.empty = "loading…" if self._listing.busy else "no entity matches" if needle else "nothing is stored"
        self.list.set_rows(rows)
        if self._wanted is not None and self.list.move_to_key(self._wanted):
            self._wanted = None
        number = f"{len(rows):,} of {len(self._entities):,}" if needle else f"{len(rows):,}"
        self.title.right = Content(f"the first {number}" if self._is_cut else number)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Selected(event.key))


def _draw(entity: str) -> Look:
    return Look({"name": Cell(entity)})

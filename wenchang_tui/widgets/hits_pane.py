"""What a search of the bodies finds, line by line, as it is found."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang_tui.model.body_search import MAX_HITS, BodyHit, Unreadable, search_bodies
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine

_BATCH = 50
_BATCH_SECONDS = 0.2
_BEFORE_MATCH = 12

Found: TypeAlias = BodyHit | Unreadable


class HitsPane(Vertical):
    """An input, and the lines that hold what is typed there. `prefix` is where it searches."""

    DEFAULT_CSS = """
    HitsPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Selected(Message):
        """Another line is under the cursor."""

        key: str
        hit: BodyHit | None

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self._catalog = catalog
        self._search = Lane[list[Found]](self, self._receive, self._end)
        self._found: list[Found] = []
        self.prefix = ""
        columns = (
            Column("key", "file", 20, cut_start=True, sortable=False),
            Column("line", "line", 5, right=True, rank=1, sortable=False),
            Column("text", "text", sortable=False),
        )
        self.list = RowList[Found](columns, hit_key, self._draw, empty="nothing found", marks=False, id="hits")
        self.input = FilterInput(placeholder="text to look for in the bodies", id="needle")
        self.title = PaneTitle()
        self.title.track(self._search, "searching")
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, input, list, status."""
        yield self.title
        yield self.input
        yield self.list
        yield self.status

    def look_in(self, prefix: str) -> None:
        """Search below `prefix` from now on."""
        self.prefix = prefix
        self.title.left = Content("search in ") + safe(prefix.removesuffix("/") or "the whole store")
        self._start()

    def cancel(self) -> bool:
        """Stop searching; whether a search was under way."""
        was_busy = self._search.cancel()
        self._report()
        return was_busy

    def announce(self) -> None:
        """Say what is under the cursor."""
        found = self.list.current
        if found is not None:
            self.post_message(self.Selected(found.key, found if isinstance(found, BodyHit) else None))

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.announce()

    @on(Input.Changed)
    def _retype(self, event: Input.Changed) -> None:
        event.stop()
        self._start()

    def _start(self) -> None:
        prefix, needle = self.prefix, self.input.value
        self._found = []
        self.list.set_rows([], to_top=True)
        self._search.run(lambda is_cancelled: _batches(self._catalog, prefix, needle, is_cancelled))
        self._report()

    def _receive(self, found: list[Found]) -> None:
        self._found = self._found + found
        self.list.set_rows(self._found)
        self._report()

    def _end(self, problem: Problem | None) -> None:
        self._report()
        if problem is not None:
            self.status.show_problem(problem)

    def _report(self) -> None:
        hits = sum(isinstance(found, BodyHit) for found in self._found)
        full = f", the first {MAX_HITS:,} only: search a smaller place" if hits >= MAX_HITS else ""
        self.title.right = Content(f"{hits:,} lines{full}")
        self.list.empty = "nothing found" if self.input.value.strip() else "type what to look for"
        self.status.clear()

    def _draw(self, found: Found) -> Look:
        key = Cell(found.key.removeprefix(self.prefix).removesuffix(".md"), "strong")
        if isinstance(found, Unreadable):
            return Look({"key": key, "text": Cell(found.problem, "bad")}, "!")
        start = max(0, found.start - _BEFORE_MATCH)
        text = ("…" if start else "") + found.line[start:]
        return Look({"key": key, "line": Cell(str(found.line_number), "dim"), "text": Cell(text)})


def hit_key(found: Found) -> str:
    """A name for a hit that stays while results come in."""
    return f"{found.key}\0{found.line_number if isinstance(found, BodyHit) else ''}"


def _batches(catalog: Catalog, prefix: str, needle: str, is_cancelled: IsCancelled) -> Iterator[list[Found]]:
    """The hits as they come, several at a time where they come quickly."""
    batch: list[Found] = []
    sent = monotonic()
    for found in search_bodies(catalog, prefix, needle, is_cancelled=is_cancelled):
        batch.append(found)
        if len(batch) == _BATCH or monotonic() - sent > _BATCH_SECONDS:
            yield batch
            batch, sent = [], monotonic()
    yield batch

"""The entries of an index in their order, with what each costs, and the line where the cut falls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wenchang_tui.model.budget import Budget, BudgetRow
from wenchang_tui.model.derived import Derived
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

COLUMNS = (
    Column("number", "#", 4, right=True, rank=3, sortable=False),
    Column("in", "", 3, sortable=False),
    Column("scope", "scope", 12, sortable=False),
    Column("area", "area", 14, sortable=False),
    Column("name", "name", sortable=False),
    Column("description", "description", rank=4, sortable=False),
    Column("bytes", "bytes", 6, right=True, sortable=False),
    Column("running", "running", 9, right=True, sortable=False),
    Column("updated", "updated", 16, rank=2, sortable=False),
)
CUT_KEY = "\0cut"


@dataclass(frozen=True, slots=True)
class Cut:
    """The line behind which nothing is sent."""

    limit: int
    files: int


IndexLine: TypeAlias = BudgetRow | Cut


class IndexList(RowList[IndexLine]):
    """Rows of a budget; the cut is a row of its own."""

    def __init__(self) -> None:
        super().__init__(
            COLUMNS,
            line_key,
            draw_line,
            empty="no entries: no file is stored for this identity",
            marks=False,
            id="entries",
        )

    def show(self, budget: Budget) -> None:
        """Show these entries; the cursor stays on its entry."""
        self.set_rows(_lines(budget))


def line_key(line: IndexLine) -> str:
    """The path of an entry, or the key of the cut."""
    return CUT_KEY if isinstance(line, Cut) else line.entry.path


def _lines(budget: Budget) -> Sequence[IndexLine]:
    rows, at_cut = budget.rows, budget.included
    left_out = len(rows) - at_cut
    if not left_out:
        return rows

    def line(place: int) -> IndexLine:
        return Cut(budget.limit, left_out) if place == at_cut else rows[place - (place > at_cut)]

    return Derived(len(rows) + 1, line)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def draw_line(line: IndexLine) -> Look:
    """One line."""
    if isinstance(line, Cut):
        below = f"{line.files:,} below {_are(line.files)} not sent"
        return Look({}, "─", "rule", f"── cut at {line.limit:,} bytes: {below}, L tries another limit ──")
    parts, tone = line.parts, "" if line.included else "dim"
    cells = {
        "number": Cell(f"{line.number:,}", "dim"),
        "in": Cell("in" if line.included else "cut", "good" if line.included else "bad"),
        "scope": Cell(parts.scope),
        "area": Cell(parts.area),
        "name": Cell(parts.name, "strong" if line.included else ""),
        "description": Cell(line.entry.metadata.description, "dim"),
        "bytes": Cell(f"{line.bytes:,}"),
        "running": Cell(f"{line.running:,}", "" if line.included else "bad"),
        "updated": Cell(moment(line.entry.metadata.last_updated, seconds=False), "dim"),
    }
    return Look(cells, " ", tone)

"""The entries of an index in their order, with what each costs, and the line where the cut falls."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from wenchang_tui.model.budget import Budget, BudgetRow
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


@dataclass(frozen=True, slots=True)
class Numbered:
    """An entry and its place in the order, counted from 1."""

    number: int
    row: BudgetRow


IndexLine: TypeAlias = Numbered | Cut


class IndexList(RowList[IndexLine]):
    """Rows of a budget; the cut is a row of its own."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, line_key, draw_line, empty="no entries", marks=False, id="entries")

    def show(self, budget: Budget) -> None:
        """Show these entries; the cursor stays on its entry."""
        self.set_rows(list(_lines(budget)))


def line_key(line: IndexLine) -> str:
    """The path of an entry, or the key of the cut."""
    return CUT_KEY if isinstance(line, Cut) else line.row.entry.path


def _lines(budget: Budget) -> Iterator[IndexLine]:
    included = sum(row.included for row in budget.rows)
    for number, row in enumerate(budget.rows, start=1):
        if number == included + 1:
            yield Cut(budget.limit, len(budget.rows) - included)
        yield Numbered(number, row)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def draw_line(line: IndexLine) -> Look:
    """One row."""
    if isinstance(line, Cut):
        text = f"──── cut at {line.limit:,} bytes: {line.files:,} below {_are(line.files)} not sent ────"
        return Look({}, "-", "rule", text)
    row = line.row
    tone = "" if row.included else "dim"
    cells = {
        "number": Cell(f"{line.number:,}", "dim"),
        "in": Cell("in" if row.included else "cut", "good" if row.included else "bad"),
        "scope": Cell(row.parts.scope),
        "area": Cell(row.parts.area),
        "name": Cell(row.parts.name, "strong" if row.included else ""),
        "description": Cell(row.entry.metadata.description, "dim"),
        "bytes": Cell(f"{row.bytes:,}"),
        "running": Cell(f"{row.running:,}", "" if row.included else "bad"),
        "updated": Cell(moment(row.entry.metadata.last_updated, seconds=False), "dim"),
    }
    return Look(cells, " ", tone)

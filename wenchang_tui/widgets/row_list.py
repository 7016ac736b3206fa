"""A list of any length that draws only the lines in sight: rows with columns, a cursor, marks and a sortable header.

It knows its rows by key: when they are replaced, cursor and scroll stay with the row they were on. What a row looks
like is asked for when it is drawn, so a hundred thousand rows cost no more than ten.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.safe_text import fit, safe_line, shorten_start

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `width` in cells, or `None` to share what is left.

    `rank` says which column goes first when room is short, 0 that it stays; room is short when one that
    shares would get less than its `least`. Of a text too long, `cut_start` keeps the end.
    """

    key: str
    title: str
    width: int | None = None
    right: bool = False
    rank: int = 0
    sortable: bool = True
    cut_start: bool = False
    least: int = 12


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a column: stored text, made safe when drawn; a `note` follows where there is room."""

    text: str
    tone: str = ""
    note: str = ""
    note_tone: str = "dim"


@dataclass(frozen=True, slots=True)
class Look:
    """How a row is drawn: its cells by column, a one-letter `flag` before them, and the tone of the whole row.

    A `line` takes the whole row in place of cells; its last character goes on to the edge.
    """

    cells: Mapping[str, Cell]
    flag: str = " "
    tone: str = ""
    line: str = ""


_NO_CELL = Cell("")


class RowList(ScrollView, Generic[T], can_focus=True):
    """Rows of `T`; `key` names a row for good, `look` says how it is drawn."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--header",
        "row-list--cursor",
        "row-list--sorted",
        "row-list--dim",
        "row-list--strong",
        "row-list--good",
        "row-list--warn",
        "row-list--bad",
        "row-list--accent",
        "row-list--changed",
        "row-list--rule",
    }
    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        background: $surface;
        color: $foreground;
        scrollbar-size: 0 1;
        overflow-x: hidden;
        & > .row-list--header { color: $text-muted; text-style: bold; background: $panel; }
        & > .row-list--sorted { color: $primary; text-style: bold; background: $panel; }
        & > .row-list--cursor { background: $primary-muted; }
        & > .row-list--dim { color: $text-muted; }
        & > .row-list--strong { text-style: bold; }
        & > .row-list--good { color: $success; }
        & > .row-list--warn { color: $warning; }
        & > .row-list--bad { color: $error; }
        & > .row-list--accent { color: $primary; }
        & > .row-list--changed { color: $accent; text-style: bold; }
        & > .row-list--rule { color: $error; text-style: bold; }
        &:focus > .row-list--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    RowList:ansi > .row-list--cursor { background: ansi_bright_black; }
    RowList:nocolor > .row-list--cursor { text-style: underline; }
    RowList:nocolor > .row-list--bad { text-style: bold; }
    RowList:ansi:focus > .row-list--cursor, RowList:nocolor:focus > .row-list--cursor {
        background: ansi_default;
        color: ansi_default;
        text-style: reverse;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.LIST)]

    cursor: reactive[int] = reactive(0, repaint=False, init=False)

    @dataclass
    class Happened(Message):
        """Something happened in a list; the selectors of `@on` match that list."""

        row_list: "RowList[Any]"

        @property
        def control(self) -> "RowList[Any]":
            """The list it happened in."""
            return self.row_list

    @dataclass
    class Highlighted(Happened):
        """The cursor came to stand on another row; `key` is `None` in an empty list."""

        key: str | None

    @dataclass
    class Chosen(Happened):
        """Enter, or a second click, on a row."""

        key: str

    @dataclass
    class SortRequested(Happened):
        """A click on the head of a sortable column."""

        column: str

    @dataclass
    class MarksChanged(Happened):
        """Rows were marked or unmarked."""

    def __init__(
        self,
        columns: Sequence[Column],
        key: Callable[[T], str],
        look: Callable[[T], Look],
        *,
        empty: str = "nothing here",
        header: bool = True,
        marks: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.rows: Sequence[T] = ()
        self.marked: set[str] = set()
        self.sorted_by: tuple[str, bool] | None = None
        self.empty = empty
        self._key = key
        self._look = look
        self._header = int(header)
        self._gutter = 2 if marks else 1
        self._said: str | None = None

    # what others ask and tell it

    @property
    def current(self) -> T | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def current_key(self) -> str | None:
        """The key of the row under the cursor."""
        row = self.current
        return None if row is None else self._key(row)

    def set_rows(self, rows: Sequence[T], *, to_top: bool = False) -> None:
        """Replace all rows. The cursor stays on its row, and that row on its line, unless `to_top`."""
        key, offset = self.current_key, self.cursor - self.scroll_offset.y
        self.rows = rows
        at = 0 if to_top else self._find(key, self.cursor)
        self.virtual_size = Size(0, len(rows) + self._header)
        self.marked &= {self._key(row) for row in rows} if self.marked else set()
        self.set_reactive(RowList.cursor, at)
        self.scroll_to(y=0 if to_top else max(0, at - offset), animate=False, immediate=True, force=True)
        self._announce()
        self.refresh()

    def move_to_key(self, key: str) -> bool:
        """Put the cursor on the row of that key; whether there is one."""
        at = self._find(key, -1)
        if at >= 0:
            self.cursor = at
        return at >= 0

    def show_sort(self, column: str, reverse: bool) -> None:
        """Mark the head of the column that the rows are sorted by."""
        self.sorted_by = (column, reverse)
        self.refresh()

    def _find(self, key: str | None, otherwise: int) -> int:
        nearest = min(otherwise, max(0, len(self.rows) - 1))
        if key is None or (0 <= otherwise < len(self.rows) and self._key(self.rows[otherwise]) == key):
            return nearest
        return next((at for at, row in enumerate(self.rows) if self._key(row) == key), nearest)

    # the cursor

    def validate_cursor(self, cursor: int) -> int:
        """Within the rows."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, before: int, now: int) -> None:
        """Keep the cursor in sight and tell who listens. As long as nothing scrolls, two lines are drawn anew."""
        top = self.scroll_offset.y
        self._scroll_to_cursor()
        self._announce()
        if self.scroll_offset.y == top:
            self.refresh_line(before + self._header)
            self.refresh_line(now + self._header)
        else:
            self.refresh()

    def _announce(self) -> None:
        """Say where the cursor is, once, and never again before it is on another row."""
        key = self.current_key
        if key != self._said or key is None:
            self._said = key
            self.post_message(self.Highlighted(self, key))

    def _scroll_to_cursor(self) -> None:
        room = max(1, self.size.height - self._header)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, immediate=True, force=True)
        elif self.cursor >= top + room:
            self.scroll_to(y=self.cursor - room + 1, animate=False, immediate=True, force=True)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._scroll_to_cursor()

    def action_cursor(self, step: int) -> None:
        """One line up or down."""
        self.cursor += step

    def action_page(self, direction: int) -> None:
        """One page up or down."""
        self.cursor += direction * max(1, self.size.height - self._header - 1)

    def action_edge(self, direction: int) -> None:
        """To the first or the last row."""
        self.cursor = 0 if direction < 0 else len(self.rows) - 1

    def action_mark(self) -> None:
        """Mark or unmark the row, and go on to the next."""
        key = self.current_key if self._gutter > 1 else None
        if key is not None:
            self.marked ^= {key}
            self.post_message(self.MarksChanged(self))
            self.cursor += 1
            self.refresh()

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        key = self.current_key
        if key is not None:
            self.post_message(self.Chosen(self, key))

    # the mouse

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a second one chooses; on the head it sorts."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self._header:
            self._click_header(offset.x)
            return
        at = offset.y - self._header + self.scroll_offset.y
        if at < len(self.rows):
            self.cursor = at
            self.clicked(offset.x, event.chain)

    def clicked(self, x: int, chain: int) -> None:  # noqa: ARG002
        """The row under the cursor was clicked at cell `x`, for the `chain`-th time in a row."""
        if chain > 1:
            self.action_choose()

    def _click_header(self, x: int) -> None:
        left = self._gutter
        for column, width in self._layout():
            if left <= x <= left + width and column.sortable:
                self.post_message(self.SortRequested(self, column.key))
            left += width + 1

    # drawing

    def _layout(self) -> list[tuple[Column, int]]:
        """The columns that fit, each with its width in cells."""
        room = self.scrollable_content_region.width - self._gutter - 1
        shown = list(self.columns)
        while sum((column.width or column.least) + 1 for column in shown) - 1 > room:
            goes = max(shown, key=lambda column: column.rank)
            if not goes.rank:
                break
            shown.remove(goes)
        fixed = sum(column.width or 0 for column in shown) + len(shown) - 1
        flexible = [column for column in shown if column.width is None]
        share, rest = divmod(max(0, room - fixed), len(flexible) or 1)
        widths = [
            (column, column.width if column.width is not None else share + (column is flexible[0]) * rest)
            for column in shown
        ]
        return [(column, max(0, width)) for column, width in widths]

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the head, a row, or nothing."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        if y < self._header:
            return self._header_line().adjust_cell_length(width, self._tone("header", base))
        at = y - self._header + self.scroll_offset.y
        if at < len(self.rows):
            return self._row_line(at, base, width)
        text = f"  {self.empty}" if not self.rows and at == 0 else ""
        return Strip([Segment(fit(text, width), self._tone("dim", base))])

    def _header_line(self) -> Strip:
        base = self.rich_style
        segments = [Segment(" " * self._gutter, self._tone("header", base))]
        for column, width in self._layout():
            is_sorted = self.sorted_by is not None and self.sorted_by[0] == column.key
            arrow = (" ▾" if self.sorted_by and self.sorted_by[1] else " ▴") if is_sorted else ""
            title = fit(column.title + arrow, width, right=column.right)
            segments.append(Segment(title + " ", self._tone("sorted" if is_sorted else "header", base)))
        return Strip(segments)

    def _row_line(self, at: int, base: Style, width: int) -> Strip:
        row = self.rows[at]
        look = self._look(row)
        style = self._tone(look.tone, base)
        mark = "*" if self._key(row) in self.marked else " "
        segments = [Segment((mark + look.flag)[-self._gutter :], style)]
        if look.line:
            segments.append(Segment(_drawn_out(look.line, width - self._gutter), style))
        for column, cell_width in () if look.line else self._layout():
            cell = look.cells.get(column.key, _NO_CELL)
            segments += [*self._cell(cell, column, cell_width, style), Segment(" ", style)]
        if at == self.cursor:
            cursor = self._cursor_style()
            segments, style = list(Segment.apply_style(segments, post_style=cursor)), style + cursor
        return Strip(segments).adjust_cell_length(width, style)

    def _cell(self, cell: Cell, column: Column, width: int, style: Style) -> Iterator[Segment]:
        used = min(width, cell_len(safe_line(cell.text)) + 1) if cell.note else width
        text = shorten_start(cell.text, used) if column.cut_start else cell.text
        yield Segment(fit(text, used, right=column.right), self._tone(cell.tone, style))
        if used < width:
            yield Segment(fit(cell.note, width - used), self._tone(cell.note_tone, style))

    def _tone(self, name: str, base: Style) -> Style:
        return base + self.get_component_rich_style(f"row-list--{name}") if name else base

    def _cursor_style(self) -> Style:
        """Without the focus, the cursor leaves the tones of its row alone."""
        style = self.get_component_rich_style("row-list--cursor")
        return style if self.has_focus else style.without_color + Style(bgcolor=style.bgcolor)


def _drawn_out(line: str, width: int) -> str:
    """`line` in exactly `width` cells, its last character repeated."""
    return fit(line + line[-1] * (width - cell_len(line)), width)

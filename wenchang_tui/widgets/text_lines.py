"""Text of any size, drawn line by line: wrapped where that is quick, one line a row where it is not.

Only what is in sight is made safe, wrapped or styled, unless the text is small enough to wrap as a whole.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.safe_text import safe_block

WRAP_LIMIT = 128 * 1024
LINE_LIMIT = 4_000


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line: a `lead` (a label, a field's name) and stored text after it, which wraps below itself.

    `found` is a part of `text` to point at.
    """

    text: str
    tone: str = ""
    lead: str = ""
    lead_tone: str = ""
    found: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row on the screen: characters `start` to `end` of the safe text of line number `line`."""

    line: int
    start: int
    end: int


class TextLines(ScrollView, can_focus=True):
    """A head of a few lines, and a body of any number, each drawn by what `show` was given."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "text--dim",
        "text--strong",
        "text--bad",
        "text--warn",
        "text--rule",
        "text--found",
        "text--stated",
        "text--observed",
        "text--inferred",
        "text--system",
    }
    DEFAULT_CSS = """
    TextLines {
        height: 1fr;
        background: $surface;
        color: $foreground;
        scrollbar-size: 1 1;
        padding: 0 0 0 1;
        & > .text--dim { color: $text-muted; }
        & > .text--strong { text-style: bold; }
        & > .text--bad { color: $error; text-style: bold; }
        & > .text--warn { color: $warning; }
        & > .text--rule { color: $foreground 25%; }
        & > .text--found { background: $warning; color: $background; text-style: bold; }
        & > .text--stated { color: $success; text-style: bold; }
        & > .text--observed { color: $secondary; text-style: bold; }
        & > .text--inferred { color: $warning; text-style: bold; }
        & > .text--system { color: $accent; text-style: bold; }
    }
    TextLines:nocolor > .text--found, TextLines:ansi > .text--found { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TEXT)]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._head: Sequence[TextLine] = ()
        self._body: Sequence[str] = ()
        self._draw: Callable[[str], TextLine] = TextLine
        self._rows: list[Row] | None = None
        self._found: tuple[int, int, int] | None = None
        self._found_at_scroll = 0
        self._is_small = True
        self._wants_wrap = True

    def show(
        self,
        head: Sequence[TextLine],
        body: Sequence[str] = (),
        draw: Callable[[str], TextLine] = TextLine,
        *,
        keep_scroll: bool = False,
    ) -> None:
        """Show these lines instead; `draw` turns a line of the body into what is drawn."""
        self._head, self._body, self._draw = head, body, draw
        self._is_small = sum(len(line) for line in body[:WRAP_LIMIT]) <= WRAP_LIMIT and len(body) <= WRAP_LIMIT // 8
        self._found = None
        self._arrange()
        if not keep_scroll:
            self.scroll_to(0, 0, animate=False, immediate=True, force=True)

    def point_at(self, number: int, start: int, end: int) -> None:
        """Point at a part of line `number` of the body, counted from 1, and bring it in sight."""
        self._found = (len(self._head) + number - 1, start, end)
        self._bring_in_sight(self._found[0])
        self.refresh()

    def _bring_in_sight(self, line: int) -> None:
        row = next((at for at, row in enumerate(self._rows or ()) if row.line >= line), line)
        self.scroll_to(0, max(0, row - self.size.height // 3), animate=False, immediate=True, force=True)
        self._found_at_scroll = self.scroll_offset.y

    @property
    def is_wrapped(self) -> bool:
        """Whether long lines go on in the next row."""
        return self._wants_wrap and self._is_small

    # arranging

    def _arrange(self) -> None:
        width = self.scrollable_content_region.width - 1  # what is wrapped stands off the edge on either side
        count = len(self._head) + len(self._body)
        self.styles.scrollbar_size_horizontal = 0 if self.is_wrapped else 1
        if self.is_wrapped:
            self._rows = [row for at in range(count) for row in self._wrap(at, max(8, width))]
            self.virtual_size = Size(0, len(self._rows))
        else:
            self._rows = None
            longest = max((len(line) for line in self._body), default=0)
            self.virtual_size = Size(min(LINE_LIMIT, longest * 2) + 40, count)
        self.refresh()

    def _wrap(self, at: int, width: int) -> Iterator[Row]:
        line = self._line(at)
        room = max(4, width - cell_len(line.lead))
        for start, end in wrap_cells(safe_block(line.text), room):
            yield Row(at, start, end)

    def _line(self, at: int) -> TextLine:
        if at < len(self._head):
            return self._head[at]
        line = self._draw(self._body[at - len(self._head)])
        if self._found is not None and self._found[0] == at:
            skipped = len(self._body[at - len(self._head)]) - len(line.text)
            return replace(line, found=(max(0, self._found[1] - skipped), max(0, self._found[2] - skipped)))
        return line

    def on_resize(self) -> None:
        """Wrap to the new width; what was pointed at stays in its place, unless one has scrolled away from it."""
        self._arrange()
        if self._found is not None and self.scroll_offset.y == self._found_at_scroll:
            self._bring_in_sight(self._found[0])

    # drawing

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        scroll_x, scroll_y = self.scroll_offset
        at = y + scroll_y
        width = self.scrollable_content_region.width
        rows = self._rows
        count = len(self._head) + len(self._body) if rows is None else len(rows)
        if at >= count:
            return Strip.blank(width, self.rich_style)
        strip = self._row_strip(Row(at, 0, LINE_LIMIT) if rows is None else rows[at], at)
        shown = strip.crop(scroll_x, scroll_x + width).adjust_cell_length(width, self.rich_style)
        return shown.apply_offsets(scroll_x, at)

    def _row_strip(self, row: Row, at: int) -> Strip:
        base = self.rich_style
        line = self._line(row.line)
        text = safe_block(line.text[:LINE_LIMIT]) if self._rows is None else safe_block(line.text)
        lead = line.lead if row.start == 0 else " " * cell_len(line.lead)
        segments = [Segment(lead, self._tone(line.lead_tone, base))] if lead else []
        segments += self._text_segments(line, text, row, self._tone(line.tone, base))
        if self._rows is None and len(line.text) > LINE_LIMIT:
            segments.append(Segment(f" … {len(line.text) - LINE_LIMIT:,} more characters", self._tone("dim", base)))
        return self._with_selection(Strip(segments), at)

    def _text_segments(self, line: TextLine, text: str, row: Row, style: Style) -> Iterator[Segment]:
        end = min(row.end, len(text))
        if line.found is None:
            yield Segment(text[row.start : end], style)
            return
        found = [len(safe_block(line.text[:edge])) for edge in line.found]
        left, right = (min(end, max(row.start, edge)) for edge in found)
        yield Segment(text[row.start : left], style)
        yield Segment(text[left:right], self._tone("found", style))
        yield Segment(text[right:end], style)

    def _tone(self, name: str, base: Style) -> Style:
        return base + self.get_component_rich_style(f"text--{name}") if name else base

    # selecting with the mouse

    def _with_selection(self, strip: Strip, at: int) -> Strip:
        span = self.text_selection.get_span(at) if self.text_selection is not None else None
        if span is None:
            return strip
        start, end = span
        text = strip.text
        edges = [cell_len(text[:start]), cell_len(text if end < 0 else text[:end])]
        before, middle, after = strip.crop(0, edges[0]), strip.crop(*edges), strip.crop(edges[1])
        style = self.screen.get_component_rich_style("screen--selection")
        chosen = Strip(Segment.apply_style(middle, post_style=style))
        return Strip.join([before, chosen, after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, as it is drawn."""
        count = len(self._head) + len(self._body)
        rows = self._rows if self._rows is not None else [Row(at, 0, LINE_LIMIT) for at in range(count)]
        return selection.extract("\n".join(self._row_text(row) for row in rows)), "\n"

    def _row_text(self, row: Row) -> str:
        line = self._line(row.line)
        lead = line.lead if row.start == 0 else " " * cell_len(line.lead)
        return lead + safe_block(line.text)[row.start : row.end]

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        """Draw the selection."""
        self.refresh()

    # keys

    def action_scroll(self, step: int) -> None:
        """Up or down by rows."""
        self.scroll_relative(y=step, animate=False, immediate=True, force=True)

    def action_sideways(self, step: int) -> None:
        """Left or right by cells, where lines are not wrapped."""
        self.scroll_relative(x=step, animate=False, immediate=True, force=True)

    def action_page(self, direction: int) -> None:
        """Up or down by pages."""
        self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False, immediate=True, force=True)

    def action_edge(self, direction: int) -> None:
        """To the top or the bottom."""
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False, immediate=True, force=True)

    def action_wrap(self) -> None:
        """Wrap long lines, or stop doing so; a text too large to wrap quickly can be wrapped all the same."""
        self._wants_wrap, self._is_small = not self.is_wrapped, True
        self._arrange()


def wrap_cells(text: str, width: int) -> Iterator[tuple[int, int]]:
    """The spans of `text` that fit in `width` cells each, broken at spaces where there are any."""
    if not text:
        yield 0, 0
        return
    ends = None if text.isascii() else _grapheme_ends(text)
    start = 0
    while start < len(text):
        end = min(len(text), start + width) if ends is None else _end_in_cells(ends, start, width)
        if end < len(text):
            space = _last_space(text, ends, start + 1, end)
            end = space if space > start else end
        yield start, end
        start = end + (end < len(text) and _last_space(text, ends, end, end) == end)


def _last_space(text: str, graphemes: dict[int, tuple[int, int]] | None, first: int, last: int) -> int:
    """Where the last space is that carries no mark and is joined to nothing, -1 if nowhere; others hold no break."""
    at = text.rfind(" ", first, last + 1)
    while at >= 0 and graphemes is not None and graphemes.get(at, (at, 0))[0] != at + 1:
        at = text.rfind(" ", first, at)
    return at


def _grapheme_ends(text: str) -> dict[int, tuple[int, int]]:
    """For the start of each grapheme, its end and the cells it takes."""
    return {start: (end, cells) for start, end, cells in split_graphemes(text)[0]}


def _end_in_cells(graphemes: dict[int, tuple[int, int]], start: int, width: int) -> int:
    at, used = start, 0
    while at in graphemes:
        end, cells = graphemes[at]
        if used + cells > width and at > start:
            break
        at, used = end, used + cells
    return max(at, start + 1)  # whatever is taken for a grapheme, a row holds something

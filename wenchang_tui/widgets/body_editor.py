"""The body of a memory file as an editor of lines: facts marked as they are read, hidden characters shown by signs.

Import it late: an editor is more than most visits need.
"""

from collections.abc import Mapping
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.widgets import TextArea

from wenchang.file_format import Fact, parse_fact
from wenchang_tui.model.line_text import LineText, line_text
from wenchang_tui.model.linting import Level
from wenchang_tui.widgets.clusters import cluster_after, cluster_before


class BodyEditor(TextArea):
    """A text area over a `LineText`. Tab leaves it; what is pasted keeps every character."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "body--stated",
        "body--observed",
        "body--inferred",
        "body--system",
        "body--heading",
        "body--error",
        "body--warning",
        "body--note",
    }
    DEFAULT_CSS = """
    BodyEditor {
        height: 1fr;
        min-height: 3;
        padding: 0;
        background: $background;
        scrollbar-size: 1 1;
        &:focus { background: $background; }
        & .text-area--gutter { color: $foreground 35%; }
        & > .body--stated { color: $success; text-style: bold; }
        & > .body--observed { color: $secondary; text-style: bold; }
        & > .body--inferred { color: $warning; text-style: bold; }
        & > .body--system { color: $accent; text-style: bold; }
        & > .body--heading { color: $primary; text-style: bold; }
        & > .body--error { color: $error; text-style: underline; }
        & > .body--warning { color: $warning; text-style: underline; }
        & > .body--note { text-style: underline; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, show_line_numbers=True, compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False
        self.lines: LineText = line_text("")
        self._flagged: Mapping[int, Level] = {}

    def load(self, lines: LineText, shown: str, *, keep_cursor: bool = False) -> None:
        """Hold another text. What was typed before cannot be undone any more."""
        cursor, scroll = self.cursor_location, self.scroll_offset
        self.lines = lines
        self.load_text(shown)
        if keep_cursor:
            self.move_cursor(cursor)
            self.scroll_to(*scroll, animate=False, immediate=True, force=True)

    def go_to_line(self, number: int) -> None:
        """Put the cursor at the beginning of a line, counted from 1, well in sight."""
        self.move_cursor((number - 1, 0), center=True)

    @property
    def line_number(self) -> int:
        """The line of the cursor, counted from 1."""
        return self.cursor_location[0] + 1

    def flag(self, levels: Mapping[int, Level]) -> None:
        """Underline these lines."""
        if levels != self._flagged:
            self._flagged = levels
            self.notify_style_update()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line with its label apart."""
        line = super().get_line(line_index)
        fact = parse_fact(line.plain)
        if isinstance(fact, Fact):
            line.stylize(self._tone(fact.label.value), 0, line.plain.index("]") + 1)
        elif line.plain.startswith("#"):
            line.stylize(self._tone("heading"))
        if (level := self._flagged.get(line_index + 1)) is not None:
            line.stylize(self._tone(level.value), 0, line.plain.find("]") + 1 or len(line.plain))
        return line

    def _tone(self, name: str) -> str:
        return str(self.get_component_rich_style(f"body--{name}", partial=True))

    # a cursor stops only between visible characters

    def get_cursor_left_location(self) -> tuple[int, int]:
        """One visible character to the left."""
        row, column = self.cursor_location
        return (row, cluster_before(self.document[row], column)) if column else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> tuple[int, int]:
        """One visible character to the right."""
        row, column = self.cursor_location
        line = self.document[row]
        return (row, cluster_after(line, column)) if column < len(line) else super().get_cursor_right_location()

    # what comes in

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self._take_in(event.text)

    def action_paste(self) -> None:
        """Insert what was copied within the app."""
        self._take_in(self.app.clipboard)

    def _take_in(self, text: str) -> None:
        if self.read_only:
            return
        self.lines, safe = self.lines.taking_in(text, self.text)
        result = self.replace(safe, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

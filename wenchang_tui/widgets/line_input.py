"""A one-line input whose text is as safe to draw as stored text is, whether it was typed or pasted."""

from textual import events
from textual.widgets import Input

from wenchang_tui.model.safe import visible_line
from wenchang_tui.widgets.clusters import cluster_after, cluster_before


class LineInput(Input):
    """A compact input. Control, bidi and zero-width characters that are pasted turn into their stand-ins."""

    joiner = " "
    """What stands between lines that are pasted together."""
    DEFAULT_CSS = """
    LineInput {
        background: $background;
        padding: 0 1 !important;
        &:focus { background: $background; background-tint: $primary 15%; }
        &:nocolor { text-style: underline; }
    }
    """

    def __init__(self, *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def replace(self, text: str, start: int, end: int) -> None:
        """Put `text`, made safe, in place of a part of the value; typing and pasting both end here."""
        super().replace(visible_line(text), start, end)

    def action_delete_left(self) -> None:
        """Delete the visible character before the cursor, or the selection."""
        if self.selection.is_empty:
            self.delete(cluster_before(self.value, self.cursor_position), self.cursor_position)
        else:
            self.delete_selection()

    def action_delete_right(self) -> None:
        """Delete the visible character after the cursor, or the selection."""
        if self.selection.is_empty:
            self.delete(self.cursor_position, cluster_after(self.value, self.cursor_position))
        else:
            self.delete_selection()

    def action_cursor_left(self, select: bool = False) -> None:
        """One visible character to the left."""
        if select or not self.selection.is_empty:
            super().action_cursor_left(select)
        else:
            self.cursor_position = cluster_before(self.value, self.cursor_position)

    def action_cursor_right(self, select: bool = False) -> None:
        """One visible character to the right; what Textual suggests at the end stays Textual's."""
        if select or not self.selection.is_empty or self.cursor_position == len(self.value):
            super().action_cursor_right(select)
        else:
            self.cursor_position = cluster_after(self.value, self.cursor_position)

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self._insert_joined(event.text)

    def action_paste(self) -> None:
        """Insert what was copied within the app."""
        self._insert_joined(self.app.clipboard)

    def _insert_joined(self, text: str) -> None:
        """Insert a text, whose lines become one: never only the first of them."""
        lines = text.splitlines()
        self.replace(self.joiner.join(lines), *self.selection)
        if len(lines) > 1:
            self.notify(f"The {len(lines)} lines that were pasted are one line now.", title="Joined")

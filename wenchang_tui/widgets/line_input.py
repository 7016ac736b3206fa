"""A one-line input whose text is as safe to draw as stored text is, whether it was typed or pasted."""

from textual.widgets import Input

from wenchang_tui.model.safe import visible_line


class LineInput(Input):
    """A compact input. Control, bidi and zero-width characters that are pasted turn into their stand-ins."""

    DEFAULT_CSS = """
    LineInput {
        background: $background;
        padding: 0 1 !important;
        &:focus { background: $background; background-tint: $primary 15%; }
    }
    """

    def __init__(self, *, placeholder: str = "", id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def replace(self, text: str, start: int, end: int) -> None:
        """Put `text`, made safe, in place of a part of the value; typing and pasting both end here."""
        super().replace(visible_line(text), start, end)

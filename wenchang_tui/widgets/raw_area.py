"""An editor of lines whose text is as safe to draw as stored text is, and comes back with every character it had."""

from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.widgets import TextArea

from wenchang_tui.model.line_text import LineText, line_text
from wenchang_tui.model.safe import visible


class RawArea(TextArea):
    """Holds a raw text: line ends of every kind and hidden characters survive, shown by signs of their own."""

    DEFAULT_CSS = """
    RawArea { border: none; padding: 0 1; background: $background; }
    RawArea:focus { border: none; background-tint: $primary 8%; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("", id=id, compact=True)
        self.cursor_blink = False
        self._lines = line_text("")

    def load(self, text: str) -> None:
        """Hold another text; what was undone or redone before is forgotten."""
        self._lines = line_text(text)
        self.load_text(self._lines.shown)

    @property
    def lines(self) -> LineText:
        """How the text that was loaded is shown."""
        return self._lines

    @property
    def raw(self) -> str:
        """The text as it would be stored."""
        return self._lines.back(self.text)

    def edit(self, edit: Edit) -> EditResult:
        """Carry out what was typed or pasted, made safe."""
        edit.text = visible(edit.text.replace("\r\n", "\n").replace("\r", "\n"))
        return super().edit(edit)

"""An input for a stored field: what it must not hold raw is shown by signs, and meant as it was when it is saved."""

from textual.widgets import Input

from wenchang_tui.model.line_text import FieldText, field_text
from wenchang_tui.widgets.line_input import LineInput


class FieldInput(LineInput):
    """A line of a file's metadata."""

    def __init__(self, *, placeholder: str = "", joiner: str = " ", id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=placeholder, id=id)
        self.joiner = joiner
        self.field = field_text("")

    def load(self, field: FieldText, shown: str | None = None) -> None:
        """Hold another text; `shown` where something was typed into it already."""
        self.field = field
        self.value = field.shown if shown is None else shown

    def replace(self, text: str, start: int, end: int) -> None:
        """Put `text` in place of a part of the value; what of it must not be drawn becomes signs."""
        self.field, safe = self.field.taking_in(text, self.value)
        Input.replace(self, safe, start, end)

    @property
    def meant(self) -> str:
        """The text with every character that the signs stand for."""
        return self.field.back(self.value)

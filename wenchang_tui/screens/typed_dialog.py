"""The question before what cannot be taken back: says what goes, and wants its name typed."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from wenchang_tui.model.safe import spelled
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.diff_view import DiffText
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.text_lines import TextLine


class TypedDialog(Dialog[bool]):
    """True only once `wanted` was typed, as it is spelled: what is hidden in it by escapes, so that it is this one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    TypedDialog {
        align: center middle;
        & > #box {
            width: 76;
            max-width: 100%;
            height: auto;
            max-height: 90%;
            border: round $error;
            border-title-color: $error;
            background: $surface;
            padding: 1 2;
        }
        & DiffText { height: auto; max-height: 12; }
        & #ask { margin-top: 1; padding-left: 1; }
        & LineInput { background: $panel; }
        & #note { color: $text-muted; height: 1; padding-left: 1; }
        & #note.-wrong { color: $warning; }
    }
    """

    def __init__(self, title: str, lines: Sequence[TextLine], wanted: str) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._wanted = spelled(wanted)
        self.input = LineInput()
        self.note = Static("esc cancels, and nothing happens", markup=False, id="note")

    def compose(self) -> ComposeResult:
        """What goes, and the line to type in."""
        with Vertical(id="box") as box:
            box.border_title = safe(self._title)
            yield DiffText()
            yield Static(safe(f"Type {self._wanted} and press enter:"), id="ask")
            yield self.input
            yield self.note
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(DiffText).show(self._lines)
        self.set_focus(self.input)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on only if it is the name."""
        if event.value.strip() == self._wanted.strip():
            self.dismiss(True)
        else:
            self.note.add_class("-wrong")
            self.note.update(safe(f"That is not {self._wanted}; nothing happens."))

    def action_close(self) -> None:
        """Cancel."""
        self.dismiss(False)

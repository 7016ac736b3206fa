"""Small questions on the way: whether something may really be done, and under which name."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe

_CANCEL = "Cancel"


class AskDialog(Dialog[bool]):
    """Says what something would lead to, and asks. To cancel comes first."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    AskDialog {
        align: center middle;
        & > #box {
            width: 72;
            max-width: 100%;
            height: auto;
            border: round $warning;
            border-title-color: $warning;
            background: $surface;
            padding: 1 2;
        }
        & Static { margin-bottom: 1; }
        & RowList { height: 2; background: $surface; }
    }
    """

    def __init__(self, title: str, sentences: Sequence[str], confirm: str) -> None:
        super().__init__()
        self._title = title
        self._sentences = sentences
        self._confirm = confirm

    def compose(self) -> ComposeResult:
        """The sentences and the two answers."""
        with Vertical(id="box") as box:
            box.border_title = safe(self._title)
            for sentence in self._sentences:
                yield Static(safe(sentence))
            yield RowList[str]((Column("what", ""),), str, _draw_answer, header=False, marks=False)
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The cursor stands on cancelling."""
        answers = self.query_one(RowList)
        answers.set_rows([_CANCEL, self._confirm])
        self.set_focus(answers)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """An answer."""
        self.dismiss(event.key == self._confirm)

    def action_close(self) -> None:
        """No."""
        self.dismiss(False)


def _draw_answer(answer: str) -> Look:
    return Look({"what": Cell(answer, "strong" if answer == _CANCEL else "warn")})


class NameDialog(Dialog[str]):
    """Asks for one line, such as the name of a file; an empty result means that nothing shall be done."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    NameDialog {
        align: center middle;
        & > #box {
            width: 76;
            max-width: 100%;
            height: auto;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
        }
        & LineInput { background: $panel; }
        & .note { color: $text-muted; margin-top: 1; }
    }
    """

    def __init__(self, title: str, value: str, note: str) -> None:
        super().__init__()
        self._title = title
        self._note = note
        self.input = LineInput()
        self.input.value = value

    def compose(self) -> ComposeResult:
        """The line, and what it is for."""
        with Vertical(id="box") as box:
            box.border_title = safe(self._title)
            box.border_subtitle = "enter goes on, esc cancels"
            yield self.input
            yield Static(safe(self._note), classes="note")
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Type on at the end."""
        self.set_focus(self.input)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """What was typed."""
        self.dismiss(event.value.strip())

    def action_close(self) -> None:
        """Nothing."""
        self.dismiss("")

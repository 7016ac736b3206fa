"""A question on the way of an edit: what happened, and the ways to go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe

CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to go on; `key` is what the dialog answers, `tone` that of a row."""

    key: str
    label: str
    tone: str = "strong"


class ChoiceDialog(Dialog[str]):
    """Says what happened, and offers the ways to go on. The first is under the cursor; Esc answers `CANCEL`."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    ChoiceDialog {
        align: center middle;
        & > #box {
            width: 76;
            max-width: 100%;
            height: auto;
            max-height: 94%;
            border: round $warning;
            border-title-color: $warning;
            background: $surface;
            padding: 1 2;
        }
        & Static { margin-bottom: 1; }
        & RowList { background: $surface; }
    }
    """

    def __init__(self, title: str, sentences: Sequence[str], ways: Sequence[Way]) -> None:
        super().__init__()
        self._title = title
        self._sentences = sentences
        self._ways = ways
        self.list = RowList[Way]((Column("what", ""),), lambda way: way.key, _draw, header=False, marks=False)

    def compose(self) -> ComposeResult:
        """The sentences and the ways."""
        with Vertical(id="box") as box:
            box.border_title = safe(self._title)
            for sentence in self._sentences:
                yield Static(safe(sentence))
            yield self.list
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The cursor stands on the first way."""
        self.list.styles.height = len(self._ways)
        self.list.set_rows(self._ways)
        self.set_focus(self.list)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A way was chosen."""
        self.dismiss(event.key)

    def action_close(self) -> None:
        """None of them."""
        self.dismiss(CANCEL)


def _draw(way: Way) -> Look:
    return Look({"what": Cell(way.label, way.tone)})

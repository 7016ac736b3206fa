"""What was changed in this session, newest first, and which of it shall be taken back."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from wenchang_tui.model.curation_log import MAX_CHANGES, Change, Done, Stopped
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

_MOST_ROWS = 12
_COLUMNS = (Column("at", "UTC", 8), Column("title", "what was done"))


class ChangesDialog(Dialog[Change | None]):
    """The changes that can be taken back; answers the one that shall be."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    ChangesDialog {
        align: center middle;
        & > #box {
            width: 96;
            max-width: 100%;
            height: auto;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
        }
        & RowList { background: $surface; }
        & .note { color: $text-muted; margin-top: 1; }
    }
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__()
        self._changes = changes
        self.list = RowList[Change](_COLUMNS, lambda change: str(change.number), _draw, marks=False,
                                    empty="nothing was changed in this session")  # fmt: skip

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical(id="box") as box:
            box.border_title, box.border_subtitle = "Changed in this session", "enter takes back, esc closes"
            yield self.list
            words = "What somebody else has built upon since stays as it is. Taking back is a change itself."
            if len(self._changes) == MAX_CHANGES:
                words += f" Changes before the latest {MAX_CHANGES} are not remembered."
            yield Static(words, classes="note", markup=False)
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The newest is under the cursor."""
        self.list.styles.height = max(2, min(_MOST_ROWS, len(self._changes) + 1))
        self.list.set_rows(self._changes[::-1])
        self.set_focus(self.list)

    def on_row_list_chosen(self) -> None:
        """Take it back."""
        self.dismiss(self.list.current)

    def action_close(self) -> None:
        """Take nothing back."""
        self.dismiss(None)


def _draw(change: Change) -> Look:
    time = moment(change.at).partition(" ")[2]
    return Look({"at": Cell(time, "dim"), "title": Cell(change.title, "strong")})


class TakingBack:
    """Taking one of the changes back, unless somebody built upon it."""

    def __init__(self, frame: CuratingFrame) -> None:
        self._frame = frame
        self._lane = Lane[Done | Stopped](frame, self._receive, frame.say)

    def start(self) -> None:
        """List the changes, and take back the one that is chosen."""
        log = self._frame.curator.log

        def answer(change: Change | None) -> None:
            if change is not None:
                self._lane.run(lambda _: iter([log.undo(change)]))

        self._frame.app.push_screen(ChangesDialog(log.changes), answer)

    def _receive(self, outcome: Done | Stopped) -> None:
        change = outcome.change
        if isinstance(outcome, Stopped):
            self._frame.say(outcome.problem)
        elif change is not None:
            self._frame.notify(change.title, title="Taken back")
        if change is not None:
            self._frame.post_message(Frame.Touched(frozenset(moved.key for moved in change.moves)))

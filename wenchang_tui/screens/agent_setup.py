"""How clients connect: who is served under which rules, and what to copy for each. The token shows only on demand."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from wenchang_tui.agent.setups import HIDDEN, Setup
from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_SHOWN_S = 15.0


class SetupScreen(Dialog[bool]):
    """The ways in. Its result is whether a new token is wanted.

    A token that was revealed hides itself after a while, and whenever anything comes to lie above this screen, so that
    no picture of it is taken by accident.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.CONNECT, Where.DIALOG)]
    DEFAULT_CSS = """
    SetupScreen {
        align: center middle;
        & > #box {
            width: 100;
            max-width: 100%;
            height: auto;
            max-height: 92%;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        & #rules { height: auto; max-height: 8; scrollbar-size: 0 0; }
        & RowList { background: $surface; margin: 1 0; }
        & #lines { height: auto; min-height: 3; max-height: 11; background: $panel; }
    }
    """

    def __init__(self, setups: Sequence[Setup], token: str | None, rules: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._setups = {setup.name: setup for setup in setups}
        self._token = token
        self._rules = rules
        self._is_revealed = False
        columns = (Column("name", "", 20), Column("about", ""))
        self.ways = RowList[str](columns, str, self._draw, header=False, marks=False, empty="start the server first: t")
        self.lines = TextLines(id="lines")

    def compose(self) -> ComposeResult:
        """Rules, ways, lines to copy."""
        with Vertical(id="box") as box:
            box.border_title = "Connect an agent"
            yield TextLines(id="rules")
            yield self.ways
            yield self.lines
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The first way is under the cursor."""
        rules = self.query_one("#rules", TextLines)
        rules.can_focus = False
        rules.show([TextLine(text, "", f"{name:<10}", "dim") for name, text in self._rules])
        self.ways.set_rows(list(self._setups))
        self.ways.styles.height = max(1, len(self._setups))
        self.set_focus(self.ways)
        self._show()

    @on(RowList.Highlighted)
    def _moved(self) -> None:
        self._show()

    def _show(self) -> None:
        setup = self._setups.get(self.ways.current_key or "")
        token = self._token if self._is_revealed and self._token else HIDDEN
        lines = setup.text(token).split("\n") if setup else ["t starts the server; then this shows how to reach it."]
        self.lines.show([TextLine(line) for line in lines])
        state = "the token is shown for a moment" if self._is_revealed else "the token is hidden; what is copied has it"
        self.query_one("#box").border_subtitle = state if setup and setup.holds_token else "c copies it"

    def _hide(self) -> None:
        self._is_revealed = False
        self._show()

    def on_screen_suspend(self, _: events.ScreenSuspend) -> None:
        """Something comes to lie above."""
        self._hide()

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self.action_copy()

    def action_copy(self) -> None:
        """Copy what is to be pasted, with the token in it."""
        setup = self._setups.get(self.ways.current_key or "")
        if setup is not None:
            copy_text(self.app, setup.name, setup.text(self._token or ""))

    def action_reveal(self) -> None:
        """Show the token, or hide it."""
        self._is_revealed = not self._is_revealed
        self._show()
        if self._is_revealed:
            self.set_timer(_SHOWN_S, self._hide)

    def action_renew(self) -> None:
        """A new token is wanted."""
        self.dismiss(True)

    def action_close(self) -> None:
        """Back to the calls."""
        self.dismiss(False)

    def _draw(self, name: str) -> Look:
        return Look({"name": Cell(name, "strong"), "about": Cell(self._setups[name].about, "dim")})

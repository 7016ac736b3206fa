"""Saved calls, to be looked at. Nothing here reaches a store."""

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang_tui.agent.history import History
from wenchang_tui.agent.recorder import Session
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_calls import CallsFrame
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.safe_text import safe


class SessionScreen(CallsFrame):
    """The calls of one file, over the Agent screen."""

    PLACE = Where.SESSION
    NAME = "agent"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.SESSION)]

    def __init__(self, opened: Workspace | FlatFolder, name: str, session: Session) -> None:
        super().__init__(opened, empty="no calls were saved")
        self._file = name
        self._session = session

    def body(self) -> Iterable[Widget]:
        """List and call."""
        yield Vertical(self.calls, Vertical(self.view_title, self.view, id="detail"), id="panes")

    def on_mount(self) -> None:
        """Show them all; the first is under the cursor."""
        self.top.read_only = True
        self.top.identity = ("nobody: what was recorded is only looked at",)
        title = Content("saved  ") + safe(self._file) + Content("  of ") + safe(self._session.target)
        self.calls.title.left = title
        history = History(max(1, len(self._session.calls)))
        history.add(self._session.calls)
        self.calls.show(history.entries)
        self.calls.list.cursor = 0
        self.set_focus(self.calls.list)

    def action_step_back(self) -> None:
        """Close what is open, then this screen."""
        if not self.step_back():
            self.app.pop_screen()

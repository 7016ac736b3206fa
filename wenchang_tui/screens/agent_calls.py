"""What every screen with calls has in common: the list, the call under the cursor, and what can be done with both."""

import json
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.content import Content

from wenchang_tui.agent.calls import Call, call_to_json
from wenchang_tui.agent.history import Entry, outcome, target
from wenchang_tui.agent.recorder import can_revert
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.payload import PayloadScreen
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.call_list import CallsPane, milliseconds
from wenchang_tui.widgets.call_view import CallView
from wenchang_tui.widgets.commands import Need
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe


class CallsFrame(Frame):
    """A screen with a list of calls and the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, opened: Workspace | FlatFolder, *, empty: str, by_caller: bool = False) -> None:
        super().__init__(opened)
        self.calls = CallsPane(empty=empty, by_caller=by_caller)
        self.view = CallView(id="call")
        self.view_title = PaneTitle("call")
        self.entry: Entry | None = None

    @property
    def call(self) -> Call | None:
        """The call under the cursor."""
        return self.entry.call if self.entry else None

    @on(CallsPane.Selected)
    def _select(self, event: CallsPane.Selected) -> None:
        event.stop()
        is_same = self.entry is not None and event.entry is not None and self.entry.number == event.entry.number
        self.entry = event.entry
        self.show_selected(keep_scroll=is_same)
        self.refresh_bindings()

    def show_selected(self, *, keep_scroll: bool = False) -> None:
        """Show the call under the cursor."""
        call = self.call
        self.view_title.left, self.view_title.right = _titles(call)
        if call is None:
            self.view.show_note(*self.hints())
        else:
            self.view.show_call(call, self.calls.needle, keep_scroll=keep_scroll)

    def hints(self) -> tuple[str, ...]:
        """What stands in the place of a call while there is none."""
        return ("No call is selected.",)

    def met_needs(self) -> set[Need]:
        """What the selection allows."""
        needs = super().met_needs()
        call = self.call
        needs |= {Need.CALL} if call is not None else set()
        return needs | ({Need.CHANGED} if call is not None and can_revert(call) else set())

    # commands

    def action_filter(self) -> None:
        """Narrow the rows. The focus moves at once, so that the next key is typed."""
        self.calls.open_input(everything=False)

    def action_search(self) -> None:
        """Search all that the calls hold."""
        self.calls.open_input(everything=True)

    def action_copy(self) -> None:
        """Copy the call as it would be saved."""
        if self.call is not None:
            text = json.dumps(call_to_json(self.call), indent=2, ensure_ascii=False)
            copy_text(self.app, "Call", text)

    def action_answer(self) -> None:
        """Show what the client got."""
        if self.call is not None:
            self.app.push_screen(PayloadScreen(json.dumps(dict(self.call.answer)), "of the call"))

    def action_turn_around(self) -> None:
        """The other order."""
        self.calls.turn_around()

    def action_follow(self) -> None:
        """The newest call."""
        self.calls.follow()

    def action_step_back(self) -> None:
        """Whatever is open, one step of it."""
        self.step_back()

    def step_back(self) -> bool:
        """Close what is open; whether anything was."""
        if self.calls.is_narrowed:
            self.calls.close_input()
        elif self.zoom != "normal":
            self.zoom = "normal"
        elif self.focused is self.view:
            self.set_focus(self.calls.list)
        else:
            return False
        return True

    @on(RowList.Chosen, "#calls")
    def _to_view(self, event: RowList.Chosen) -> None:
        event.stop()
        self.set_focus(self.view)


def _titles(call: Call | None) -> tuple[Content, Content]:
    if call is None:
        return Content("call"), Content("")
    what = safe(call.tool) + Content("  ") + safe(target(call))
    if call.is_pending:
        return what, Content(outcome(call))
    # An error says of itself below which kind it is.
    return what, Content(f"{'error' if call.is_error else 'ok'} in {milliseconds(call)} ms")

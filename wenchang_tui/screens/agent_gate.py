"""A change waits for a person: what it would do, how long it goes on waiting, and the two answers."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from wenchang.gate import Gate, WaitingChange
from wenchang_tui.agent.diffing import Proposal
from wenchang_tui.agent.history import long_path
from wenchang_tui.agent.waiting import in_a_line, seconds_left
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.call_view import proposal_lines
from wenchang_tui.widgets.commands import Need, Where, bindings, by_action, unmet
from wenchang_tui.widgets.diff_view import DiffText
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.safe_text import safe_line
from wenchang_tui.widgets.text_lines import TextLine

_TICK_S = 0.25


class GateScreen(Dialog[None]):
    """The changes that wait, one after the other. It closes when none is left."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.GATE, Where.DIALOG)]
    DEFAULT_CSS = """
    GateScreen {
        align: center middle;
        & > #box {
            width: 96;
            max-width: 100%;
            height: auto;
            max-height: 90%;
            border: round $warning;
            border-title-color: $warning;
            border-subtitle-color: $warning;
            background: $surface;
        }
        & DiffText { height: auto; max-height: 22; }
        & LineInput { display: none; background: $panel; margin: 1 1 0 1; }
        & LineInput.-shown { display: block; }
    }
    """

    def __init__(
        self, gate: Gate, proposal: Callable[[WaitingChange], Proposal], asker: Callable[[WaitingChange], str]
    ) -> None:
        super().__init__()
        self._asker = asker
        self._gate = gate
        self._proposal = proposal
        self._change: WaitingChange | None = None
        self._shown: int | None = None
        self._looking = Lane[tuple[int, Proposal]](self, self._show, self._say)
        self.text = DiffText()
        self.reason = LineInput(placeholder="why? the agent reads it; enter refuses, esc goes back", id="reason")

    def compose(self) -> ComposeResult:
        """The change, and a line for the reason."""
        with Vertical(id="box"):
            yield self.text
            yield self.reason
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Begin with the change that waits for the longest."""
        self.set_focus(self.text)
        self.tick()
        self.set_interval(_TICK_S, self.tick)

    def tick(self) -> None:
        """Follow what waits, and for how long it still does; once closed, or below another screen, do nothing."""
        if not self.is_active:
            return
        waiting = self._gate.waiting()
        if self._change is not None and self._change.number not in [change.number for change in waiting]:
            self._change = None
            self._close_reason()
        if self._change is None:
            if not waiting:
                self.dismiss()
                return
            self._look_at(waiting[0])
        box = self.query_one("#box")
        assert self._change is not None
        box.border_title = Content(f"A change waits: {self._change.operation}")
        others = f"  {len(waiting)} wait" if len(waiting) > 1 else ""
        left = seconds_left(self._change, self._gate.wait_s, datetime.now(UTC))
        box.border_subtitle = Content(f"{left} s left, then nothing is changed{others}")

    def _look_at(self, change: WaitingChange) -> None:
        self._change, self._shown = change, None
        self.text.show([TextLine("reading…", "dim")])

        def work(_: IsCancelled) -> Iterator[tuple[int, Proposal]]:
            yield change.number, self._proposal(change)

        self._looking.run(work)

    def _show(self, looked: tuple[int, Proposal]) -> None:
        number, proposal = looked
        change = self._change
        if change is not None and change.number == number:
            self._shown = number
            asker = f"{safe_line(self._asker(change))}  ".lstrip()
            head = TextLine(long_path(change.path), "strong", asker, "dim")
            self.text.show([head, *proposal_lines(proposal)])
            self.refresh_bindings()

    def _say(self, problem: Problem | None) -> None:
        """A file that cannot be read is no reason to hide the question."""
        change = self._change
        if problem is not None and change is not None:
            self._shown = change.number
            arguments = [TextLine(str(value), "", f"{key:<18}", "dim") for key, value in change.arguments.items()]
            self.text.show([TextLine(change.path, "strong"), TextLine(problem.sentence, "warn"), *arguments])

    # answers: only to what is in sight

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Answers have to wait for the change to be shown; while a reason is typed, keys are letters."""
        command = by_action(action, Where.GATE)
        if command is None:
            return True
        if unmet(command, set() if isinstance(self.focused, Input) else {Need.NOT_TYPING}):
            return False
        return True if self._shown is not None or action == "next" else None

    def action_approve(self) -> None:
        """Let it be made."""
        if self._shown is not None:
            self._answered(self._gate.approve(self._shown), "Approved")

    def action_refuse(self) -> None:
        """Ask for the reason."""
        self.reason.add_class("-shown")
        self.set_focus(self.reason)

    @on(Input.Submitted)
    def _refuse(self, event: Input.Submitted) -> None:
        event.stop()
        if self._shown is not None:
            self._answered(self._gate.refuse(self._shown, event.value.strip()), "Refused")

    def _answered(self, was_waiting: bool, what: str) -> None:
        change = self._change
        if change is not None:
            severity = "information" if was_waiting else "warning"
            title = what if was_waiting else "Too late"
            self.notify(in_a_line(change), title=title, severity=severity)  # type: ignore[arg-type]
        self._change = None
        self._close_reason()
        self.tick()

    def action_next(self) -> None:
        """The next one; this one goes on waiting."""
        waiting = self._gate.waiting()
        numbers = [change.number for change in waiting]
        if self._change is not None and self._change.number in numbers:
            self._look_at(waiting[(numbers.index(self._change.number) + 1) % len(waiting)])
            self.tick()

    def action_close(self) -> None:
        """Leave the reason, or leave the question open."""
        if self.reason.has_class("-shown"):
            self._close_reason()
        else:
            self.dismiss()

    def _close_reason(self) -> None:
        self.reason.value = ""
        self.reason.remove_class("-shown")
        self.set_focus(self.text)

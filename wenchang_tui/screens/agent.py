"""Agent: watch it work. The embedded server, the calls made through it, what each changed, and the way back."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang.gate import WaitingChange
from wenchang.identity import Identity
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.diffing import Proposal
from wenchang_tui.agent.history import target, touched
from wenchang_tui.agent.recorder import ChangedSince, Reverted, can_revert, revert
from wenchang_tui.agent.reverting import as_call, conflict, consequence
from wenchang_tui.agent.waiting import in_a_line, proposal_for, seconds_by_key, waiting_for
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import parse_grants
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.screens.agent_dialogs import AskDialog, NameDialog
from wenchang_tui.screens.agent_files import FilingFrame
from wenchang_tui.screens.agent_gate import GateScreen
from wenchang_tui.screens.agent_play import PlayScreen
from wenchang_tui.screens.agent_setup import SetupScreen
from wenchang_tui.screens.frame import identity_texts
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.server_bar import ServerBar, ServerState

_TICK_S = 0.1
_EMPTY = "no calls yet"
_NOBODY_YET = (
    "Nothing is stored yet. Say what the memory is about, as SCOPE=ENTITY: user=me is all that the agent learns of you."
)


class AgentScreen(FilingFrame):
    """Server, calls, and the call under the cursor."""

    PLACE = Where.AGENT
    NAME = "agent"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.AGENT)]
    DEFAULT_CSS = """
    AgentScreen, SessionScreen {
        & #panes { height: 1fr; }
        & #detail { height: 1.2fr; min-height: 4; }
        &.-wide #panes { layout: horizontal; }
        &.-wide #panes > CallsPane { width: 1.3fr; border-right: vkey $panel-lighten-1; }
        &.-wide #detail { width: 1fr; height: 1fr; }
        &.-half #panes > *:focus-within { height: 3fr; }
        &.-half.-wide #panes > *:focus-within { height: 1fr; width: 3fr; }
        &.-full #panes > * { display: none; }
        &.-full #panes > *:focus-within { display: block; width: 1fr; height: 1fr; border: none; }
    }
    """

    def __init__(self, opened: Workspace | FlatFolder) -> None:
        super().__init__(opened, empty=_EMPTY)
        self.bar = ServerBar()
        self._note = ""
        self._url: str | None = None
        self._announced: set[int] = set()
        self._notice = ""
        self._proposed: tuple[int, Proposal] | None = None
        self._serving = Lane[Problem | None](self, self._served, self.show_end)
        self._looking = Lane[tuple[int, Proposal]](self, self._receive_proposal)
        self._reverting = Lane[tuple[Call, Reverted | ChangedSince]](self, self._reverted, self.show_end)

    def body(self) -> Iterable[Widget]:
        """Bar, calls, call, and a line for what went wrong."""
        detail = Vertical(self.view_title, self.view, id="detail")
        yield Vertical(self.bar, Vertical(self.calls, detail, id="panes"), self.status)

    def on_mount(self) -> None:
        """Watch from now on, whether or not this screen is in sight."""
        self.set_focus(self.calls.list)
        self.follow_own_log()
        self.show_selected()
        self._show_state()
        self.set_interval(_TICK_S, self.tick)

    def on_unmount(self) -> None:
        """Stop serving: clients are told, and the port is free."""
        self.embedded.close()

    def show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        """Take who is served."""
        super().show_identity(identity, problem)
        if self.is_mounted:
            self._show_state()
            self.refresh_bindings()

    # what depends on the kind of memory; the last two block

    def policy(self) -> str:
        """Who may write, in a line."""
        roles = self.workspace.settings.write_roles
        rules = (f"{scope} only by {', '.join(sorted(names))}" for scope, names in roles.items())
        return f"{'; '.join(rules) or 'every role writes'}; system/ by people only"

    def proposal(self, change: WaitingChange) -> Proposal:
        """What a change that waits would do."""
        return proposal_for(self.workspace.store, change)

    def take_back(self, call: Call) -> Reverted | ChangedSince:
        """Bring the file of a call back to what it was before."""
        return revert(call, self.workspace.store, source=self.workspace.settings.source)

    # what comes in

    def tick(self) -> None:
        """Take what happened since the last time, ten times a second at most."""
        calls = self.embedded.poll()
        if calls:
            self.history.add(calls)
            self.calls.show(self.history.entries, self.history.dropped)
            if keys := touched(calls):
                self.post_message(self.Touched(keys))
            self.refresh_bindings()
        self._follow_gate()
        if self.embedded.url != self._url and not self._serving.busy:  # it has ended by itself
            self._show_state()

    def _follow_gate(self) -> None:
        gate = self.embedded.gate
        waiting = gate.waiting()
        self.calls.refresh_waiting(seconds_by_key(self.history.entries, waiting, gate.wait_s, datetime.now(UTC)))
        for change in waiting:
            if change.number not in self._announced:
                self._announce(change)
        word = "change waits: ^g answers" if len(waiting) == 1 else "changes wait: ^g answers"
        notice = f"{len(waiting)} {word}" if waiting else "asks first" if gate.asks_first else ""
        if notice != self._notice:
            self._notice = notice
            self.post_message(self.Notice(notice))
            self._show_state()

    def _announce(self, change: WaitingChange) -> None:
        """Say once that a change waits: here in the list, elsewhere above what is in sight."""
        self._announced.add(change.number)
        self.app.bell()
        self.show_selected(keep_scroll=True)
        if not self.is_current:
            self.notify(f"{in_a_line(change)}. Press ^g to answer.", title="A change waits", severity="warning")

    def _show_state(self) -> None:
        gate = self.embedded.gate
        self._url = self.embedded.url
        self.bar.state = ServerState(
            url=self._url,
            asks_first=gate.asks_first,
            wait_s=round(gate.wait_s),
            policy=self.policy(),
            note=self._note or ("" if self.caller else identity_texts(self.identity)[0]),
        )

    # the call under the cursor

    def hints(self) -> tuple[str, ...]:
        """How to begin."""
        return (
            "Every call of an agent shows here: what it asked, what it got, and what became of the file.",
            "",
            "i  shows how an agent connects, and t starts a server here for it",
            "p  plays six walkthroughs with a scripted agent: a good first look",
            "E  opens a saved session",
        )

    def show_selected(self, *, keep_scroll: bool = False) -> None:
        """Show the call; of one that waits, what it would do."""
        super().show_selected(keep_scroll=keep_scroll)
        entry = self.entry
        change = waiting_for(entry, self.embedded.gate.waiting()) if entry else None
        if entry is None or change is None:
            return
        if self._proposed is not None and self._proposed[0] == change.number:
            self.view.show_call(entry.call, self.calls.needle, self._proposed[1], keep_scroll=keep_scroll)
            self.view_title.right = Content("waits: ^g answers")
            return
        wanted = change

        def work(_: IsCancelled) -> Iterator[tuple[int, Proposal]]:
            yield wanted.number, self.proposal(wanted)

        self._looking.run(work)

    def _receive_proposal(self, proposed: tuple[int, Proposal]) -> None:
        self._proposed = proposed
        self.show_selected(keep_scroll=True)

    # the server

    @property
    def caller(self) -> Identity | None:
        """Whom the server would serve, if there is anybody."""
        return self.identity if isinstance(self.identity, Identity) and self.identity.grants else None

    def action_serve(self) -> None:
        """Start it, or stop it."""
        identity = self.caller
        if identity is None:
            return self._ask_who(self.action_serve)
        if self._serving.busy:
            return None
        is_running = self.embedded.url is not None
        self._note = "stopping…" if is_running else "starting…"
        self._show_state()

        def work(_: IsCancelled) -> Iterator[Problem | None]:
            if is_running:
                self.embedded.stop()
                yield None
            else:
                yield self.embedded.start(identity)

        return self._serving.run(work)

    def _ask_who(self, and_then: Callable[[], None]) -> None:
        """Ask whose memory is served where the store does not tell, and go on."""
        if self.identity is None:  # it is still being found out
            return
        found = self.identity.entities if isinstance(self.identity, Ambiguous) else {}
        suggested = " ".join(f"{scope}={names[0]}" for scope, names in found.items() if names) or "user=me"
        choices = "; ".join(f"{scope}: {', '.join(names)}" for scope, names in found.items())
        note = f"The store holds {choices}. Name one of a scope." if choices else _NOBODY_YET
        self.app.push_screen(NameDialog("Whose memory is it?", suggested, note), partial(self._act_as, and_then))

    def _act_as(self, and_then: Callable[[], None], text: str | None) -> None:
        if not text:
            return
        try:
            identity = Identity(parse_grants(text.split()))
        except ValueError as error:
            self.say(Problem("Nobody served", f"{error}.", "Write it as in user=me, with spaces between several."))
            return
        self.show_identity(identity)
        self.post_message(self.ActAs(identity))
        and_then()

    def _served(self, problem: Problem | None) -> None:
        self._note = ""
        self._show_state()
        self.show_end(problem)

    def show_end(self, problem: Problem | None) -> None:
        """Show what ended some work, if it is a problem."""
        super().show_end(problem)
        if problem is not None:
            self._note = ""
            self._show_state()

    def action_connect(self) -> None:
        """Show what clients need."""
        identity = self.caller
        if identity is None:
            self._ask_who(self.action_connect)
        else:
            setups = self.embedded.setups(identity)
            served = [
                ("serves", f"{scope}={grant.entity_id} ({grant.role})") for scope, grant in identity.grants.items()
            ]
            rules = [*served, ("policy", self.bar.state.policy), ("follows", str(self.embedded.followed))]
            self.app.push_screen(SetupScreen(setups, self.embedded.token, rules), self._maybe_renew)

    def _maybe_renew(self, is_wanted: bool | None) -> None:
        if is_wanted:
            sentences = (
                "Every client that has the token of now is shut out until it is given the new one.",
                "The address stays the same.",
            )
            self.app.push_screen(AskDialog("New token", sentences, "Make a new token"), self._renew)

    def _renew(self, is_sure: bool | None) -> None:
        identity = self.caller
        if is_sure and identity is not None:
            self._note = "making a new token…"
            self._show_state()
            self._serving.run(lambda _: iter([self.embedded.renew_token(identity)]))

    # the gate

    def action_ask_first(self) -> None:
        """Turn the gate on or off; off lets everything through that waits."""
        gate = self.embedded.gate
        if not gate.asks_first:
            gate.ask_first()
        elif count := len(gate.waiting()):
            sentence = f"{count} {'change waits' if count == 1 else 'changes wait'} and would be made at once."
            self.app.push_screen(AskDialog("Stop asking", (sentence,), "Let everything through"), self._let_through)
        else:
            gate.let_through()
        self._follow_gate()

    def _let_through(self, is_sure: bool | None) -> None:
        if is_sure:
            self.embedded.gate.let_through()
            self._follow_gate()

    def answer_waiting(self) -> None:
        """Show what waits, over whatever is in sight."""
        if self.embedded.gate.waiting():
            self.app.clear_notifications()
            self.app.push_screen(GateScreen(self.embedded.gate, self.proposal, self._asker))
        else:
            self.notify("No change waits for an answer.")

    def _asker(self, change: WaitingChange) -> str:
        """Who asks for a change, as far as it is known."""
        entries = (entry for entry in self.history.entries if waiting_for(entry, [change]))
        return next((entry.call.client for entry in entries), "")

    @on(RowList.Chosen, "#calls")
    def _answer_or_read(self, event: RowList.Chosen) -> None:
        if self.entry and waiting_for(self.entry, self.embedded.gate.waiting()):
            event.prevent_default()
            event.stop()
            self.answer_waiting()

    # taking back

    def action_revert(self) -> None:
        """Ask, then take the change of the call back."""
        call = self.call
        if call is not None and call.change is not None and can_revert(call):
            sentences = (consequence(call.change), "Nothing happens if anybody changed the file since.")
            self.app.push_screen(
                AskDialog(f"Revert {call.tool}", sentences, "Revert"), lambda sure: self._revert(sure, call)
            )

    def _revert(self, is_sure: bool | None, call: Call) -> None:
        if is_sure:
            self._reverting.run(lambda _: iter([(call, self.take_back(call))]))

    def _reverted(self, outcome: tuple[Call, Reverted | ChangedSince]) -> None:
        call, result = outcome
        if isinstance(result, Reverted):
            self.embedded.recorder.add(as_call(call, result, datetime.now(UTC)))
            self.status.clear()
            self.notify(target(call), title="Reverted")
        else:
            self.status.show_problem(conflict(call, result))

    # files

    def action_open_file(self) -> None:
        """Look at the file as it is now."""
        if self.call is not None and self.call.change is not None:
            self.post_message(self.OpenInBrowse(self.call.change.path))

    # the rest

    def action_play(self) -> None:
        """The walkthroughs."""
        screen = PlayScreen(self.workspace)
        screen.top.notice = self.top.notice
        self.app.push_screen(screen)

    def action_step_back(self) -> None:
        """Close what is open, or take the problem away."""
        if not self.step_back():
            self.status.clear()

"""Agent, over a file memory: the same server, calls, gate and way back, for clients that nobody has to be."""

from typing import ClassVar

from textual.binding import BindingType

from wenchang.gate import WaitingChange
from wenchang.identity import Identity
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.diffing import Proposal
from wenchang_tui.agent.flat_changes import propose_flat, revert_flat
from wenchang_tui.agent.recorder import ChangedSince, Reverted
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.agent import AgentScreen
from wenchang_tui.screens.flat import ANYBODY


class FlatAgentScreen(AgentScreen):
    """Without the walkthroughs, which are about a store."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, flat: FlatFolder) -> None:
        super().__init__(flat)
        self.flat = flat
        self.top.identity = ANYBODY

    def show_identity(self, identity: object, problem: Problem | None = None) -> None:
        """It is always the same."""

    @property
    def caller(self) -> Identity:
        """Anybody: who calls makes no difference."""
        return Identity({})

    def policy(self) -> str:
        """Nothing is kept from anybody."""
        return "nothing may be changed" if self.flat.settings.read_only else "every client may change every file"

    def proposal(self, change: WaitingChange) -> Proposal:
        """What a change that waits would do."""
        return propose_flat(self.flat, change)

    def take_back(self, call: Call) -> Reverted | ChangedSince:
        """Bring the file of a call back to what it was before."""
        return revert_flat(self.flat, call)

    def hints(self) -> tuple[str, ...]:
        """How to begin."""
        return tuple(hint for hint in super().hints() if not hint.startswith("p "))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to play."""
        return False if action == "play" else super().check_action(action, parameters)

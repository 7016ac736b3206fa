"""What a server serves, whichever way its clients reach it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from wenchang.gate import Gate
from wenchang.prompts import PromptSlots
from wenchang_tui.agent.calls import Call
from wenchang_tui.config import PromptTexts
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace

DEFAULT_SLOTS = PromptSlots(
    purpose=(
        "Your memory outlasts this conversation and is shared with the other agents that use it. Load it at the start "
        "of each session, and store what should still be known in the next one."
    ),
    scope_guidance=(
        "Store a fact in the narrowest scope that everybody who needs it can read. What concerns one person belongs in "
        "that person's own scope; what a team relies on belongs in the team's, and only when it was said to the team "
        "or a person agreed. When a shared scope contradicts a personal one, say so instead of choosing silently."
    ),
    seed_areas="`preferences`, `decisions`, `people`, `workflows`",
)
"""What the memory prompt says where a person has not put it in their own words."""


def slots_from(texts: PromptTexts | None) -> PromptSlots:
    """The slots of a profile, with our own words for those it leaves out. Raises `ValueError` for a blank one."""
    given = {} if texts is None else {name: text for name, text in asdict(texts).items() if text is not None}
    return replace(DEFAULT_SLOTS, **given)


@dataclass(frozen=True, slots=True)
class Service:
    """An open memory with the prompt that goes with it, who is told of each call, and the gate before changes.

    A file memory brings its own words: `slots` are for stores.

    `report(call)` is called when a call has ended, `begun(call)` as it begins, with `PENDING` for its category; both on
    the server's own loop: they must be quick, and safe against other threads.
    """

    workspace: Workspace | FlatFolder
    slots: PromptSlots = DEFAULT_SLOTS
    report: Callable[[Call], object] = lambda _: None
    gate: Gate = field(default_factory=Gate)
    begun: Callable[[Call], object] = lambda _: None

"""What all screens of the app have in common: the bars, who is served, and what each command needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from wenchang.identity import Identity
from wenchang_tui.model.budget import Budget, Collected, collect_entries, plan_budget
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.widgets.bars import KeyHints, SizeGuard, TopBar
from wenchang_tui.widgets.commands import Need, Where, by_action, unmet

ZOOMS = ("normal", "half", "full")
FIRST, EDIT = "browse", "edit"
"""Names of screens that others lead to."""


@dataclass(frozen=True, slots=True)
class Served:
    """What the served identity gets at the start, under the settings of the workspace."""

    scope_map: dict[str, str]
    collected: Collected
    budget: Budget


def serve(workspace: Workspace, identity: Identity) -> Served:
    """What an identity gets under the settings of a workspace. Reads the listings of its entities."""
    collected = collect_entries(workspace.storage, identity.scope_map)
    settings = workspace.settings
    return Served(identity.scope_map, collected, plan_budget(collected, settings.index_bytes, settings.priority))


class Frame(Screen[None]):
    """A screen over what is open. It may be told things before it is first seen."""

    PLACE: Where
    NAME: str
    parting = ""
    zoom: reactive[str] = reactive("normal", init=False)
    """How much room the pane in focus has, one of `ZOOMS`; a screen's look follows the class of that name."""

    @dataclass
    class OpenInBrowse(Message):
        """The file at `key` is wanted in Browse."""

        key: str

    @dataclass
    class OpenInEdit(Message):
        """The file at `key` is wanted in Edit; `None` wants a new one."""

        key: str | None

    @dataclass
    class Curating(Message):
        """What every screen shows of Edit: whether all areas are curated, and whether text there is not saved."""

        all_areas: bool
        unsaved: bool

    @dataclass
    class Selected(Message):
        """Another place is selected in Browse."""

        prefix: str

    @dataclass
    class Listed(Message):
        """The first page of what lies below a place was listed in Browse, and is in sight."""

        prefix: str
        rows: Sequence[FileRow]

    @dataclass
    class ActAs(Message):
        """A person has said whose memory is served."""

        identity: Identity

    @dataclass
    class Recollect(Message):
        """What is served should be read anew."""

    @dataclass
    class Touched(Message):
        """These files were changed from within the app; a store that cannot be watched shows it nowhere else."""

        keys: frozenset[str]

    @dataclass
    class Notice(Message):
        """What every screen should say about changes that wait; nothing while none do."""

        text: str

    def __init__(self, opened: Workspace | FlatFolder) -> None:
        super().__init__()
        self.opened = opened
        self.identity: Identity | Ambiguous | None = None
        self.served: Served | None = None
        self.selected = ""
        """The place that is selected in Browse, as a prefix."""
        self.top = TopBar()
        self.top.here = self.NAME
        self.top.show_place(opened)

    @property
    def workspace(self) -> Workspace:
        """The open store, on a screen that is for stores."""
        assert isinstance(self.opened, Workspace)
        return self.opened

    def compose(self) -> ComposeResult:
        """The bars around the body."""
        yield self.top
        yield from self.body()
        yield KeyHints()
        yield SizeGuard()

    def body(self) -> Iterable[Widget]:
        """What stands between the bars."""
        raise NotImplementedError

    def show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        """Say who is served, or why nobody is."""
        self.identity = identity
        self.top.identity = identity_texts(identity, problem)

    def show_served(self, served: Served) -> None:
        """Take what the served identity gets."""
        self.served = served

    def store_changed(self, keys: frozenset[str]) -> None:
        """Objects of the store changed outside; show it without moving anything."""

    def open_file(self, key: str) -> None:
        """Go to a file; only Browse and Edit can."""

    def new_file(self) -> None:
        """Make a file; only Edit can."""

    def let_go(self) -> bool:
        """Make ready for the end of the app; whether nothing is in its way. `parting` is what is said after it."""
        return True

    def keep(self) -> str:
        """Keep what is typed before the app ends unasked; the words to say of it, if there is anything."""
        return ""

    def answer_waiting(self) -> None:
        """Answer the change that waits; only Agent can."""

    def say(self, problem: Problem | None) -> None:
        """Show a problem that belongs to no pane."""
        if problem is not None:
            self.notify(f"{problem.sentence} {problem.next_step}", title=problem.title, severity="error")

    def action_zoom(self, step: int) -> None:
        """More or less room for the pane in focus."""
        self.zoom = ZOOMS[(ZOOMS.index(self.zoom) + step) % len(ZOOMS)]

    def watch_zoom(self, before: str, now: str) -> None:
        """The look follows a class."""
        self.remove_class(f"-{before}")
        self.add_class(f"-{now}")

    # commands and their needs

    def met_needs(self) -> set[Need]:
        """The needs that are met here and now."""
        is_typing = self.focused is not None and self.focused.check_consume_key("a", "a")
        return {Need.STORE} if is_typing else {Need.STORE, Need.NOT_TYPING}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether an action may run; `None` shows it as disabled. Where one types, a key is left to the input."""
        command = by_action(action, self.PLACE)
        need = unmet(command, self.met_needs()) if command else None
        if need is Need.NOT_TYPING:
            return False
        return True if need is None else None


def identity_texts(identity: Identity | Ambiguous | None, problem: Problem | None = None) -> tuple[str, ...]:
    """Who is served, on one line: with roles, and without."""
    match identity:
        case Identity(grants) if grants:
            entities = {scope: f"{scope}={grant.entity_id}" for scope, grant in grants.items()}
            with_roles = "  ".join(f"{text} ({grants[scope].role})" for scope, text in entities.items())
            return with_roles, "  ".join(entities.values()), " ".join(entities.values())
        case Identity():
            return ("nobody yet: the store is empty; i on Agent (4) lets an agent in",)
        case Ambiguous(entities):
            several = ", ".join(scope for scope, names in entities.items() if len(names) > 1) or "the store"
            return (f"nobody yet: several entities in {several}; name yours with i on Agent (4)",)
    return (f"nobody: {problem.sentence}" if problem else "…",)

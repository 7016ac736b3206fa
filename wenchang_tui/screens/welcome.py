"""The first screen where nothing is open: the demos, a folder or a bucket, or a place opened before."""

from collections.abc import Sequence
from enum import StrEnum
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from wenchang_tui.config import remember_target
from wenchang_tui.model.flat_demo import open_flat_demo
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import UnknownTargetError, lasting_target, open_any
from wenchang_tui.model.workspace import Workspace, open_demo
from wenchang_tui.widgets.bars import KeyHints, SizeGuard, TopBar
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe


class Choice(StrEnum):
    """What can be chosen beside the places opened before; no target is spelled like one of these."""

    DEMO = "\0demo"
    FLAT_DEMO = "\0demo-filememory"
    FOLDER = "\0folder"


_CHOICES = {
    Choice.DEMO: ("d", "Look at the demo: the memory behind a novel"),
    Choice.FLAT_DEMO: ("m", "Look at a file memory: one flat folder of notes from a long walk"),
    Choice.FOLDER: ("f", "Open a folder, a bucket or a file memory"),
}


class WelcomeScreen(Screen[Workspace | FlatFolder]):
    """Ends with what was opened; stays, and says why, where that is not possible."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.WELCOME), ("escape", "to_list")]
    DEFAULT_CSS = """
    WelcomeScreen {
        align: center middle;
        & > #box { width: 72; height: auto; max-height: 100%; padding: 1 2; }
        & #name { color: $primary; text-style: bold; }
        & #about { color: $text-muted; margin-bottom: 1; }
        & RowList { height: auto; max-height: 12; background: $background; }
        & LineInput { background: $panel; }
        & #label { margin-top: 1; color: $text-muted; }
        & #problem { margin-top: 1; color: $text-error; display: none; }
        & #problem.-shown { display: block; }
        & #problem.-waiting { color: $text-muted; }
    }
    """

    def __init__(self, recent: Sequence[str], problem: Problem | None) -> None:
        super().__init__()
        self._recent = recent
        self._problem = problem
        columns = (Column("key", "", 1), Column("what", ""))
        self.choices = RowList[str](columns, str, _draw, header=False, marks=False)
        self.path = LineInput(placeholder="~/memory, gs://BUCKET or filememory:~/notes")
        self._typed = self._absent = ""
        self.path_problem = Static(markup=False, id="problem")
        self._opening = Lane[Workspace | FlatFolder](self, self._leave, self.show_problem)

    def compose(self) -> ComposeResult:
        """What to open, and a line to name a place in."""
        yield TopBar()
        with Vertical(id="box"):
            yield Static("wenchang", markup=False, id="name")
            yield Static("See and curate the memory that an agent writes to itself.", markup=False, id="about")
            yield self.choices
            yield Static("Folder, bucket or file memory", markup=False, id="label")
            yield self.path
            yield self.path_problem
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The cursor is on the place opened last, or on the demo."""
        rows = [*Choice, *self._recent]
        self.choices.set_rows(rows)
        self.choices.styles.height = min(12, len(rows))
        self.choices.cursor = len(Choice) if self._recent else 0
        self.query_one(TopBar).identity = ("nobody yet: nothing is open",)
        self.set_focus(self.choices)
        self.show_problem(self._problem)

    def show_problem(self, problem: Problem | None) -> None:
        """Say why a place could not be opened; a folder that was typed and is not there can be made."""
        if problem is None:
            return
        next_step = problem.next_step
        if self._typed and problem.title == "Not found":
            self._absent, next_step = self._typed, "Press enter again to make it."
        self._say("! ", f"{problem.title}: {problem.sentence} {next_step}")

    def _say(self, lead: str, text: str) -> None:
        self.path_problem.update(Content(lead) + safe(text))
        self.path_problem.add_class("-shown")
        self.path_problem.set_class(not lead, "-waiting")

    def _open(self, target: str, *, create: bool = False) -> None:
        """Open a target, or one of the demos, off the loop."""
        self._say("", "opening…")
        self._opening.run(lambda _: iter([_opened(target, create=create)]))

    def _leave(self, opened: Workspace | FlatFolder) -> None:
        self.dismiss(opened)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Open what was chosen."""
        if event.key == Choice.FOLDER:
            self.action_folder()
        else:
            self._typed = ""
            self._open(event.key)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what was typed."""
        self._typed = event.value.strip()
        if self._typed:
            self._open(self._typed, create=self._typed == self._absent)

    def action_demo(self, is_flat: bool) -> None:
        """Open a demo."""
        self._open(Choice.FLAT_DEMO if is_flat else Choice.DEMO)

    def action_folder(self) -> None:
        """Name a folder or a bucket."""
        self.set_focus(self.path)

    def action_to_list(self) -> None:
        """Back to the choices."""
        self.set_focus(self.choices)


def _opened(target: str, *, create: bool) -> Workspace | FlatFolder:
    """What was chosen; it is remembered, unless it is a demo. Raises `OpenError`."""
    match target:
        case Choice.DEMO:
            return open_demo(Settings())
        case Choice.FLAT_DEMO:
            return open_flat_demo(Settings())
    try:
        opened = open_any(target, Settings(), create=create)
    except UnknownTargetError as error:
        raise OpenError(Problem("Not opened", f"{error}.", "")) from error
    remember_target(lasting_target(opened))
    return opened


def _draw(choice: str) -> Look:
    if choice not in _CHOICES:
        return Look({"what": Cell(choice)})
    key, what = _CHOICES[Choice(choice)]
    return Look({"key": Cell(key, "accent"), "what": Cell(what, "strong")})

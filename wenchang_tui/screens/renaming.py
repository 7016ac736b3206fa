"""Renaming a file on a screen: the new place is asked for, and a rename that stopped half-way can be ended."""

from collections.abc import Callable, Iterator

from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.curation_log import Done, Stopped
from wenchang_tui.model.draft_keeper import DraftKeeper
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.renaming import (
    HalfRenamed,
    Homeless,
    NotRenamed,
    Renamed,
    RenameOutcome,
    finish_renaming,
    rename,
    take_back,
)
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.edit_place import PlaceDialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.lane import IsCancelled, Lane

_HALF_WAYS = (
    Way("finish", "Finish: only the new name stays, with the newest text"),
    Way("back", "Take back: only the old name stays"),
    Way(CANCEL, "Leave it under both names for now"),
)
_HOMELESS_WAYS = (
    Way("finish", "Finish now: make it again under the new name"),
    Way(CANCEL, "Later: the text is kept as a draft of the new name"),
)


class Renaming:
    """The questions and calls that a rename takes; `on_renamed` gets the outcome that went well."""

    def __init__(self, frame: CuratingFrame, drafts: DraftKeeper, on_renamed: Callable[[Renamed, str], None]) -> None:
        self._frame = frame
        self._drafts = drafts
        self._on_renamed = on_renamed
        self._original = ""
        self._working = Lane[RenameOutcome | Done | Stopped](frame, self._receive, frame.say)

    def start(self, original: Snapshot) -> None:
        """Ask where the file shall lie."""
        curator = self._frame.curator
        self._original = original.key

        def answer(key: str | None) -> None:
            if key:
                self._working.run(lambda _: iter([rename(curator, original, key)]))

        self._frame.app.push_screen(PlaceDialog(curator, "Rename", original.parts, original.key), answer)

    def _receive(self, outcome: RenameOutcome | Done | Stopped) -> None:
        match outcome:
            case Renamed():
                self._on_renamed(outcome, self._original)
            case NotRenamed(problem) | Stopped(problem=problem):
                self._frame.say(problem)
            case Done():
                self._frame.notify("The file has its old name alone again.", title="Taken back")
                # What came in between was a change of the old name, and may not have been seen yet.
                touched = (self._original, *(moved.key for moved in outcome.change.moves))
                self._frame.post_message(Frame.Touched(frozenset(touched)))
            case HalfRenamed():
                self._ask(outcome, outcome.problem, f"The copy is {outcome.copy.key}", _HALF_WAYS)
            case Homeless():
                self._drafts.keep(self._drafts.ticket(), outcome.edit)
                self._ask(outcome, outcome.problem, f"The new name is {outcome.key}", _HOMELESS_WAYS)

    def _ask(self, half: HalfRenamed | Homeless, problem: Problem, where: str, ways: tuple[Way, ...]) -> None:
        curator = self._frame.curator

        def answer(way: str | None) -> None:
            if way == "finish":
                self._working.run(finish)
            elif way == "back" and isinstance(half, HalfRenamed):
                self._working.run(lambda _: iter([take_back(curator, half)]))

        def finish(_: IsCancelled) -> Iterator[RenameOutcome]:
            yield finish_renaming(curator, half)

        self._frame.app.push_screen(ChoiceDialog(problem.title, (problem.sentence, where), ways), answer)

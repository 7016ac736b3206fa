"""How a file comes to be edited: it is read, or begun at a new place; and unsaved text of it is offered first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from wenchang.paths import PathParts
from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.draft_keeper import DraftKeeper
from wenchang_tui.model.drafts import Draft
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.edit_place import PlaceDialog
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import IsCancelled, Lane

Begin: TypeAlias = Callable[[Edit, Snapshot | None], None]

_WAYS = (
    Way("go on", "Go on with that text"),
    Way("forget", "Forget it, and open what is stored", "warn"),
    Way(CANCEL, "Cancel", "dim"),
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was asked for, and the draft that waits for it."""

    key: str
    found: Edit | Problem
    draft: Draft | None

    @property
    def stored(self) -> Snapshot | None:
        """What stands in the store."""
        return self.found.base if isinstance(self.found, Edit) else None

    @property
    def newer(self) -> Snapshot | None:
        """What stands in the store, when it is not what the draft was made from."""
        base = self.draft.edit.base if self.draft else None
        is_same = base is not None and self.stored is not None and base.version == self.stored.version
        return None if is_same else self.stored


class Opening:
    """The questions and calls of it; `begin` gets the edit, and what became of its file since it was typed."""

    def __init__(self, frame: CuratingFrame, drafts: DraftKeeper, begin: Begin) -> None:
        self._frame = frame
        self._drafts = drafts
        self._begin = begin
        self.lane = Lane[Opened](frame, self._receive, frame.say)

    def start(self, key: str) -> None:
        """Open a file."""
        curator, drafts = self._frame.curator, self._drafts

        def work(_: IsCancelled) -> Iterator[Opened]:
            yield Opened(key, curator.open(key), drafts.find(key))

        self.lane.run(work)

    def start_new(self, near: PathParts, leave: Callable[[], None]) -> None:
        """Ask where a new file shall lie, `leave` what is being edited, and begin."""
        curator, drafts = self._frame.curator, self._drafts

        def answer(key: str | None) -> None:
            if key:
                leave()
                self.lane.run(lambda _: iter([Opened(key, curator.begin(key), drafts.find(key))]))

        self._frame.app.push_screen(PlaceDialog(curator, "New file", near), answer)

    def _receive(self, opened: Opened) -> None:
        draft, found = opened.draft, opened.found
        if draft is not None and not (isinstance(found, Edit) and draft.edit.content == found.content):
            self._offer(opened, draft)
        elif isinstance(found, Edit):
            self._begin(found, None)
        else:
            self._frame.say(found)

    def _offer(self, opened: Opened, draft: Draft) -> None:
        def answer(way: str | None) -> None:
            if way == "go on":
                self._begin(draft.edit, opened.newer)
            elif way == "forget":
                self._drafts.forget(self._drafts.ticket(), opened.key)
                self._receive(Opened(opened.key, opened.found, None))

        self._frame.app.push_screen(ChoiceDialog("Unsaved text", [*_about(opened, draft)], _WAYS), answer)


def _about(opened: Opened, draft: Draft) -> Iterator[str]:
    yield f"{opened.key} has text that was typed {moment(draft.saved_at)} UTC and never saved."
    if opened.newer is not None:
        yield "The file was changed since. Nothing is overwritten: saving shows both."
    elif draft.edit.base is not None and opened.stored is None:
        yield "The file is not there any more."

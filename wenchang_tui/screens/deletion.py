"""Deleting a file from any screen: it is read, its name is typed, and only the version that was looked at goes."""

from collections.abc import Callable, Iterator

from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.editing import Conflict, Deleted, DeletedMeanwhile, DeleteOutcome, Edit, Refused
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.typed_dialog import TypedDialog
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.text_lines import TextLine


class Deletion:
    """The questions and calls that a deletion takes; `on_deleted` gets the key of a file that is gone."""

    def __init__(self, frame: CuratingFrame, on_deleted: Callable[[str], None]) -> None:
        self._frame = frame
        self._on_deleted = on_deleted
        self._opening = Lane[Edit | Problem](frame, self._ask, frame.say)
        self._deleting = Lane[DeleteOutcome](frame, self._finish, frame.say)

    def start(self, key: str) -> None:
        """Ask about the file as it stands now."""
        curator = self._frame.curator
        if objection := curator.objection(key):
            self._frame.say(objection)
        else:
            self._opening.run(lambda _: iter([curator.open(key)]))

    def _ask(self, opened: Edit | Problem, note: str = "") -> None:
        if isinstance(opened, Problem):
            self._frame.say(opened)
            return
        edit = opened
        if edit.base is None or not self._frame.is_current:
            return

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._deleting.run(work)

        def work(_: IsCancelled) -> Iterator[DeleteOutcome]:
            yield self._frame.curator.delete(edit)

        dialog = TypedDialog("Delete", [*_consequences(edit.base, note)], edit.base.parts.name)
        self._frame.app.push_screen(dialog, answer)

    def _finish(self, outcome: DeleteOutcome) -> None:
        match outcome:
            case Deleted(change):
                key = change.moves[0].key
                self._frame.notify(f"{key} is deleted. ^t on Edit takes it back.", title="Deleted")
                self._on_deleted(key)
            case DeletedMeanwhile(edit):
                self._frame.notify(f"{edit.key} was deleted by somebody else already.", title="Gone already")
                self._on_deleted(edit.key)
            case Conflict(edit, theirs):
                self._ask(
                    edit.onto(theirs), "Not deleted: somebody changed it after you looked. This is about what is there."
                )
            case Refused(_, problem):
                self._frame.say(problem)


def _consequences(file: Snapshot, note: str) -> Iterator[TextLine]:
    """What goes, for whom, and for how long."""
    if note:
        yield TextLine(note, "warn")
    parts = file.parts
    yield TextLine(f"{parts.scope} / {parts.entity_id} / {parts.area} / {parts.name}", "strong")
    yield TextLine(f"{file.content.size:,} bytes. Agents of {parts.entity_id} lose the file at once.")
    yield TextLine("It can be taken back in this session, until something else stands there.", "dim")

"""Somebody else got in between: what they did is shown, and a person says how to go on. Nothing goes unasked."""

from collections.abc import Callable
from typing import TypeAlias

from wenchang.paths import parse_path
from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.editing import Conflict, CreatedMeanwhile, DeletedMeanwhile, Edit
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.edit_merge import Merged, MergeScreen
from wenchang_tui.screens.edit_place import PlaceDialog
from wenchang_tui.widgets.file_view import moment

Collided: TypeAlias = Conflict | CreatedMeanwhile | DeletedMeanwhile

_CREATED_WAYS = (
    Way("compare", "Compare both, and merge"),
    Way("elsewhere", "Choose another name for yours"),
    Way(CANCEL, "Go on typing; nothing is saved", "dim"),
)
_DELETED_WAYS = (
    Way(CANCEL, "Go on typing; nothing is saved"),
    Way("again", "Make the file again, with your text"),
    Way("give up", "Give up your text, too", "warn"),
)


class Collisions:
    """The questions of it. `go_on` gets the edit to go on with, and whether to save it at once."""

    def __init__(self, frame: CuratingFrame, go_on: Callable[[Edit, bool], None], give_up: Callable[[], None]) -> None:
        self._frame = frame
        self._go_on = go_on
        self._give_up = give_up

    def settle(self, collided: Collided) -> None:
        """Ask how to go on."""
        match collided:
            case Conflict():
                self.merge(collided)
            case CreatedMeanwhile():
                self._ask_created(collided)
            case DeletedMeanwhile(edit):
                self._ask_deleted(edit)

    def merge(self, collided: Conflict | CreatedMeanwhile) -> None:
        """Show both sides, and take what a person makes of them."""
        edit, theirs = collided.edit, collided.theirs

        def answer(merged: Merged | None) -> None:
            if merged is not None:
                self._go_on(edit.onto(theirs, merged.content), merged.is_final)

        title = "Changed meanwhile" if isinstance(collided, Conflict) else "Created meanwhile"
        self._frame.app.push_screen(MergeScreen(collided.merge(), title, by_others(theirs)), answer)

    def _ask_created(self, collided: CreatedMeanwhile) -> None:
        def answer(way: str | None) -> None:
            if way == "compare":
                self.merge(collided)
            elif way == "elsewhere":
                self._move(collided.edit)

        sentences = (f"There is a file at {collided.edit.key} by now, made by somebody else.", "Yours is not saved.")
        self._frame.app.push_screen(ChoiceDialog("Created meanwhile", sentences, _CREATED_WAYS), answer)

    def _move(self, edit: Edit) -> None:
        def answer(key: str | None) -> None:
            if key:
                self._go_on(Edit(key, None, edit.content), False)

        dialog = PlaceDialog(self._frame.curator, "Another name", parse_path(edit.key))
        self._frame.app.push_screen(dialog, answer)

    def _ask_deleted(self, edit: Edit) -> None:
        def answer(way: str | None) -> None:
            if way == "again":
                self._go_on(edit.anew(), True)
            elif way == "give up":
                self._give_up()

        sentences = (f"{edit.key} was deleted after you opened it.", "Your text is still here.")
        self._frame.app.push_screen(ChoiceDialog("Deleted meanwhile", sentences, _DELETED_WAYS), answer)


def by_others(theirs: Snapshot) -> str:
    """Who may have written what is there, and when."""
    sources = ", ".join(sorted(theirs.metadata.sources)) or "somebody"
    return f"Changed in the store {moment(theirs.metadata.last_updated)} UTC; written by {sources}."

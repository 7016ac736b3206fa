"""What others make of a file while it is edited: it is noticed, told beside the text, and compared on request.

What is typed is never touched here: `follow` gets what has become of the file, and the edit to go on with.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from wenchang_tui.model.content import Snapshot, snapshot_of
from wenchang_tui.model.editing import Conflict, CreatedMeanwhile, DeletedMeanwhile, Edit
from wenchang_tui.model.meanwhile import Meanwhile, meanwhile
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.edit_collisions import Collided, Collisions, by_others
from wenchang_tui.widgets.lane import IsCancelled, Lane

Follow: TypeAlias = Callable[[Meanwhile, Edit], None]

_GONE = "! Deleted in the store meanwhile. Your text is untouched: f9 decides."
_ELSEWHERE = "Changed elsewhere in this app."


class Others:
    """Looks at the file in the store; `typed` is the edit of it with the text of now."""

    def __init__(
        self, frame: CuratingFrame, collisions: Collisions, typed: Callable[[], Edit | None], follow: Follow
    ) -> None:
        self._frame = frame
        self._collisions = collisions
        self._typed = typed
        self._follow = follow
        self._theirs: Snapshot | None = None
        self._is_gone = False
        self._looking = Lane[Snapshot | Problem | None](frame, self._looked, frame.say)

    def expect(self, theirs: Snapshot | None = None) -> None:
        """Start anew, from what is stored; or from something else, with `theirs` known to be stored."""
        self._theirs, self._is_gone = theirs, False

    @property
    def differ(self) -> bool:
        """Whether something else is stored than what the edit was made from."""
        return self._theirs is not None or self._is_gone

    @property
    def note(self) -> str:
        """What they did, and the key that goes on from there; "" while there is nothing to say."""
        if self._is_gone:
            return _GONE
        if self._theirs is None:
            return ""
        what = _ELSEWHERE if self._is_own(self._theirs.key, self._theirs) else by_others(self._theirs)
        return f"! {what} Your text is untouched: f9 compares."

    def met(self, collided: Collided) -> None:
        """A save came upon what they did: ask how to go on."""
        self._is_gone = isinstance(collided, DeletedMeanwhile)
        self._theirs = None if isinstance(collided, DeletedMeanwhile) else collided.theirs
        self._collisions.settle(collided)

    def compare(self) -> None:
        """Show both sides, or ask what becomes of a text whose file they deleted."""
        typed, theirs = self._typed(), self._theirs
        if typed is None:
            return
        if theirs is not None:
            self._collisions.merge(Conflict(typed, theirs) if typed.base else CreatedMeanwhile(typed, theirs))
        elif self._is_gone:
            self._collisions.settle(DeletedMeanwhile(typed))

    def look(self) -> None:
        """Look at what became of the file, in a thread."""
        catalog, typed = self._frame.workspace.catalog, self._typed()
        if typed is None:
            return
        key = typed.key

        def work(_: IsCancelled) -> Iterator[Snapshot | Problem | None]:
            file = catalog.open(key)
            unreadable = Problem("Unreadable now", f"{key} cannot be read any more.", "Health (5) offers its repair.")
            yield None if file is None else snapshot_of(file) or unreadable

        self._looking.run(work)

    def _looked(self, found: Snapshot | Problem | None) -> None:
        typed = self._typed()
        if isinstance(found, Problem):
            self._frame.say(found)
        elif typed is not None and (found is None or found.key == typed.key):
            self._take(meanwhile(typed, found), typed, found)

    def _take(self, what: Meanwhile, typed: Edit, found: Snapshot | None) -> None:
        self._theirs = found if what is Meanwhile.COMPARE else None
        self._is_gone = what is Meanwhile.GONE
        edit = typed
        if what is Meanwhile.GO_ON and found is not None:
            edit = typed.onto(found)
        elif what is Meanwhile.READ_AGAIN and found is not None:
            edit = typed.onto(found, found.content)
        if not self._is_own(typed.key, found):
            self._tell(what, typed.key, found)
        self._follow(what, edit)

    def _tell(self, what: Meanwhile, key: str, found: Snapshot | None) -> None:
        """Say why the text in sight is another all of a sudden."""
        if what is Meanwhile.CLOSE:
            self._frame.notify(f"{key} was deleted by somebody else.", title="Deleted meanwhile", severity="warning")
        elif what is Meanwhile.READ_AGAIN and found is not None:
            self._frame.notify(f"{by_others(found)} This is what it says now.", title="Read again")

    def _is_own(self, key: str, found: Snapshot | None) -> bool:
        """Whether it was this person who made it so, elsewhere in the app."""
        return self._frame.curator.log.led_to(key, found.version if found else None)

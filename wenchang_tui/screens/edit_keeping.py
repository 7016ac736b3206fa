"""Keeping what is typed until it is saved: soon after each key, before one turns away, and when the app ends."""

from collections.abc import Callable
from typing import TypeAlias

from textual.timer import Timer

from wenchang_tui.model.draft_keeper import DraftKeeper, is_worth_keeping
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.typed import Typed
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.lane import Lane

Capture: TypeAlias = Callable[[], tuple[Edit, Typed] | None]

_SECONDS = 0.4
_WAYS = (Way(CANCEL, "Stay"), Way("quit", "Quit, and lose what was typed", "warn"))


class Keeping:
    """The drafts of what is being edited; `capture` says what that is, `on_kept` gets whether it is safe."""

    def __init__(self, frame: Frame, drafts: DraftKeeper, capture: Capture, on_kept: Callable[[bool], None]) -> None:
        self._frame = frame
        self._drafts = drafts
        self._capture = capture
        self._timer: Timer | None = None
        self._lane = Lane[bool](frame, on_kept)

    def soon(self) -> None:
        """Keep it in a moment, however fast one types on."""
        if self._timer is None:
            self._timer = self._frame.set_timer(_SECONDS, self.at_once)

    def at_once(self) -> None:
        """Keep it, in a thread."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        captured, ticket = self._capture(), self._drafts.ticket()
        if captured is not None:
            edit, typed = captured
            self._lane.run(lambda _: iter([self._drafts.keep(ticket, edit.with_content(typed.content()))]))

    def now(self) -> Edit | None:
        """Keep it before anything else happens; the edit that would be lost otherwise, if that worked."""
        edit = self.unsaved
        return edit if edit is not None and self._drafts.keep(self._drafts.ticket(), edit) else None

    @property
    def unsaved(self) -> Edit | None:
        """What is typed, if anything would be lost with it."""
        captured = self._capture()
        if captured is None:
            return None
        edit = captured[0].with_content(captured[1].content())
        return edit if is_worth_keeping(edit) else None

    def leave(self) -> None:
        """Keep it and say so, when one turns to something else."""
        edit = self.now()
        if edit is not None:
            self._frame.notify(f"What you typed in {edit.key} is kept, and offered again.", title="Not saved")

    def let_go(self) -> bool:
        """Keep it and leave word; where it cannot be kept, or goes with a demo, ask. Whether the app may end."""
        edit, kept = self.unsaved, self.now()
        self._frame.parting = ""
        if edit is not None and kept is None:
            self._ask(f"{edit.key} is not saved, and drafts cannot be kept on this disk.")
            return False
        if self._frame.opened.kind == "demo":
            return self._let_go_of_demo()
        self._frame.parting = _words(kept)
        return True

    def keep(self) -> str:
        """Keep it; the words to say of it, if it will be offered again."""
        kept = self.now()
        return "" if self._frame.opened.kind == "demo" else _words(kept)

    def _let_go_of_demo(self) -> bool:
        """Ask whether the texts that wait may be lost: nobody will open this demo again."""
        keys = [draft.edit.key for draft in self._drafts.all()]
        if keys:
            what = f"{keys[0]} is" if len(keys) == 1 else f"{len(keys)} texts are"
            self._ask(f"{what} not saved, and nothing that is typed in a demo is kept.")
        return not keys

    def _ask(self, sentence: str) -> None:
        def answer(way: str | None) -> None:
            if way == "quit":
                self._frame.app.exit()

        self._frame.app.push_screen(ChoiceDialog("Not saved", (sentence,), _WAYS), answer)


def _words(kept: Edit | None) -> str:
    return f"What you typed in {kept.key} is kept, and offered when you open it again." if kept else ""

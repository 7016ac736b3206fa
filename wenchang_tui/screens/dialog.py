"""What stands over a screen and closes with an answer: once, and never another in its place."""

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A dialog whose answer counts once.

    Keys come faster than screens go: the second of two may still reach a dialog that is closed, and what a worker
    found one that lies below another. Textual would close whatever is on top then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "app.quit", show=False)]

    _answer_given: tuple[T | None] | None = None

    def let_go(self) -> bool:
        """Make ready for the end of the app; whether nothing typed here is in its way."""
        return True

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close with an answer; below another dialog as soon as that is closed, and not at all when it is closed."""
        if self._answer_given is not None or self not in self.app.screen_stack:
            return AwaitComplete()
        self._answer_given = (result,)
        return self._close()

    def keep(self) -> str:
        """Keep what is typed before the app ends unasked; the words to say of it, if there is anything."""
        return ""

    def on_screen_resume(self) -> None:
        """Close with the answer that was given while another dialog lay over this one."""
        self._close()

    def _close(self) -> AwaitComplete:
        if self._answer_given is None or self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(*self._answer_given)

"""One long operation, off the loop: what it is, how far, for how long, how to cancel it, and in the end its receipt."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import ClassVar

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from wenchang.core import Progress
from wenchang_tui.model.receipts import Deed, Operator, Receipt
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.safe_text import safe_line

_BAR = 24
_DOING = {Deed.EXPORT: "Exporting", Deed.RESTORE: "Putting back", Deed.PURGE: "Deleting"}


class OperationLine(Widget):
    """Takes no room while nothing is running. An operation always ends in a receipt, also one that is cancelled."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"operation--done", "operation--rest"}
    DEFAULT_CSS = """
    OperationLine {
        height: 1;
        display: none;
        padding: 0 1;
        background: $panel;
        & > .operation--done { color: $primary; }
        & > .operation--rest { color: $foreground 25%; }
    }
    """

    @dataclass
    class Ended(Message):
        """What became of an operation, and the objects it came to."""

        receipt: Receipt
        keys: frozenset[str]

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.doing = ""
        """What is running, or ran last."""
        self._workspace = workspace
        self._began = 0.0
        self._progress: Progress | None = None
        self._keys: set[str] = set()
        self._stop = Event()
        self._working = Lane[Receipt](self, self._end)

    @property
    def is_busy(self) -> bool:
        """Whether something is running."""
        return self._working.busy

    def run(self, deed: Deed, entity: str, work: Callable[[Operator], Receipt]) -> None:
        """Begin `work` on an entity."""
        self.doing, self._began = f"{_DOING[deed]} {entity}", monotonic()
        self._progress, self._keys, self._stop = None, set(), Event()
        operator = Operator(self._workspace, self._follow, self._stop.is_set)
        self._working.run(lambda _: iter([work(operator)]))
        self.display = True
        self.auto_refresh = 0.1

    def stop(self) -> bool:
        """Cancel what is running; whether anything is. It ends as soon as what is under way is done."""
        if self.is_busy:
            self._stop.set()
            self.refresh()
        return self.is_busy

    def on_unmount(self) -> None:
        """What is running ends with the app."""
        self._stop.set()

    def _follow(self, progress: Progress) -> None:
        """In the thread of the operation; the next frame shows it."""
        self._keys.add(progress.key)
        self._progress = progress

    def _end(self, receipt: Receipt) -> None:
        self.auto_refresh = None
        self.display = False
        self._working.cancel()
        self.post_message(self.Ended(receipt, frozenset(self._keys)))

    def render(self) -> Content:
        """All of it on one line."""
        seconds = int(monotonic() - self._began)
        took = f"  {seconds} s" if seconds else ""
        is_stopping = self._stop.is_set()
        key = "stopping, what is under way is finished first…" if is_stopping else "esc cancels"
        return Content.assemble(f"{safe_line(self.doing)}  ", *self._bar(), f"{took}  ", (key, "dim"))

    def _bar(self) -> tuple[Content, ...]:
        progress = self._progress
        if progress is None:
            return (Content("looking…"),)
        filled = _BAR * progress.done // max(1, progress.total)
        done = Content.styled("━" * filled, self.get_visual_style("operation--done"))
        rest = Content.styled("─" * (_BAR - filled), self.get_visual_style("operation--rest"))
        return done, rest, Content(f"  {progress.done:,} of {progress.total:,}")

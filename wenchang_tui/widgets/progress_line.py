"""How far something long is: what, a bar, counts, how long it has taken, and the key that cancels it."""

from time import monotonic
from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from wenchang.core import Progress

_BAR = 24


class ProgressLine(Widget):
    """Takes no room while nothing is running. `tell` may be called from any thread."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"progress--done", "progress--rest"}
    DEFAULT_CSS = """
    ProgressLine {
        height: 1;
        display: none;
        padding: 0 1;
        background: $panel;
        & > .progress--done { color: $primary; }
        & > .progress--rest { color: $foreground 25%; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.doing = ""
        """What is running, or ran last."""
        self._began = 0.0
        self._progress: Progress | None = None
        self._is_stopping = False

    def begin(self, doing: str) -> None:
        """Show that something began."""
        self.doing, self._began = doing, monotonic()
        self._progress, self._is_stopping = None, False
        self.display = True
        self.auto_refresh = 0.1

    def tell(self, progress: Progress) -> None:
        """How far it is; the next frame shows it."""
        self._progress = progress

    def stopping(self) -> None:
        """It was cancelled, and ends as soon as what is under way is done."""
        self._is_stopping = True
        self.refresh()

    def end(self) -> None:
        """Nothing is running any more."""
        self.auto_refresh = None
        self.display = False

    def render(self) -> Content:
        """All of it on one line."""
        seconds = int(monotonic() - self._began)
        took = f"  {seconds} s" if seconds else ""
        key = "stopping, what is under way is finished first…" if self._is_stopping else "esc cancels"
        return Content.assemble(f"{self.doing}  ", *self._bar(), f"{took}  ", (key, "dim"))

    def _bar(self) -> tuple[Content, ...]:
        progress = self._progress
        if progress is None:
            return (Content("looking…"),)
        filled = _BAR * progress.done // max(1, progress.total)
        done = Content.styled("━" * filled, self.get_visual_style("progress--done"))
        rest = Content.styled("─" * (_BAR - filled), self.get_visual_style("progress--rest"))
        return done, rest, Content(f"  {progress.done:,} of {progress.total:,}")

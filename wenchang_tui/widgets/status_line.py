"""One line below a pane: what it is busy with and for how long, a problem with what to do next, or nothing at all."""

from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.safe_text import safe_line


class StatusLine(Widget):
    """Takes no room while there is nothing to say."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"status--bad"}
    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        display: none;
        padding: 0 1;
        background: $panel;
        color: $warning;
        & > .status--bad { color: $error; text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = Content("")
        self._lane: Lane[object] | None = None
        self._doing = ""

    def follow(self, lane: Lane, doing: str) -> None:  # type: ignore[type-arg]
        """Show what `lane` is doing for as long as it is busy."""
        self._lane, self._doing = lane, doing
        self._text = Content("")
        self._tick()

    def show_problem(self, problem: Problem, retry: str = "") -> None:
        """Show a problem, and the key that tries again."""
        self._lane = None
        style = self.get_visual_style("status--bad")
        rest = f" {problem.sentence} {problem.next_step} {retry}"
        self._show(Content.assemble((f"! {safe_line(problem.title)}:", style), safe_line(rest)))

    def show_note(self, note: Content) -> None:
        """Show a sentence."""
        self._lane = None
        self._show(note)

    def _show(self, text: Content) -> None:
        self._text = text
        self.display = bool(text.plain)
        self.auto_refresh = None
        self.refresh()

    def _tick(self) -> None:
        busy = self._lane is not None and self._lane.busy
        self.display = busy
        self.auto_refresh = 0.25 if busy else None
        self.refresh()

    def render(self) -> Content:
        """The work under way, with the seconds it has taken once it takes any."""
        if self._lane is None:
            return self._text.truncate(self.content_size.width, ellipsis=True)
        seconds = int(self._lane.elapsed)
        return Content(f"{self._doing}… {f'{seconds} s  ' if seconds else ''}esc cancels")

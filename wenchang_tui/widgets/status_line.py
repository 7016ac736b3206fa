"""One line below a pane: a problem with what to do next, a sentence, or nothing at all."""

from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.safe_text import safe_line


class StatusLine(Widget):
    """Takes no room while there is nothing to say."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"status--bad"}
    DEFAULT_CSS = """
    StatusLine {
        height: auto;
        max-height: 3;
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

    def show_problem(self, problem: Problem, retry: str = "") -> None:
        """Show a problem, and the key that tries again."""
        style = self.get_visual_style("status--bad")
        rest = f" {problem.sentence} {problem.next_step} {retry}"
        self.show_note(Content.assemble((f"! {safe_line(problem.title)}:", style), safe_line(rest)))

    def show_note(self, note: Content) -> None:
        """Show a sentence; an empty one takes the line away."""
        self._text = note
        self.display = bool(note.plain)
        self.refresh(layout=True)

    def clear(self) -> None:
        """Take the line away."""
        self.show_note(Content(""))

    def render(self) -> Content:
        """What there is to say."""
        return self._text

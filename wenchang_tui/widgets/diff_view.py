"""A difference between two states of a memory file, line by line, as text lines: the body, then the fields."""

from collections.abc import Iterator
from typing import ClassVar

from rich.style import Style

from wenchang_tui.agent.diffing import DiffLine, FileDiff, Mark
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_FIELD = 14
_POINTED = Style(bold=True, underline=True)
_TONES = {Mark.ADDED: "added", Mark.REMOVED: "removed", Mark.SAME: "", Mark.GAP: "dim"}


class DiffText(TextLines):
    """A text whose lines may be those of a difference; the letter before a line says the same as its colour."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--added", "text--removed", "text--title", "text--good"}
    DEFAULT_CSS = """
    DiffText {
        scrollbar-gutter: stable;
        & > .text--added { color: $success; }
        & > .text--removed { color: $error; }
        & > .text--good { color: $success; text-style: bold; }
        & > .text--title { color: $primary; text-style: bold; }
    }
    """

    def _tone(self, name: str, base: Style) -> Style:
        """What is pointed at keeps the colour of its line."""
        return base + _POINTED if name == "found" else super()._tone(name, base)


def count(diff: FileDiff) -> str:
    """How many lines were added and removed."""
    return f"+{diff.added} -{diff.removed}"


def diff_lines(diff: FileDiff) -> Iterator[TextLine]:
    """The lines of a difference. Fields that stay as they are go unmentioned."""
    for line in diff.lines:
        if line.field and line.mark is Mark.SAME:
            continue
        yield _line(line)


def _line(line: DiffLine) -> TextLine:
    tone = _TONES[line.mark]
    lead = f"{line.mark.value} {line.field:<{_FIELD}}" if line.field else f"{line.mark.value} "
    return TextLine(line.text, tone, lead, tone or "dim", line.changed)

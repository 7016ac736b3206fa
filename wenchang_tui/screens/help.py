"""`?`: what works here and now, and why the rest does not."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import SizeGuard
from wenchang_tui.widgets.commands import Command, Need, Where, bindings, commands, key_labels, unmet
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_KEYS = 14
_NAME = 14

MARKS = (
    ("~", "changed since the app began to look"),
    ("!", "cannot be read as a memory file; the reason stands in its row"),
    ("*", "marked, to be copied with others"),
    ("3 cut", "so many files of the area fall off the end of the index"),
)


class HelpScreen(Dialog[None]):
    """The commands of some places, those that cannot be used with the reason."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG), ("question_mark,q", "close")]
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        & > #box {
            width: 88;
            max-width: 100%;
            height: 90%;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
    }
    """

    def __init__(self, places: Iterable[Where], met: set[Need]) -> None:
        super().__init__()
        self._places = tuple(places)
        self._met = met

    def compose(self) -> ComposeResult:
        """One text to scroll through."""
        with Vertical(id="box") as box:
            box.border_title, box.border_subtitle = "Help", "esc closes"
            yield TextLines()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Fill it in."""
        text = self.query_one(TextLines)
        text.show([*self._lines()])
        self.set_focus(text)

    def action_close(self) -> None:
        """Back to where one was."""
        self.dismiss()

    def _lines(self) -> Iterator[TextLine]:
        for place in self._places:
            yield TextLine(place.value, "strong")
            yield from (self._line(command) for command in commands(place) if command.keys)
            yield TextLine("")
        yield TextLine("Marks", "strong")
        yield from (TextLine(meaning, "", f"  {mark:<{_KEYS}}", "observed") for mark, meaning in MARKS)

    def _line(self, command: Command) -> TextLine:
        need = unmet(command, self._met)
        lead = f"  {key_labels(command):<{_KEYS}}{command.name:<{_NAME}} "
        if need is None:
            return TextLine(command.help, "", lead, "observed")
        return TextLine(f"{command.help} (not now: {need.value})", "dim", lead, "dim")

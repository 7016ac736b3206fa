"""A walkthrough as it unfolds: who says what, and between the words the calls that were made."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wenchang_tui.agent.history import target_of
from wenchang_tui.agent.playback import Played
from wenchang_tui.agent.scenarios import AGENT, DIYA, NARRATOR, TIANLONG, Say, Use
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_LEAD = 10
_TONES = {TIANLONG: "stated", DIYA: "inferred", AGENT: "observed"}


class Narration(TextLines):
    """The beats played so far, the newest in sight."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--good", "text--narrator"}
    DEFAULT_CSS = """
    Narration {
        scrollbar-gutter: stable;
        & > .text--good { color: $success; text-style: bold; }
        & > .text--narrator { color: $text-muted; text-style: italic; }
    }
    """

    def show_beats(self, played: Sequence[Played], ending: str = "") -> None:
        """Show what was played, and at its end a sentence of ours."""
        lines = [line for each in played for line in _lines(each)]
        self.show([*lines, *([TextLine(ending, "strong", "■ ", "strong")] if ending else [])], keep_scroll=True)
        self.call_after_refresh(self.scroll_end, animate=False)


def _lines(played: Played) -> Iterator[TextLine]:
    match played.beat:
        case Say(who, text) if who == NARRATOR:
            yield TextLine(text, "narrator")
        case Say(who, text):
            yield TextLine(text, "", f"{who:<{_LEAD}}", _TONES.get(who, "strong"))
        case Use():
            yield _call_line(played.beat, played)
    yield TextLine("")


def _call_line(use: Use, played: Played) -> TextLine:
    whose = f"{use.caller}'s agent calls " if use.caller != TIANLONG else "calls "
    text = f"{whose}{use.tool} {target_of(use.arguments)}".rstrip()
    if played.is_error:
        error = f"{played.answer['category']}, {played.answer['error']}" if played.answer else "error"
        return TextLine(f"{text}: {error}", "strong", f"{'! ' + use.number.split()[0]:<{_LEAD}}", "bad")
    return TextLine(f"{text}: ok", "strong", f"{'> ' + use.number.split()[0]:<{_LEAD}}", "good")

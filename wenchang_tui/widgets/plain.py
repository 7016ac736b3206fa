"""What is drawn where no colour is wanted (`NO_COLOR`): the colours go, and bold, dim and reverse say what they said.

Textual by itself turns colours into greys, which are colours, too.
"""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

_FAINT = 0.7
_GREY = 40


class Plain(LineFilter):
    """Takes the colours away: blocks of colour become reverse, and what is fainter than text becomes dim."""

    def __init__(self, *, is_dark: bool) -> None:
        super().__init__()
        self._is_dark = is_dark

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same segments, without colours."""
        return [Segment(text, style and _plain(style, self._is_dark), control) for text, style, control in segments]


@lru_cache(1024)
def _plain(style: Style, is_dark: bool) -> Style:
    if style.color is None or style.bgcolor is None or style.color.is_default or style.bgcolor.is_default:
        return style.without_color
    text, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    strength = text.brightness if is_dark else 1 - text.brightness
    is_grey = max(text.rgb) - min(text.rgb) < _GREY
    is_block = bool(style.reverse) or (text.brightness < ground.brightness) == is_dark
    is_faint = bool(style.dim) or (is_grey and strength < _FAINT)
    return style.without_color + Style(reverse=is_block, dim=is_faint and not is_block)


ON_DARK, ON_LIGHT = Plain(is_dark=True), Plain(is_dark=False)

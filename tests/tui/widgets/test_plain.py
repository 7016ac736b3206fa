"""Without colours, bold, dim and reverse say what colours said."""

from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from wenchang_tui.widgets.plain import ON_DARK, ON_LIGHT, Plain


def plain(where: Plain, style: str) -> Style:
    (segment,) = where.apply([Segment("x", Style.parse(style))], Color(0, 0, 0))
    assert segment.style is not None
    assert segment.style.color is None
    assert segment.style.bgcolor is None
    return segment.style


def test_text_stays_as_it_is() -> None:
    for where, style in ((ON_DARK, "bold #d9dce2 on #191d23"), (ON_LIGHT, "bold #2a2b2d on #faf8f3")):
        assert plain(where, style) == Style(bold=True, reverse=False, dim=False)


def test_a_block_of_colour_is_reversed() -> None:
    assert plain(ON_DARK, "#14171c on #5fb8a2").reverse
    assert plain(ON_LIGHT, "#faf8f3 on #1c7566").reverse
    assert plain(ON_DARK, "reverse #14171c on #5fb8a2").reverse


def test_grey_text_is_dim_and_coloured_text_is_not() -> None:
    assert plain(ON_DARK, "#a0a4aa on #191d23").dim
    assert plain(ON_LIGHT, "#707070 on #faf8f3").dim
    assert not plain(ON_DARK, "#ea7079 on #191d23").dim


def test_what_has_no_colour_is_left_alone() -> None:
    assert ON_DARK.apply([Segment("x")], Color(0, 0, 0)) == [Segment("x")]
    assert plain(ON_DARK, "reverse") == Style(reverse=True)

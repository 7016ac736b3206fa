import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from wenchang_tui.model.safe import visible, visible_line
from wenchang_tui.widgets.safe_text import fit, safe, safe_block, safe_line, shorten_start

MARKUP = ["[/]", "[x]", "[red]a[/red]", "[@click=app.quit]a[/]", "[link='x", "foo[/", "a\\", "[[wiki]]", "[$x]"]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_text(text: str) -> None:
    assert safe(text).plain == text
    assert safe(text).spans == []


def test_control_characters_become_visible() -> None:
    assert safe("\x1b[31m\u202e").plain == "␛[31m\N{REPLACEMENT CHARACTER}"
    assert safe_line("a\nb\tc") == visible_line("a\nb\tc")
    assert safe_block("\ta") == "    a"
    assert safe_block("a\nb") == "a␤b"


@given(st.text() | st.text("a日e\u0301👩\u200d🎓"), st.integers(0, 40), st.booleans())
def test_fitted_text_has_exactly_the_width(text: str, width: int, right: bool) -> None:
    fitted = fit(text, width, right=right)
    assert cell_len(fitted) == width
    assert fitted == visible(fitted)
    assert "\n" not in fitted


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [("٭\u200d", 3, "٭  "), ("٭\u200d", 1, "٭")],
)
def test_a_joiner_at_the_end_takes_nothing_of_what_follows(text: str, width: int, fitted: str) -> None:
    assert fit(text, width) == fitted


def test_text_that_is_too_long_ends_in_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("日本語", 4) == "日 …"
    assert fit("ab", 4, right=True) == "  ab"
    assert shorten_start("/a/long/path", 6) == "…/path"


@given(st.text(), st.integers(0, 20))
def test_the_kept_end_is_never_too_wide(text: str, width: int) -> None:
    assert cell_len(shorten_start(text, width)) <= width

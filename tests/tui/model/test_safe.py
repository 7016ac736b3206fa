import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang_tui.model.safe import count_replaced, spelled, visible, visible_line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x7fb\x85c\x9bd", "a␡b\ufffdc\ufffdd"),
        ("abc\u202edef\u2066", "abc\ufffddef\ufffd"),
        ("a\u200bb\u200e\u200f\u2060\ufeff", "a\ufffdb" + "\ufffd" * 4),
        ("a\u2028b\u2029c", "a\ufffdb\ufffdc"),
        ("x\U000e0041\U000e007f", "x\ufffd\ufffd"),
        ("\ud800", "\ufffd"),
        ("ad\u200dmin", "ad\ufffdmin"),
        ("\u00ad\u061c\u3164", "\ufffd" * 3),
    ],
)
def test_what_moves_turns_or_hides_is_replaced_one_for_one(raw: str, shown: str) -> None:
    assert visible(raw) == shown
    assert count_replaced(raw) == sum(c in "\ufffd␛␇␡" for c in shown)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "tab\tand\nline",
        "👩‍🎓 🖋️ 👨‍👩‍👧",
        "林樵 韓舟",
        "يوسف التاجر",
        "می\u200cخواهم",
        "क्\u200dष",
        "e\u0301",
        "[bold]not markup[/]",
        "\u0601",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text
    assert count_replaced(text) == 0


def test_a_line_is_one_line() -> None:
    assert visible_line("a\tb\nc\rd") == "a␉b␤c␍d"


@given(st.text(st.characters(codec=None)))
def test_nothing_dangerous_comes_through_and_offsets_stay(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert visible(shown) == shown
    for character in shown:
        assert character in "\t\n\u200c\u200d" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in (
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )


@given(st.text(st.characters(codec=None), max_size=8), st.text(st.characters(codec=None), max_size=8))
def test_what_is_spelled_out_can_be_typed_and_is_of_one_text_alone(one: str, other: str) -> None:
    assert spelled(one) == visible_line(spelled(one)) == unicodedata.normalize("NFC", spelled(one))
    if one != other and "\\" not in one + other:
        assert spelled(one) != spelled(other)

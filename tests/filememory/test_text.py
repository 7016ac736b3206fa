import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.filememory.text import is_blank, lowered, on_one_line, quoted, well_formed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("notes.md", '"notes.md"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
        ("\x00\x1b\x7f", '"\\x00\\x1b\\x7f"'),
        ("\x85\xa0\u200b\u2028", '"\\u0085\\u00a0\\u200b\\u2028"'),
        ("\U000e0001", '"\\U000e0001"'),
        ("日本 é 😀", '"日本 é 😀"'),
        ("it's", '"it\'s"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_text_is_quoted_as_go_does(text: str, expected: str) -> None:
    assert quoted(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_what_is_quoted_shows_and_can_be_told_back(text: str) -> None:
    shown = quoted(text)
    assert shown.isprintable()
    escapes = {"\\a": "\\u0007", "\\v": "\\u000b"}
    as_json, rest = "", shown
    while rest:
        if rest[:2] in escapes:
            as_json, rest = as_json + escapes[rest[:2]], rest[2:]
        elif rest[:2] == "\\x":
            as_json, rest = as_json + "\\u00" + rest[2:4], rest[4:]
        elif rest[:2] == "\\U":
            as_json, rest = as_json + chr(int(rest[2:10], 16)), rest[10:]
        else:
            size = 2 if rest[0] == "\\" else 1
            as_json, rest = as_json + rest[:size], rest[size:]
    assert json.loads(as_json) == text


def test_blank_is_what_go_calls_space() -> None:
    assert is_blank("")
    assert is_blank(" \t\n\v\f\r\x85\xa0\u2003\u3000")
    assert not is_blank("\x1c")
    assert not is_blank("\u200b")


def test_a_text_is_brought_onto_one_line() -> None:
    assert on_one_line("  a\r\n\r\nb \u2028 c\x1cd ") == "a b c\x1cd"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud800b", "a\ufffdb"), ("\udc00\ud800", "\ufffd\ufffd"), ("\ud83d\ude00", "😀"), ("\ufeffä", "\ufeffä")],
)
def test_a_surrogate_without_a_partner_is_replaced(text: str, expected: str) -> None:
    assert well_formed(text) == expected


def test_lower_case_does_not_depend_on_the_neighbours_of_a_character() -> None:
    assert lowered("ΑΣ") == "ας".replace("ς", "σ")
    assert lowered("İx") == "ix"

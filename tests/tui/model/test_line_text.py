import re
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wenchang_tui.model.line_text import Mark, line_text, split_lines

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
CHARACTERS = st.one_of(
    st.sampled_from("ab \t\x0b\x0c\x85\u2028\u2029\x1c\x1d\x1e\ufeff\u200b\u202e\x00\ufffd␋ⓐé日👩\u200d🎓"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"),
)
LINES = st.text(CHARACTERS, max_size=6)
# Many equal lines with different ends, which is where a comparison of lines can go astray.
TEXTS = st.builds(
    lambda pairs, last: "".join(line + end for line, end in pairs) + last,
    st.lists(st.tuples(st.one_of(LINES, st.sampled_from(["", "a", "b"])), ENDS), max_size=8),
    LINES,
)


def document_lines(text: str) -> list[str]:
    """What an editor of lines makes of a text, as Python splits it."""
    lines = text.splitlines()
    return [*lines, ""] if not text or text.splitlines(keepends=True)[-1] != lines[-1] else lines


@given(TEXTS)
def test_what_is_shown_survives_an_editor_of_lines(text: str) -> None:
    shown = line_text(text).shown
    assert document_lines(shown) == shown.split("\n")
    assert not re.search("[\r\x00\x0b\x0c\x85\u2028\u2029\ufeff\u202e]", shown)


@given(TEXTS)
def test_leaving_it_alone_changes_nothing(text: str) -> None:
    shown = line_text(text)
    assert shown.back(shown.shown) == text


@settings(max_examples=200)
@given(TEXTS, st.data())
def test_editing_one_line_changes_that_line_alone(text: str, data: st.DataObject) -> None:
    shown = line_text(text)
    pieces = split_lines(text) or [""]
    lines = shown.shown.split("\n")
    at = data.draw(st.integers(0, len(pieces) - 1))
    typed = data.draw(st.text("xyz", min_size=1, max_size=5).filter(lambda line: line != lines[at]))
    content = re.sub(r"\r\n\Z|[\r\n]\Z", "", pieces[at])
    expected = [*pieces[:at], typed + pieces[at][len(content) :], *pieces[at + 1 :]]
    assert shown.back("\n".join([*lines[:at], typed, *lines[at + 1 :]])) == "".join(expected)


@given(TEXTS, st.data())
def test_typing_into_a_line_keeps_its_hidden_characters(text: str, data: st.DataObject) -> None:
    shown = line_text(text)
    at = data.draw(st.integers(0, len(shown.shown)))
    back = shown.back(f"{shown.shown[:at]}xyz{shown.shown[at:]}")
    assert back.count("xyz") == text.count("xyz") + 1
    assert len(back) == len(text) + 3
    assert sorted(back) == sorted(f"{text}xyz")


@given(TEXTS, TEXTS)
def test_any_edit_gives_the_lines_that_were_typed(text: str, other: str) -> None:
    shown = line_text(text)
    typed = re.sub("\r\n|\r", "\n", other)
    back = shown.back(typed)
    assert line_text(back).shown.count("\n") == typed.count("\n")
    if not shown.marks:
        assert re.sub("\r\n|\r", "\n", back) == typed


@pytest.mark.parametrize(
    ("text", "edited", "expected"),
    [
        ("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"),
        ("a\rb", "a\nb\nc", "a\rb\rc"),
        ("a", "a\nb", "a\nb"),
        ("a\n", "a", "a"),
        ("a", "a\n", "a\n"),
        ("a\r\nb\rc\n", "a\nb\nc", "a\r\nb\rc"),
        ("a\r\nb\rc\n", "ab\nc\n", "ab\rc\n"),
        ("a\r\nbb\rc\n", "a\nb\nb\nc\n", "a\r\nb\rb\rc\n"),
        ("a\r\nb\rc\n", "b\nc\n", "b\rc\n"),
        ("a\r\nb\rc\n", "new\na\nb\nc\n", "new\r\na\r\nb\rc\n"),
        ("a\r\nb\rc", "a\nb\nc\nd\n", "a\r\nb\rc\rd\r"),
        ("a\r\nb\rc", "", ""),
        ("", "a\nb\n", "a\nb\n"),
        ("a\rb\nc", "a\n\nc", "a\r\rc"),
    ],
)
def test_line_ends_stay_and_new_ones_are_like_their_neighbours(text: str, edited: str, expected: str) -> None:
    assert line_text(text).back(edited) == expected


def test_each_hidden_character_is_shown_as_a_sign_of_its_own() -> None:
    shown = line_text("\ufeffa\x0bb\u2028c\u2029")
    assert shown.shown == "ⓐa␋bⓑcⓒ"
    assert shown.marks == (
        Mark("ⓐ", "\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        Mark("␋", "\x0b", "U+000B LINE TABULATION"),
        Mark("ⓑ", "\u2028", "U+2028 LINE SEPARATOR"),
        Mark("ⓒ", "\u2029", ANY),
    )


def test_a_sign_that_the_text_holds_itself_stands_for_nothing() -> None:
    shown = line_text("ⓐ␋\x0b\ufeff\n")
    assert shown.shown == "ⓐ␋ⓑⓒ\n"
    assert shown.back("ⓐ␋ⓑⓒ!\n") == "ⓐ␋\x0b\ufeff!\n"


def test_moved_and_repeated_lines_keep_their_hidden_characters() -> None:
    shown = line_text("one\u2028two\nthree\n")
    sign = shown.marks[0].shown
    assert shown.back(f"three\none{sign}two\none{sign}two\n") == "three\none\u2028two\none\u2028two\n"


def test_what_is_pasted_is_shown_safely_and_saved_as_it_was() -> None:
    shown = line_text("\ufeffa\n")
    shown, pasted = shown.taking_in("b\u202e\ufeff\r\nc\x0b", shown.shown)
    assert pasted == "bⓑⓐ\nc␋"
    assert [mark.original for mark in shown.marks] == ["\ufeff", "\u202e", "\x0b"]
    assert shown.back(f"ⓐa\n{pasted}") == "\ufeffa\nb\u202e\ufeff\nc\x0b"
    shown, pasted = shown.taking_in("ⓒ\u200b", "ⓓ")
    assert pasted == "ⓒⓔ"
    assert shown.back(f"ⓐa\nⓓ{pasted}") == "\ufeffa\nⓓⓒ\u200b"


def test_mixed_line_ends_are_told() -> None:
    assert line_text("a\r\nb\n").has_mixed_ends
    assert not line_text("a\r\nb\r\n").has_mixed_ends


@given(TEXTS)
def test_lines_with_their_ends_are_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text

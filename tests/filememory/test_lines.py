import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.filememory import FileMemoryError
from wenchang.filememory.lines import LineEdit, replace_lines, replace_text, split_lines, without_terminator

texts = st.text(st.sampled_from("ab\r\n\u2028\u2029\x85\v\f\x1c"), max_size=12)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a\n", ["a\n"]),
        ("a\nb", ["a\n", "b"]),
        ("\n\n", ["\n", "\n"]),
        ("a\r\r\nb", ["a\r", "\r\n", "b"]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("a\u2028b\u2029c\x85d\ve\ff", ["a\u2028b\u2029c\x85d\ve\ff"]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_alone(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(texts)
def test_joined_lines_are_the_text_and_each_ends_once(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line for line in lines)
    for line in lines[:-1]:
        assert line != without_terminator(line)
    for line in lines:
        assert not {"\r", "\n"} & set(without_terminator(line))


@given(texts.filter(bool), st.data())
def test_a_line_put_back_as_found_changes_nothing(text: str, data: st.DataObject) -> None:
    lines = split_lines(text)
    number = data.draw(st.integers(1, len(lines)))
    assert replace_lines(text, [LineEdit(number, lines[number - 1], lines[number - 1])]) == text


def test_a_new_line_takes_the_place_of_the_terminator_too() -> None:
    assert replace_lines("a\nb\n", [LineEdit(1, "A")]) == "Ab\n"
    assert replace_lines("a\nb\n", [LineEdit(1, "")]) == "b\n"
    assert replace_lines("a\nb", [LineEdit(2, "b\nc\n")]) == "a\nb\nc\n"


def test_numbers_are_those_before_the_call_in_any_order() -> None:
    assert replace_lines("a\nb\nc\n", [LineEdit(3, "C\n"), LineEdit(1, "")]) == "b\nC\n"


@pytest.mark.parametrize(
    ("text", "numbers", "error"),
    [
        ("a\n", [], "at least one line edit must be provided"),
        ("a\n", [1, 1], "duplicate line_number 1 in edits"),
        ("a\n", [9, 9], "line_number 9 is out of range (file has 1 lines)"),
        ("one\ntwo\n", [3], "line_number 3 is out of range (file has 2 lines)"),
        ("a\n", [0], "line_number 0 is out of range (file has 1 lines)"),
        ("a\n", [-1], "line_number -1 is out of range (file has 1 lines)"),
        ("", [1], "line_number 1 is out of range (file has 0 lines)"),
    ],
)
def test_edits_are_checked_one_after_another(text: str, numbers: list[int], error: str) -> None:
    with pytest.raises(FileMemoryError) as caught:
        replace_lines(text, [LineEdit(number, "x") for number in numbers])
    assert str(caught.value) == error


def test_an_expected_line_is_compared_without_terminators() -> None:
    assert replace_lines("a\r\nb", [LineEdit(1, "A", "a\n"), LineEdit(2, "B", "b\r\n")]) == "AB"
    for wrong in ("a ", "A", "a\n\n", ""):
        with pytest.raises(FileMemoryError) as caught:
            replace_lines("a\nb", [LineEdit(2, "B", "b"), LineEdit(1, "A", wrong)])
        assert str(caught.value) == (
            "line_number 1 does not contain the expected text. Re-read the file to get current line numbers."
        )


def test_replacing_counts_occurrences_without_overlap() -> None:
    assert replace_text("aaaa", "aa", "b", replace_all=True) == ("bb", 2)
    with pytest.raises(FileMemoryError, match=r"^old_string occurs 2 times; pass replace_all=true to replace all, or "):
        replace_text("aaaa", "aa", "b", replace_all=False)


def test_replacing_is_literal_and_may_span_lines() -> None:
    assert replace_text("a.c\nabc", "a.c\na", r"\1\g<0>", replace_all=False) == (r"\1\g<0>bc", 1)
    assert replace_text("x", "x", "x", replace_all=False) == ("x", 1)


@pytest.mark.parametrize(
    ("old", "error"),
    [
        ("", "old_string must not be empty"),
        ("zzz", 'old_string not found: "zzz"'),
        ("A", 'old_string not found: "A"'),
        ("a\nb", 'old_string not found: "a\\nb"'),
    ],
)
def test_text_that_is_not_there_cannot_be_replaced(old: str, error: str) -> None:
    with pytest.raises(FileMemoryError) as caught:
        replace_text("a\r\nb", old, "x", replace_all=True)
    assert str(caught.value) == error

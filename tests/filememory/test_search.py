import signal
from collections.abc import Iterator

import pytest

from wenchang.filememory import FileMemoryError
from wenchang.filememory.search import compile_pattern, search_text
from wenchang.filememory.values import LineMatch


@pytest.fixture
def alarm() -> Iterator[None]:
    """End the test if it takes absurdly long, as a backtracking engine would."""
    signal.alarm(120)
    yield
    signal.alarm(0)


def lines(pattern: str, text: str) -> list[LineMatch]:
    found = search_text("f", text, compile_pattern(pattern))
    return [] if found is None else list(found.matching_lines)


def test_lines_are_numbered_and_whole_with_their_terminators() -> None:
    assert lines("line two", "line one\nline two\nLINE TWO\n") == [
        LineMatch(2, "line two\n"),
        LineMatch(3, "LINE TWO\n"),
    ]
    assert lines(".", "a\r\nb\rc\nd") == [
        LineMatch(1, "a\r\n"),
        LineMatch(2, "b\r"),
        LineMatch(3, "c\n"),
        LineMatch(4, "d"),
    ]


def test_a_pattern_sees_a_line_without_its_terminator() -> None:
    assert lines("a$", "a\r\nb") == [LineMatch(1, "a\r\n")]
    assert lines(r"\n|\r", "a\r\nb\r") == []
    assert lines("a.b", "a\nb") == []


def test_an_empty_pattern_matches_every_line() -> None:
    assert [found.line_number for found in lines("", "a\n\nb")] == [1, 2, 3]


def test_an_empty_file_has_no_line_to_match() -> None:
    assert lines("^$", "") == []


def test_case_is_ignored_until_a_pattern_says_otherwise() -> None:
    assert lines("foo", "FOO") == [LineMatch(1, "FOO")]
    assert lines("(?-i)Foo", "foo") == []
    assert lines("foo|BAR", "bar") == [LineMatch(1, "bar")]


def test_a_snippet_reaches_fifty_characters_to_each_side_over_line_borders() -> None:
    text = "é" * 60 + "\n" + "漢" * 20 + "\r\nNEEDLE and needle\n" + "x" * 100
    found = search_text("f", text, compile_pattern("needle"))
    assert found is not None
    start = text.index("NEEDLE")
    assert found.snippet == text[start - 50 : start + 6 + 50]
    assert len(found.snippet) == 106
    assert found.matching_lines == (LineMatch(3, "NEEDLE and needle\n"),)


def test_a_snippet_is_cut_at_both_ends_of_the_file() -> None:
    found = search_text("f", "abc", compile_pattern("b"))
    assert found is not None
    assert found.snippet == "abc"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing closing )"),
        ("a)", "unexpected )"),
        ("[a", "missing closing ]"),
        ("*", "missing argument to repetition operator"),
        ("a**", "invalid nested repetition operator"),
        ("a{1001}", "invalid repeat count"),
        ("(?=a)", "invalid or unsupported Perl syntax"),
        ("(?<=a)", "invalid or unsupported Perl syntax"),
        ("(?>a)", "invalid or unsupported Perl syntax"),
        ("(?x)a", "invalid or unsupported Perl syntax"),
        (r"(a)\1", "invalid escape sequence"),
        ("a++", "invalid nested repetition operator"),
        ("(?P<n", "invalid named capture"),
        ("(?P<é>a)", "invalid named capture"),
        ("(?<a-b>a)", "invalid named capture"),
        ("a\\", "trailing backslash at end of expression"),
        ("[z-a]", "invalid character class range"),
        (r"\p{Letter}", "invalid character class range"),
        (r"\C", r"invalid escape sequence: `\C`"),
        (r"a\\\C", r"invalid escape sequence: `\C`"),
        (r"[\]]\C", r"invalid escape sequence: `\C`"),
        (r"[\C]", "invalid escape sequence"),
        (r"\Qa\E\C", r"invalid escape sequence: `\C`"),
        (r"\pL{1000}", "pattern too large"),
    ],
)
def test_a_pattern_that_go_refuses_is_refused_in_its_words(
    pattern: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FileMemoryError) as caught:
        compile_pattern(pattern)
    assert str(caught.value).startswith(f"error parsing regexp: {reason}")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"\\C", r"\C"), (r"\Q\C\E", r"\C"), (r"\Q\C", r"\C"), ("(?<n>a)", "a"), ("(?P<n>a)", "a")]
)
def test_what_only_looks_forbidden_is_allowed(pattern: str, text: str) -> None:
    assert lines(pattern, text) == [LineMatch(1, text)]


def test_a_position_inside_a_character_does_no_harm() -> None:
    assert lines(r"\B", "a漢b") == [LineMatch(1, "a漢b")]


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("(a+)+$", 1_000_000),
        ("^(a|a)*$", 100_000),
        ("(a*)*b", 100_000),
        ("(.*)(.*)(.*)(.*)(.*)x", 100_000),
        ("(a?){100}a{100}c", 20_000),
    ],
)
def test_patterns_that_explode_elsewhere_do_not_here(pattern: str, size: int, alarm: None) -> None:
    """Python's `re` takes time that doubles with each character for the most of these."""
    assert lines(pattern, "a" * size + "z") == []

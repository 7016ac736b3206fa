import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.support import LINE, meta
from wenchang.core.edits import MetadataEdit, append_line, count_spans
from wenchang.file_format import ConfidenceLabel, Fact, format_fact, parse_body, parse_fact, serialize_body

bodies = st.lists(
    st.one_of(
        st.text(),
        st.sampled_from(
            ["", "\n", "\r\n", "\x85", "\u2028", "\x1c", "- [stated] a", "- [stated] \n", "- [Stated] a", " "]
        ),
    )
).map("".join)


@given(body=bodies)
def test_a_body_survives_being_taken_apart(body: str) -> None:
    assert serialize_body(parse_body(body)) == body


@given(label=st.sampled_from(list(ConfidenceLabel)), text=st.text(st.characters(exclude_characters="\n"), min_size=1))
def test_a_fact_line_reads_back(label: ConfidenceLabel, text: str) -> None:
    if text.strip():
        assert parse_fact(format_fact(Fact(label, text))) == Fact(label, text)


@given(body=bodies)
def test_an_appended_line_is_the_last_and_leaves_the_others_as_they_are(body: str) -> None:
    lines = parse_body(append_line(body, LINE))
    before = parse_body(body)
    assert lines == (*(before[:-1] if before[-1] == "" else before), parse_fact(LINE), "")


@pytest.mark.parametrize(
    ("content", "expected"),
    [("", "L\n"), ("a", "a\nL\n"), ("a\n", "a\nL\n"), ("a\n\n", "a\n\nL\n"), ("a\r", "a\r\nL\n"), ("\n", "\nL\n")],
)
def test_only_a_missing_line_break_is_put_in_between(content: str, expected: str) -> None:
    assert append_line(content, "L") == expected


@pytest.mark.parametrize(
    ("content", "text", "spans"),
    [("aaa", "aa", 2), ("aaaa", "aa", 3), ("abab", "ab", 2), ("", "a", 0), ("a.c", "...", 0), ("a", "a", 1)],
)
def test_overlapping_spans_count(content: str, text: str, spans: int) -> None:
    assert count_spans(content, text) == spans


def test_new_aliases_follow_the_stored_ones_once_each() -> None:
    edited = MetadataEdit("s", ("b", "new", "A", "new")).apply(meta(aliases=["b", "a", "b"], sources=["t"]))
    assert edited.aliases == ("b", "a", "b", "new", "A")
    assert edited.sources == {"s", "t"}


def test_a_description_is_replaced_only_when_given() -> None:
    assert MetadataEdit("s").apply(meta("kept")).description == "kept"
    assert MetadataEdit("s", description="").apply(meta("gone")).description == ""

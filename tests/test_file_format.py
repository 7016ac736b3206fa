"""Fact lines, bodies and the stored map, row by row, and their laws. Core, section 3."""

import copy
import pickle
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.errors import WenchangError
from wenchang.file_format import (
    ALIASES_KEY,
    DESCRIPTION_KEY,
    LAST_UPDATED_KEY,
    SOURCES_KEY,
    ConfidenceLabel,
    Fact,
    FileMetadata,
    MetadataFormatError,
    format_fact,
    metadata_from_map,
    metadata_to_map,
    parse_body,
    parse_fact,
    serialize_body,
)

TEXTS = st.text(st.characters() | st.sampled_from("\n\r\x85\u2028\x1c [-]"))
LINES = st.builds(lambda mark, text: mark + text, st.sampled_from(["", "- [stated] ", "- [", "- [system]"]), TEXTS)
BODIES = st.lists(LINES).map("\n".join)
ONE_LINE = TEXTS.filter(lambda text: "\n" not in text)
DESCRIPTIONS = ONE_LINE.filter(lambda text: "\r" not in text)
OFFSETS = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(timezone)
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=OFFSETS)
METADATA = st.builds(FileMetadata, DESCRIPTIONS, st.lists(TEXTS).map(tuple), st.frozensets(TEXTS), MOMENTS)
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
STORED = {
    "description": "How Qiao works.",
    "aliases": '["Qiao", "Lin"]',
    "sources": '["chat", "mail"]',
    "last-updated": "2026-01-01T00:00:00Z",
}


class Undecided(tzinfo):
    """A time zone that does not know its offset."""

    def utcoffset(self, moment: datetime | None) -> None:
        return None

    dst = tzname = utcoffset


def exactly(message: str) -> str:
    return rf"\A{re.escape(message)}\Z"


# Fact lines


def test_there_are_four_labels() -> None:
    assert [str(label) for label in ConfidenceLabel] == ["stated", "observed", "inferred", "system"]


@pytest.mark.parametrize(
    ("line", "label", "text"),
    [
        ("- [stated] a", "stated", "a"),
        ("- [observed] a", "observed", "a"),
        ("- [inferred] a", "inferred", "a"),
        ("- [system] a", "system", "a"),
        ("- [stated]   a", "stated", "  a"),
        ("- [stated] a  ", "stated", "a  "),
        ("- [stated] [observed] a", "stated", "[observed] a"),
        ("- [stated] a\r", "stated", "a\r"),
        ("- [stated] a\u2028b\x85c\rd\x0be\x1cf", "stated", "a\u2028b\x85c\rd\x0be\x1cf"),
        ("- [stated] \ud800", "stated", "\ud800"),
    ],
)
def test_a_fact_line_is_read_and_written_back(line: str, label: str, text: str) -> None:
    fact = Fact(ConfidenceLabel(label), text)
    assert parse_fact(line) == fact
    assert format_fact(fact) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- [Stated] a",
        "- [STATED] a",
        "- [guessed] a",
        "- [] a",
        "[stated] a",
        "-[stated] a",
        "-  [stated] a",
        "- [stated]a",
        "- [stated]\ta",
        "- [stated]",
        "- [stated] ",
        "- [stated]  \t\u2028\xa0",
        " - [stated] a",
        "* [stated] a",
        "- [ stated ] a",
        "- [stated] a\n",
        "- [stated] a\nb",
        "\n- [stated] a",
        "- [stated] \n",
    ],
)
def test_any_other_line_is_no_fact(line: str) -> None:
    assert parse_fact(line) is None


@pytest.mark.parametrize("text", ["", " ", "\t\u2003\x85", "\n", "a\n", "\na", "a\nb"])
def test_a_fact_is_one_line_that_is_not_blank(text: str) -> None:
    with pytest.raises(ValueError, match="fact text must"):
        Fact(ConfidenceLabel.STATED, text)


def test_a_fact_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Fact(ConfidenceLabel.STATED, "a").text = "b"  # type: ignore[misc]


@given(st.sampled_from(ConfidenceLabel), ONE_LINE.filter(str.strip))
def test_every_fact_can_be_written_and_read_back(label: ConfidenceLabel, text: str) -> None:
    assert parse_fact(format_fact(Fact(label, text))) == Fact(label, text)


@given(LINES)
def test_every_fact_line_is_written_back_as_it_was(line: str) -> None:
    fact = parse_fact(line)
    assert fact is None or format_fact(fact) == line


# Bodies


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("", ("",)),
        ("\n", ("", "")),
        ("a\nb\n", ("a", "b", "")),
        ("- [stated] a", (Fact(ConfidenceLabel.STATED, "a"),)),
        ("# T\n- [system] a\r\n", ("# T", Fact(ConfidenceLabel.SYSTEM, "a\r"), "")),
        ("a\rb\x0bc\x0cd\x1ce\x85f\u2028g\u2029h", ("a\rb\x0bc\x0cd\x1ce\x85f\u2028g\u2029h",)),
    ],
)
def test_a_body_is_split_at_newlines_alone(body: str, lines: tuple[Fact | str, ...]) -> None:
    assert parse_body(body) == lines
    assert serialize_body(lines) == body
    assert serialize_body(list(lines)) == body


@pytest.mark.parametrize("lines", [(), [], ["a\nb"], ["a", "\n"], ["- [stated] a"], ["", "- [system]  a"]])
def test_lines_that_would_be_read_back_as_others_are_refused(lines: list[Fact | str]) -> None:
    with pytest.raises(ValueError, match="line"):
        serialize_body(lines)


@given(BODIES)
def test_every_body_is_kept_byte_for_byte(body: str) -> None:
    assert serialize_body(parse_body(body)) == body


@given(st.lists(st.builds(Fact, st.sampled_from(ConfidenceLabel), ONE_LINE.filter(str.strip)) | ONE_LINE, min_size=1))
def test_lines_that_can_be_written_are_read_back(lines: list[Fact | str]) -> None:
    if not any(isinstance(line, str) and parse_fact(line) for line in lines):
        assert parse_body(serialize_body(lines)) == tuple(lines)


# Metadata


@pytest.mark.parametrize("description", ["a\nb", "\r", "a\r\n", "\n"])
def test_a_description_is_one_line(description: str) -> None:
    message = exactly("description must not contain a newline or carriage return")
    with pytest.raises(ValueError, match=message):
        FileMetadata(description, (), frozenset(), MOMENT)


@pytest.mark.parametrize("moment", [datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=Undecided())])
def test_a_time_knows_its_offset(moment: datetime) -> None:
    with pytest.raises(ValueError, match=exactly("last_updated must be timezone-aware")):
        FileMetadata("", (), frozenset(), moment)


def test_nothing_else_is_checked() -> None:
    metadata = FileMetadata("\x85\u2028\t", ("", "a", "a", ""), frozenset({""}), MOMENT)
    assert (metadata.description, metadata.aliases) == ("\x85\u2028\t", ("", "a", "a", ""))
    with pytest.raises(AttributeError):
        metadata.description = ""  # type: ignore[misc]


def test_the_stored_keys() -> None:
    keys = (DESCRIPTION_KEY, ALIASES_KEY, SOURCES_KEY, LAST_UPDATED_KEY)
    assert keys == ("description", "aliases", "sources", "last-updated")


def test_metadata_is_stored_as_four_texts_in_their_order() -> None:
    metadata = FileMetadata("How Qiao works.", ("Qiao", "Lin"), frozenset({"mail", "chat"}), MOMENT)
    assert list(metadata_to_map(metadata).items()) == list(STORED.items())
    assert metadata_from_map(STORED) == metadata


def test_arrays_are_ascii_and_keep_aliases_but_sort_sources() -> None:
    stored = metadata_to_map(FileMetadata("é", ("é", "b", "a", "b"), frozenset({"b", "乔", "a"}), MOMENT))
    assert stored["description"] == "é"
    assert stored["aliases"] == r'["\u00e9", "b", "a", "b"]'
    assert stored["sources"] == r'["a", "b", "\u4e54"]'
    empty = metadata_to_map(FileMetadata("", (), frozenset(), MOMENT))
    assert (empty["description"], empty["aliases"], empty["sources"]) == ("", "[]", "[]")


@pytest.mark.parametrize(
    ("moment", "stored"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00Z"),
        (datetime(2026, 10, 30, 14, 2, 11, 402913, tzinfo=UTC), "2026-10-30T14:02:11.402913Z"),
        (datetime(2026, 1, 1, 0, 0, 0, 500000, tzinfo=UTC), "2026-01-01T00:00:00.500000Z"),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))), "2025-12-31T19:30:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_stored_in_utc(moment: datetime, stored: str) -> None:
    assert metadata_to_map(FileMetadata("", (), frozenset(), moment))["last-updated"] == stored


@pytest.mark.parametrize(
    ("stored", "moment"),
    [
        ("2026-01-01T00:00:00+00:00", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-01T05:30:00+05:30", datetime(2026, 1, 1, tzinfo=UTC)),
        ("20260101T000000Z", datetime(2026, 1, 1, tzinfo=UTC)),
    ],
)
def test_any_iso_time_with_an_offset_is_read(stored: str, moment: datetime) -> None:
    assert metadata_from_map({**STORED, "last-updated": stored}).last_updated == moment


def test_a_time_that_utc_cannot_hold_is_read_but_not_stored() -> None:
    metadata = metadata_from_map({**STORED, "last-updated": "0001-01-01T00:00:00+05:00"})
    assert metadata.last_updated.year == 1
    with pytest.raises(OverflowError):
        metadata_to_map(metadata)


def test_other_keys_are_ignored() -> None:
    assert metadata_from_map({"other": "\n", **STORED}) == metadata_from_map(STORED)


@given(METADATA)
def test_every_metadata_is_read_back(metadata: FileMetadata) -> None:
    stored = metadata_to_map(metadata)
    assert metadata_from_map(stored) == metadata
    assert metadata_to_map(metadata_from_map(stored)) == stored


NOT_JSON = "not valid JSON: "
EXPECTING = f"{NOT_JSON}Expecting value: line 1 column 1 (char 0)"
ONE_LINE_ONLY = "description must not contain a newline or carriage return"
BAD_TIME = "not a valid ISO 8601 timestamp: Invalid isoformat string: "


@pytest.mark.parametrize(
    ("change", "key", "detail"),
    [
        ({"description": None}, "description", "missing required key"),
        ({"aliases": None}, "aliases", "missing required key"),
        ({"sources": None}, "sources", "missing required key"),
        ({"last-updated": None}, "last-updated", "missing required key"),
        ({"aliases": ""}, "aliases", EXPECTING),
        ({"sources": "x"}, "sources", EXPECTING),
        ({"aliases": "[] x"}, "aliases", f"{NOT_JSON}Extra data: line 1 column 4 (char 3)"),
        ({"aliases": "{}"}, "aliases", "must be a JSON array"),
        ({"aliases": "null"}, "aliases", "must be a JSON array"),
        ({"sources": '"a"'}, "sources", "must be a JSON array"),
        ({"aliases": '["a", 1]'}, "aliases", "all array items must be strings"),
        ({"sources": "[null]"}, "sources", "all array items must be strings"),
        ({"sources": '[["a"]]'}, "sources", "all array items must be strings"),
        ({"last-updated": "soon"}, "last-updated", f"{BAD_TIME}'soon'"),
        ({"last-updated": ""}, "last-updated", f"{BAD_TIME}''"),
        ({"last-updated": "2026-01-01T00:00:00"}, "last-updated", "must include a UTC offset"),
        ({"last-updated": "2026-01-01"}, "last-updated", "must include a UTC offset"),
        ({"description": "a\nb"}, "description", ONE_LINE_ONLY),
        ({"description": "a\r"}, "description", ONE_LINE_ONLY),
        # What comes first is told first.
        ({"description": None, "aliases": None, "last-updated": None}, "description", "missing required key"),
        ({"aliases": "x", "sources": None}, "sources", "missing required key"),
        ({"aliases": "x", "last-updated": None}, "last-updated", "missing required key"),
        ({"aliases": "[1]", "sources": "x"}, "aliases", "all array items must be strings"),
        ({"sources": "x", "last-updated": "soon"}, "sources", EXPECTING),
        ({"description": "\n", "last-updated": "2026-01-01"}, "last-updated", "must include a UTC offset"),
        ({"description": "\n", "sources": "{}"}, "sources", "must be a JSON array"),
    ],
)
def test_what_is_wrong_with_stored_metadata_is_told(change: dict[str, Any], key: str, detail: str) -> None:
    stored = {name: text for name, text in {**STORED, **change}.items() if text is not None}
    with pytest.raises(MetadataFormatError) as caught:
        metadata_from_map(stored)
    assert (caught.value.key, caught.value.detail) == (key, detail)
    assert str(caught.value) == f"{key}: {detail}"


@pytest.mark.parametrize("value", [f"[{'1' * 5000}]", "[" * 100_000, '{"a":' * 100_000])
def test_whatever_stops_the_json_parser_is_bad_metadata(value: str) -> None:
    with pytest.raises(MetadataFormatError, match=r"\Asources: not valid JSON: .") as caught:
        metadata_from_map({**STORED, "sources": value})
    assert caught.value.key == "sources"
    assert caught.value.__cause__ is not None


@given(st.dictionaries(st.sampled_from(list(STORED)), TEXTS | st.sampled_from(['["a"]', "2026-01-01T00:00:00Z"])))
def test_any_stored_map_is_read_or_refused_in_one_way(values: dict[str, str]) -> None:
    with suppress(MetadataFormatError):
        assert metadata_from_map(values).description == values["description"]


def test_bad_metadata_is_a_value_error_outside_the_taxonomy() -> None:
    error = MetadataFormatError("aliases", "must be a JSON array")
    assert isinstance(error, ValueError)
    assert not isinstance(error, WenchangError)
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (again.key, again.detail, str(again)) == (error.key, error.detail, str(error))

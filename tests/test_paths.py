"""The grammar of paths, row by row, and its laws. Core, section 2."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.paths import (
    PathParts,
    build_path,
    build_prefix,
    is_valid_path,
    is_valid_prefix,
    is_valid_segment,
    parse_path,
)

SEGMENTS = st.text(
    st.characters(exclude_categories=["Cc"], exclude_characters="/\\") | st.sampled_from(". md"), min_size=1
).filter(lambda text: text not in (".", ".."))
NEAR_PATHS = st.lists(st.sampled_from(["a", ".", "..", "", ".md", "b.md", "/", "/", "/", "\\", "\n", "é"])).map("".join)

VALID_SEGMENTS = ("a", "A", " ", "p 1", "...", ".md", "a.", "~", "%", "café", "cafe\u0301", "\u200b", "\u2028", "😀")
INVALID_SEGMENTS = ("", ".", "..", "a/b", "/", "a\\b", "\t", "a\n", "\x00", "\x1f", "\x7f", "\x85", "\x9f")


def exactly(message: str) -> str:
    return rf"\A{re.escape(message)}\Z"


@pytest.mark.parametrize("segment", [*VALID_SEGMENTS, "\ud800", "\xa0"])
def test_a_segment_is_any_text_without_slashes_and_controls(segment: str) -> None:
    assert is_valid_segment(segment)


@pytest.mark.parametrize("segment", INVALID_SEGMENTS)
def test_a_segment_is_not(segment: str) -> None:
    assert not is_valid_segment(segment)


@pytest.mark.parametrize(
    "path",
    [
        "user/u_42/preferences/editor.md",
        "project/p 1/glossary/café.md",
        "system/x/system/a.md",
        "user/u/a/v1.2.md",
        "user/u/a/b.md.md",
        "user/u/a/.md.md",
        "user/u/a/....md",
        "user/u/a.md/b.md",
    ],
)
def test_a_path_is_four_segments_and_md(path: str) -> None:
    assert is_valid_path(path)
    assert build_path(*path.removesuffix(".md").split("/")) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/user/u/a/b.md",
        "user/u/a/b.md/",
        "user//a/b.md",
        "user/u/b.md",
        "user/u/a/b/c.md",
        "user/u/a/b.txt",
        "user/u/a/b",
        "user/u/a/.md",
        "user/u/a/b.MD",
        "user/u/a/b.md\n",
        "user/u/a/b\n.md",
        "user/u/a/..md",
        "user/u/a/...md",
        "./u/a/b.md",
        "user/../a/b.md",
        "user\\u/a/b/c.md",
    ],
)
def test_a_path_is_not(path: str) -> None:
    assert not is_valid_path(path)
    with pytest.raises(ValueError, match=exactly(f"invalid path: {path!r}")):
        parse_path(path)


@pytest.mark.parametrize("prefix", ["user/", "user/u/", "user/u/a/", "p 1/é/", ".../"])
def test_a_prefix_is_one_to_three_segments(prefix: str) -> None:
    assert is_valid_prefix(prefix)
    assert build_prefix(*prefix.split("/")[:-1]) == prefix


@pytest.mark.parametrize(
    "prefix", ["", "/", "user", "user/u", "user//", "/user/", "user/u/a/b/", "./", "user/../", "a\n/"]
)
def test_a_prefix_is_not(prefix: str) -> None:
    assert not is_valid_prefix(prefix)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("user/u/a/b.md", PathParts("user", "u", "a", "b")),
        ("user/u/a/b.md.md", PathParts("user", "u", "a", "b.md")),
        ("user/u/a/.md.md", PathParts("user", "u", "a", ".md")),
    ],
)
def test_one_final_md_alone_is_stripped(path: str, parts: PathParts) -> None:
    assert parse_path(path) == parts
    assert build_path(scope=parts.scope, entity_id=parts.entity_id, area=parts.area, name=parts.name) == path


def test_parts_are_frozen_and_not_validated() -> None:
    parts = PathParts("", "/", "..", "\n")
    assert (parts.scope, parts.entity_id, parts.area, parts.name) == ("", "/", "..", "\n")
    with pytest.raises(AttributeError):
        parts.scope = "user"  # type: ignore[misc]


@pytest.mark.parametrize("bad", INVALID_SEGMENTS)
def test_the_first_bad_part_of_a_path_is_named(bad: str) -> None:
    names = ("scope", "entity_id", "area", "name")
    for position, name in enumerate(names):
        parts = ["a"] * position + [bad] * (len(names) - position)
        with pytest.raises(ValueError, match=exactly(f"invalid {name}: {bad!r}")):
            build_path(*parts)


@pytest.mark.parametrize("bad", INVALID_SEGMENTS)
def test_the_first_bad_part_of_a_prefix_is_named(bad: str) -> None:
    for name, parts in (("scope", (bad, bad, bad)), ("entity_id", ("a", bad, bad)), ("area", ("a", "b", bad))):
        with pytest.raises(ValueError, match=exactly(f"invalid {name}: {bad!r}")):
            build_prefix(*parts)


def test_only_none_is_left_out_of_a_prefix() -> None:
    assert build_prefix("a") == build_prefix("a", None, None) == "a/"
    assert build_prefix("a", "b") == "a/b/"
    assert build_prefix("a", entity_id="b", area="c") == "a/b/c/"
    with pytest.raises(ValueError, match=exactly("invalid entity_id: ''")):
        build_prefix("a", "")


@pytest.mark.parametrize(("scope", "area"), [("a", "c"), ("", ""), ("/", "..")])
def test_an_area_needs_an_entity_before_anything_else(scope: str, area: str) -> None:
    with pytest.raises(ValueError, match=exactly("area requires entity_id")):
        build_prefix(scope, area=area)


@given(SEGMENTS, SEGMENTS, SEGMENTS, SEGMENTS)
def test_parsing_is_the_inverse_of_building(scope: str, entity_id: str, area: str, name: str) -> None:
    path = build_path(scope, entity_id, area, name)
    assert is_valid_path(path)
    assert parse_path(path) == PathParts(scope, entity_id, area, name)
    for prefix in (build_prefix(scope), build_prefix(scope, entity_id), build_prefix(scope, entity_id, area)):
        assert is_valid_prefix(prefix)
        assert path.startswith(prefix)


@given(NEAR_PATHS)
def test_building_is_the_inverse_of_parsing(path: str) -> None:
    if is_valid_path(path):
        parts = parse_path(path)
        assert build_path(parts.scope, parts.entity_id, parts.area, parts.name) == path
    if is_valid_prefix(path):
        assert build_prefix(*path.split("/")[:-1]) == path
        assert not is_valid_path(path)


@given(st.text())
def test_no_text_upsets_a_verdict(text: str) -> None:
    assert is_valid_segment(text) in (True, False)
    assert is_valid_segment(text) == is_valid_prefix(f"{text}/") or "/" in text

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.filememory.patterns import name_matcher


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("", "x", True),
        (" \t", "x", True),
        ("*.md", "NOTES.MD", True),
        ("NOTES.md", "notes.MD", True),
        ("*.*", "noext", True),
        ("./*.*", "noext", True),
        ("a*.*", "ab", False),
        ("**", "x", True),
        ("**.md", "a.md", True),
        ("**/*.md", "a.md", True),
        ("./*.md", "a.md", True),
        ("/*.md", "a.md", True),
        ("\\*.md", "a.md", True),
        ("././**/*.md", "a.md", True),
        ("//.///**//a.md", "a.md", True),
        ("/", "a.md", True),
        ("**/", "a.md", True),
        ("sub/*.md", "a.md", False),
        ("*/a.md", "a.md", False),
        ("notes/", "notes", False),
        ("n?tes.md", "notes.md", False),
        ("n?tes.md", "n?tes.md", True),
        ("[ab].md", "a.md", False),
        (".", "a", False),
        ("..", "a", False),
        (" *.md", "a.md", False),
        ("ab*ba", "aba", False),
        ("ab*ba", "abba", True),
        ("*a*b*", "xaxbx", True),
        ("*b*a*", "xaxbx", False),
    ],
)
def test_patterns_know_only_the_star(pattern: str, name: str, matches: bool) -> None:
    assert name_matcher(pattern)(name) == matches


@given(st.text("ab*", min_size=1, max_size=8), st.text("ab", max_size=10))
def test_a_star_stands_for_any_text(pattern: str, name: str) -> None:
    expected = re.fullmatch(re.sub(r"\*+", ".*", pattern), name) is not None
    assert name_matcher(pattern)(name) == expected


def test_patterns_that_would_explode_are_matched_at_once() -> None:
    assert not name_matcher("*a" * 120 + "*b")("a" * 240)
    assert name_matcher("./" * 200_000 + "a")("a")

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang_tui.model.folding import find_folded, fold


@pytest.mark.parametrize(
    ("one", "other"), [("STRASSE", "straße"), ("café", "cafe\u0301"), ("ﬁn", "FIN"), ("Å", "\u212b")]
)
def test_case_and_form_make_no_difference(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("needle", "text", "found"),
    [
        ("flood", "The FLOOD came", "FLOOD"),
        ("straße", "die STRASSE lang", "STRASSE"),
        ("café", "un cafe\u0301 noir", "cafe\u0301"),
        ("fin", "a ﬁnal word", "ﬁn"),
        ("한", "\u1112\u1161\u11ab글", "\u1112\u1161\u11ab"),
        ("橋", "過橋去", "橋"),
    ],
)
def test_the_span_is_that_of_the_original_characters(needle: str, text: str, found: str) -> None:
    span = find_folded(fold(needle), text)
    assert span is not None
    assert text[slice(*span)] == found


def test_what_is_not_there_is_not_found() -> None:
    assert find_folded(fold("salt"), "The FLOOD came — ﬁnally") is None


@given(st.text(), st.text(min_size=1), st.text())
def test_a_text_that_stands_there_is_found_in_any_form(before: str, needle: str, after: str) -> None:
    text = f"{before} {needle} {after}"
    folded = fold(unicodedata.normalize("NFD", needle))
    if folded in fold(text):
        span = find_folded(folded, text)
        assert span is not None
        assert 0 <= span[0] <= span[1] <= len(text)

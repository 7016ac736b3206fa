from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wenchang_tui.model.content import Content
from wenchang_tui.model.line_text import field_text
from wenchang_tui.model.typed import MAX_CHARACTERS, SHOWN_LINES, typed_of

TEXT = st.text(alphabet=st.sampled_from('ab," \r\n\t\x1b\u202e\u2028␊ⓐ')) | st.text()


@given(TEXT, TEXT, st.lists(TEXT))
def test_what_nobody_touched_amounts_to_the_same_content(body: str, description: str, aliases: list[str]) -> None:
    content = Content(body, description, tuple(aliases))
    typed = typed_of(content)
    assert typed.content() == content
    assert not {*"\n\r\t\x1b\u202e\u2028"} & {*typed.description_shown, *typed.aliases_shown}


def test_hidden_characters_of_a_field_survive_an_edit_beside_them() -> None:
    typed = typed_of(Content(description="a\u202eb\nc"))
    edited = replace(typed, description_shown=typed.description_shown + "!")
    assert edited.content().description == "a\u202eb\nc!"
    assert {mark.original for mark in typed.marks} == {"\u202e", "\n"}


def test_what_is_pasted_into_a_field_is_shown_by_signs_and_meant_as_it_was() -> None:
    field, safe = field_text("x").taking_in("\x1b[31m\u202e")
    assert "\x1b" not in safe
    assert "\u202e" not in safe
    assert field.back("x" + safe) == "x\x1b[31m\u202e"


def test_of_a_huge_body_only_the_beginning_is_shown_and_all_is_kept() -> None:
    body = "- [stated] a line\n" * (MAX_CHARACTERS // 10)
    typed = typed_of(Content(body, "d", ("a",)))
    assert typed.body_shown.count("\n") == SHOWN_LINES
    edited = replace(typed, description_shown="other")
    assert edited.content() == Content(body, "other", ("a",))

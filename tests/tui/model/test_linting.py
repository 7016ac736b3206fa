import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.model.curation import KEY, workspace
from wenchang.paths import PathParts
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.content import Content, metadata_bytes
from wenchang_tui.model.editing import Curator, Edit, Saved
from wenchang_tui.model.linting import (
    Field,
    Gauge,
    Level,
    Remark,
    gauges,
    is_vague,
    lint,
    lint_aliases,
    lint_body,
    lint_description,
    lint_name,
)
from wenchang_tui.model.settings import Settings

FINE = Content("# Rules\n\n- [system] Lamps stay lit.\n", "How the house is run", ("house", "rules of the house"))


def levels(remarks: object) -> list[tuple[str, str, int | None]]:
    assert isinstance(remarks, (list, tuple))
    return [(remark.level.value, remark.field.value, remark.line) for remark in remarks]


def test_nothing_is_said_about_a_good_file() -> None:
    assert lint(KEY, FINE, ["me"], 16_384) == ()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("- [Stated] a", "write - [stated] a"),
        ("-[stated] a", "write - [stated] a"),
        ("- [stated]a", "write - [stated] a"),
        ("* [system] a", "write - [system] a"),
        (" - [system] a", "write - [system] a"),
        ("[observed] a", "write - [observed] a"),
        ("- [system] ", "without a text"),
        ("- [guessed] a", "is no label"),
        ("- [stated] a", "use [system]"),
    ],
)
def test_lines_that_the_agent_would_not_read_as_meant(line: str, says: str) -> None:
    (remark,) = lint_body(f"ok\n{line}\n", is_curated=True)
    assert (remark.level, remark.field, remark.line) == (Level.WARNING, Field.BODY, 2)
    assert says in remark.text


@pytest.mark.parametrize("line", ["plain", "- item", "- [ ] to do", "- [x] done", "[link](to)", "| a | b |", "\t- x"])
def test_other_lines_are_welcome(line: str) -> None:
    assert list(lint_body(line, is_curated=True)) == []


def test_the_label_of_curated_content_belongs_into_the_curated_area() -> None:
    (remark,) = lint_body("- [system] a", is_curated=False)
    assert "outside system/" in remark.text
    assert list(lint_body("- [stated] a", is_curated=False)) == []


def test_a_byte_order_mark_and_an_empty_body_are_told() -> None:
    assert levels(list(lint_body("\ufeffx", is_curated=True))) == [("warning", "body", 1)]
    assert levels(list(lint_body("\n", is_curated=True))) == [("note", "body", None)]


def test_a_description_is_one_line_that_says_something() -> None:
    assert list(lint_description("How the house is run")) == []
    for description in ("two\nlines", "two\rlines", "half \ud800"):
        assert levels(list(lint_description(description)))[0][0] == "error"
    assert levels(list(lint_description("two\u2028lines"))) == [("warning", "description", None)]


@pytest.mark.parametrize("vague", ["", " ", "...", "TODO", "n/a", "Notes", "misc. notes", "—"])
def test_descriptions_that_nothing_could_be_found_by(vague: str) -> None:
    assert is_vague(vague)


@pytest.mark.parametrize("clear", ["Salt", "人物", "notes on salt", "Q3", "r"])
def test_one_word_of_content_is_enough(clear: str) -> None:
    assert not is_vague(clear)


def test_aliases_are_looked_at_one_by_one() -> None:
    aliases = ["Lin", "Lin", "LIN", " ", "rules", "\ud800"]
    assert [remark.level for remark in lint_aliases(KEY, aliases)] == [
        Level.WARNING, Level.NOTE, Level.WARNING, Level.NOTE, Level.ERROR,
    ]  # fmt: skip


def test_both_limits_are_told_before_they_are_met() -> None:
    assert levels(lint(KEY, Content("x" * 100, "ab cd"), ["me"], 100)) == [("warning", "body", None)]
    assert levels(lint(KEY, Content("x" * 101, "ab cd"), ["me"], 100)) == [("error", "body", None)]
    assert levels(lint(KEY, Content("x", "ab " * 3_000), ["me"], 100)) == [("error", "description", None)]
    body, metadata = gauges(Content("é", "ab cd"), ["me"], 100)
    assert body == Gauge(2, 100)
    assert metadata == Gauge(metadata_bytes("ab cd", (), ["me"]), 8192)


@given(st.text(max_size=40), st.text(max_size=20), st.lists(st.text(max_size=4), max_size=3))
def test_what_lints_without_an_error_can_be_saved(body: str, description: str, aliases: list[str]) -> None:
    content = Content(body, description, tuple(aliases))
    errors = [remark for remark in lint(KEY, content, ["me"], 30) if remark.level is Level.ERROR]
    curator = Curator(workspace(InMemoryStorage(), Settings(source="me", max_file_bytes=30)))
    assert isinstance(curator.save(Edit(KEY, None, content)), Saved) == (not errors)


def name(text: str, area: str = "system", neighbours: tuple[str, ...] = ()) -> tuple[Remark, ...]:
    return lint_name(PathParts("user", "u", area, text), neighbours)


@pytest.mark.parametrize("bad", ["", ".", "..", "a/b", "a\\b", "a\nb", "a\x85", "\ud800"])
def test_names_that_cannot_be_are_errors(bad: str) -> None:
    assert levels(name(bad)) == [("error", "name", None)]


def test_names_that_the_agent_could_not_use_are_warnings() -> None:
    assert name("讀書筆記") == name("a b") == ()
    assert "U+200B" in name("a\u200bb")[0].text
    assert "slug" in name("n", area="My Notes")[0].text
    assert "a.md.md" in name("a.md")[0].text
    assert "looks the same" in name("Rules", neighbours=("law", "rules"))[0].text
    assert name("rules", neighbours=("rules",)) == ()

"""The checker of histories finds what it is there to find."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.soaking.histories import BY_HAND, Change, History, Journal, contradictions, read_history

PLACE = "user/notes/a"
CREATED = Change("write", PLACE, None, ["<a1-1>"], [], "done", "v1")
APPENDED = Change("append", PLACE, "v1", ["<b1-1>"], [], "done", "v2")
REMOVED = Change("rewrite", PLACE, "v2", ["<a1-2>"], ["<b1-1>"], "done", "v3")
FINAL = {PLACE: "- [stated] <a1-1>\n- [stated] <a1-2>\n"}


def test_a_history_that_can_be_true_has_nothing_to_say() -> None:
    assert contradictions(History([CREATED, APPENDED, REMOVED]), FINAL) == []


@pytest.mark.parametrize(
    ("changes", "final", "words"),
    [
        ([CREATED, APPENDED], "<a1-1>", "lost: <b1-1>, accepted by append"),
        ([CREATED, APPENDED, replace(REMOVED, outcome="refused")], "<a1-1>", "lost: <b1-1>"),
        ([CREATED, APPENDED], "<a1-1> <b1-1> <b1-1>", "came back: <b1-1> stands 2 times"),
        ([CREATED, APPENDED, REMOVED], "<a1-1> <a1-2> <b1-1>", "came back: <b1-1>"),
        (
            [CREATED, APPENDED, replace(REMOVED, base="v1", removes=[])],
            "<a1-1> <b1-1> <a1-2>",
            "forked: append of <b1-1>, rewrite of",
        ),
        ([CREATED, replace(APPENDED, version="v1")], "<a1-1> <b1-1>", "reused: write of <a1-1>, append of <b1-1>"),
        ([CREATED, replace(APPENDED, outcome="refused")], "<a1-1> <b1-1>", "refused, yet there: <b1-1>"),
    ],
)
def test_what_cannot_be_true_is_told(changes: list[Change], final: str, words: str) -> None:
    (told,) = contradictions(History(changes), {PLACE: final})
    assert told.startswith(words)


def test_what_is_unknown_explains_both_what_is_there_and_what_is_not() -> None:
    perhaps = replace(REMOVED, outcome="unknown")
    for final in ("<a1-1> <b1-1>", "<a1-1> <a1-2>"):
        assert contradictions(History([CREATED, APPENDED, perhaps]), {PLACE: final}) == []


def test_journals_come_back_without_the_line_that_a_kill_cut_off(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "b1.jsonl")
    number = journal.begin(replace(APPENDED, outcome="unknown", version=None))
    journal.begin(replace(REMOVED, outcome="unknown", version=None))
    journal.end(number, "done", "v2")
    journal.saw(PLACE, "v2", "x", fits=True)
    journal.saw(PLACE, "v2", "y", fits=False)
    journal.broken("two of one")
    with (tmp_path / "b1.jsonl").open("a") as file:
        file.write('{"n": 2, "outco')
    history = read_history(tmp_path)
    assert history.changes == [APPENDED, replace(REMOVED, outcome="unknown", version=None)]
    assert contradictions(history, {PLACE: "<b1-1>"}) == [
        "b1: two of one",
        f"torn: {PLACE} at version v2 was seen in 2 states",
        f"torn: {PLACE} at version v2 has the description of another body",
    ]
    history.changes.append(Change(BY_HAND, PLACE, None, [], [], "done", "v2"))
    assert "of another body" not in str(contradictions(history, {PLACE: "<b1-1>"}))

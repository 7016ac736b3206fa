from dataclasses import replace

from tests.tui.agent.samples import INK, START, append, call, file
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Change
from wenchang_tui.agent.recorder import ChangedSince, Reverted, can_revert
from wenchang_tui.agent.reverting import as_call, conflict, consequence, versions


def test_the_consequence_names_the_file_and_what_becomes_of_it() -> None:
    made, changed, deleted = Change(INK, None, file("x\n")), Change(INK, file("x\n"), file("y\n", "2")), Change(
        INK, file("x\n"), None)  # fmt: skip
    assert consequence(made).startswith("user/u-tianlong/notes/ink would be deleted again.")
    assert "would get back the text, description and aliases it had" in consequence(changed)
    assert "would be written again as it was" in consequence(deleted)
    assert [versions(change) for change in (made, changed, deleted)] == [
        "a new file, version 1",
        "version 1 to 2",
        "version 1, deleted",
    ]


def test_long_versions_are_cut() -> None:
    assert versions(Change(INK, None, file("x\n", "a" * 64))) == "a new file, version aaaaaaaaaaaa…"


def test_taking_back_is_a_call_that_can_be_taken_back() -> None:
    taken_back = as_call(append(1), Reverted(file("- [stated] Black.\n", "4")), START)
    assert (taken_back.caller, taken_back.tool, taken_back.category) == ("you", "revert", None)
    assert taken_back.change is not None
    assert taken_back.change.before is not None
    assert taken_back.change.before.version == "3"
    assert can_revert(taken_back)
    gone = as_call(call(1, change=Change(INK, None, file("x\n"))), Reverted(None), START)
    assert gone.answer == {"ok": True}


def test_a_conflict_says_what_was_left_and_what_is_there() -> None:
    problem = conflict(append(1), ChangedSince(INK, "other\n", VersionToken("9")))
    assert problem.sentence == (
        "user/notes/ink was changed since: this call left version 3, it is at version 9 now. Nothing was reverted."
    )
    deleting = replace(append(1), change=Change(INK, file("x\n"), None))
    assert "this call deleted it, it is gone now" in conflict(deleting, ChangedSince(INK, None, None)).sentence

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.agent.samples import file
from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.gate import WaitingChange
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.diffing import DiffLine, Mark, Proposal, diff_files, diff_stored, propose

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PATH = "user/u/notes/ink.md"


def texts(lines: tuple[DiffLine, ...], mark: Mark) -> list[str]:
    return [f"{line.field}: {line.text}" if line.field else line.text for line in lines if line.mark is mark]


def test_added_and_removed_lines_are_counted_fields_included() -> None:
    before = file("- [stated] Black.\n- [stated] Dry.\n", "1")
    after = file("- [stated] Black.\n- [stated] Wet.\n- [stated] Blue.\n", "2", aliases=("墨",))
    diff = diff_files(before, after)
    assert texts(diff.lines, Mark.REMOVED) == [
        "- [stated] Dry.",
        "aliases: []",
        "last-updated: 2026-03-01T09:01:00Z",
    ]
    assert texts(diff.lines, Mark.ADDED) == [
        "- [stated] Wet.",
        "- [stated] Blue.",
        'aliases: ["墨"]',
        "last-updated: 2026-03-01T09:02:00Z",
    ]
    assert (diff.added, diff.removed) == (4, 3)


def test_a_new_file_is_all_new_and_a_deleted_one_all_gone() -> None:
    made = file("one\ntwo\n")
    assert (diff_files(None, made).added, diff_files(None, made).removed) == (6, 0)
    assert (diff_files(made, None).added, diff_files(made, None).removed) == (0, 6)
    assert diff_files(None, None).lines == ()


def test_the_words_that_differ_within_a_line_are_pointed_out() -> None:
    diff = diff_files(file("- [stated] Has brown eyes.\n"), file("- [stated] Has grey eyes.\n"))
    old, new = (next(line for line in diff.lines if line.mark is mark) for mark in (Mark.REMOVED, Mark.ADDED))
    assert old.changed is not None
    assert new.changed is not None
    assert old.text[slice(*old.changed)] == "brown"
    assert new.text[slice(*new.changed)] == "grey"


def test_unchanged_lines_far_from_any_change_are_left_out_and_counted() -> None:
    lines = [f"line {number}" for number in range(20)]
    before = file("\n".join(lines) + "\n")
    after = file("\n".join([*lines[:10], "new", *lines[10:]]) + "\n")
    body = [line for line in diff_files(before, after, context=2).lines if not line.field]
    assert [line.text for line in body] == [
        "8 lines as before",
        "line 8",
        "line 9",
        "new",
        "line 10",
        "line 11",
        "8 lines as before",
    ]


def test_a_missing_line_break_at_the_end_is_a_difference() -> None:
    diff = diff_files(file("one"), file("one\n"))
    assert texts(diff.lines, Mark.REMOVED) == ["one (no line break at the end)"]
    assert texts(diff.lines, Mark.ADDED) == ["one"]


def test_huge_bodies_are_not_compared_line_by_line() -> None:
    lines = [f"line {number}" for number in range(5_000)]
    diff = diff_files(file("\n".join(lines) + "\n"), file("\n".join([*lines, "new"]) + "\n"))
    assert (diff.added, diff.removed) == (5_001, 5_000)


BODIES = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=12).map(lambda lines: "".join(
    f"{line}\n" for line in lines))  # fmt: skip


@given(BODIES, BODIES)
def test_both_states_can_be_read_from_a_difference(before: str, after: str) -> None:
    lines = [line for line in diff_files(file(before), file(after), context=99).lines if not line.field]
    old = [line.text for line in lines if line.mark is not Mark.ADDED]
    new = [line.text for line in lines if line.mark is not Mark.REMOVED]
    assert "".join(f"{line}\n" for line in old) == before
    assert "".join(f"{line}\n" for line in new) == after


# what a waiting change would do: as the store itself does it


def store_with(content: str) -> MemoryStore:
    store = MemoryStore(InMemoryStorage(), clock=lambda: NOON)
    store.write_file(PATH, content, FileMetadata("Ink", ("墨",), frozenset(), NOON), None, source="seed")
    return store


def waiting(operation: str, **arguments: object) -> WaitingChange:
    return WaitingChange(1, operation, PATH, {"expected_version": "1", "source": "pen", **arguments}, NOON)


def as_done(proposal: Proposal) -> tuple[object, ...]:
    after = proposal.after
    return (proposal.obstacle,) if after is None else (proposal.obstacle, after.content, after.metadata)


def test_an_append_is_proposed_as_the_store_makes_it() -> None:
    store = store_with("- [stated] Black.")
    change = waiting("append_line", line="- [stated] Blue.", aliases=["ink", "墨"], description="Inks")
    proposal = propose(change, store.read_file(PATH))
    done = store.append_line(PATH, "- [stated] Blue.", proposal.before.version if proposal.before else None,  # type: ignore[arg-type]
                             source="pen", aliases=["ink", "墨"], description="Inks")  # fmt: skip
    assert as_done(proposal) == ("", done.content, done.metadata)


def test_a_replacement_is_proposed_as_the_store_makes_it() -> None:
    store = store_with("- [stated] Black.\n")
    before = store.read_file(PATH)
    proposal = propose(waiting("replace_fact", old_string="Black", new_string="Blue"), before)
    done = store.replace_fact(PATH, "Black", "Blue", before.version, source="pen")
    assert as_done(proposal) == ("", done.content, done.metadata)


def test_a_write_is_proposed_as_the_store_makes_it() -> None:
    store = store_with("- [stated] Black.\n")
    before = store.read_file(PATH)
    metadata = FileMetadata("Inks", (), frozenset(), NOON)
    proposal = propose(waiting("write_file", content="new\n", metadata=metadata), before)
    done = store.write_file(PATH, "new\n", metadata, before.version, source="pen")
    assert as_done(proposal) == ("", done.content, done.metadata)


def test_a_deletion_leaves_nothing() -> None:
    proposal = propose(waiting("delete_file"), store_with("x\n").read_file(PATH))
    assert (proposal.after, proposal.obstacle) == (None, "")


def test_what_would_be_refused_says_why() -> None:
    current = store_with("a a\n").read_file(PATH)
    metadata = FileMetadata("d", (), frozenset(), NOON)
    stale = waiting("append_line", line="x", expected_version="7")
    assert propose(stale, current).obstacle == "The file is at version 1 now, not 7."
    taken = waiting("write_file", content="x", metadata=metadata, expected_version=None)
    assert propose(taken, current).obstacle == "There is such a file already."
    assert propose(waiting("append_line", line="x"), None).obstacle == "There is no such file."
    assert propose(waiting("delete_file"), None).obstacle == "There is no such file any more."
    twice = waiting("replace_fact", old_string="a", new_string="b")
    assert propose(twice, current).obstacle == "The text to replace stands in the file 2 times, not once."


def test_what_is_stored_is_compared_whatever_state_it_is_in() -> None:
    before, after = ("one\ntwo\n", {"aliases": "no", "odd": "x"}), ("one\n", {"description": "d", "aliases": "[]"})
    lines = [(line.mark, line.text, line.field) for line in diff_stored(before, after).lines]
    assert lines == [
        (Mark.SAME, "one", ""),
        (Mark.REMOVED, "two", ""),
        (Mark.ADDED, "d", "description"),
        (Mark.REMOVED, "no", "aliases"),
        (Mark.ADDED, "[]", "aliases"),
        (Mark.REMOVED, "x", "odd"),
    ]
    assert [line.mark for line in diff_stored(None, after).lines] == [Mark.ADDED] * 3


def test_what_a_new_file_would_be_names_no_time() -> None:
    metadata = FileMetadata("Inks", (), frozenset(), NOON)
    diff = propose(waiting("write_file", content="new\n", metadata=metadata), None).diff()
    assert (diff.added, diff.removed) == (4, 0)
    assert [line.field for line in diff.lines] == ["", "description", "aliases", "sources"]

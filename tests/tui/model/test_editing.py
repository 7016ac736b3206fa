import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.model.curation import KEY, Interrupted, agent_deletes, agent_writes, body_of, opened, workspace
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.content import Content
from wenchang_tui.model.editing import (
    Conflict,
    CreatedMeanwhile,
    Curator,
    Deleted,
    DeletedMeanwhile,
    Edit,
    Identical,
    Refused,
    Saved,
    Unchanged,
)
from wenchang_tui.model.line_text import line_text
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_folder


@pytest.fixture
def storage() -> Interrupted:
    return Interrupted()


@pytest.fixture
def curator(storage: Interrupted) -> Curator:
    return Curator(workspace(storage))


def with_body(edit: Edit, body: str) -> Edit:
    return edit.with_content(Content(body, edit.content.description, edit.content.aliases))


def test_saving_without_a_change_writes_nothing(storage: Interrupted, curator: Curator) -> None:
    version = agent_writes(storage, "- [system] a\r\n\ufeff").version
    edit = opened(curator)
    assert curator.save(edit) == Unchanged(edit)
    assert opened(curator).base == edit.base
    assert edit.base is not None
    assert edit.base.version == version
    assert curator.log.changes == ()


def test_saving_writes_what_was_changed_under_the_persons_name(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "- [system] a\n", aliases=("x",))
    edit = opened(curator)
    saved = curator.save(edit.with_content(Content("- [system] b\n", "New", ("x", "y"))))
    assert isinstance(saved, Saved)
    after = opened(curator)
    assert after == saved.edit
    assert after.content == Content("- [system] b\n", "New", ("x", "y"))
    assert after.base is not None
    assert after.base.metadata.sources == {"agent", "person"}
    assert not saved.edit.is_changed


def test_a_saved_edit_goes_on_from_what_was_saved(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    first = curator.save(with_body(opened(curator), "b"))
    assert isinstance(first, Saved)
    assert isinstance(curator.save(with_body(first.edit, "c")), Saved)
    assert body_of(storage) == b"c"


def test_a_new_file_is_created(storage: Interrupted, curator: Curator) -> None:
    edit = curator.begin(KEY)
    assert isinstance(edit, Edit)
    assert isinstance(curator.save(edit.with_content(Content("a", "Rules"))), Saved)
    assert body_of(storage) == b"a"


def test_somebody_elses_change_is_a_conflict_to_merge(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a\nb\nc\n")
    mine = with_body(opened(curator), "A\nb\nc\n")
    storage.meanwhile(lambda: agent_writes(storage, "a\nb\nc\nd\n"))
    conflict = curator.save(mine)
    assert isinstance(conflict, Conflict)
    assert conflict.edit == mine
    assert conflict.theirs.content.body == "a\nb\nc\nd\n"
    merge = conflict.merge()
    assert merge.is_clean
    assert isinstance(curator.save(mine.onto(conflict.theirs, merge.content())), Saved)
    assert body_of(storage) == b"A\nb\nc\nd\n"


def test_keeping_mine_replaces_theirs_knowingly(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    mine = with_body(opened(curator), "mine")
    agent_writes(storage, "theirs")
    conflict = curator.save(mine)
    assert isinstance(conflict, Conflict)
    assert isinstance(curator.save(mine.onto(conflict.theirs)), Saved)
    assert body_of(storage) == b"mine"


def test_an_agent_that_never_stops_writing_costs_nobody_a_word(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "- [stated] 0\n")
    edit = with_body(opened(curator), "- [system] mine\n- [stated] 0\n")
    lines = "- [stated] 0\n"
    for round_number in range(1, 4):
        lines += f"- [stated] {round_number}\n"
        storage.meanwhile(partial(agent_writes, storage, lines))
        conflict = curator.save(edit)
        assert isinstance(conflict, Conflict)
        merge = conflict.merge()
        assert merge.is_clean
        edit = edit.onto(conflict.theirs, merge.content())
    assert isinstance(curator.save(edit), Saved)
    assert body_of(storage).decode() == "- [system] mine\n" + lines


def test_the_same_text_from_somebody_else_is_no_conflict(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    mine = with_body(opened(curator), "b")
    agent_writes(storage, "b")
    outcome = curator.save(mine)
    assert isinstance(outcome, Identical)
    assert outcome.edit.content == mine.content
    assert not outcome.edit.is_changed


def test_a_write_that_landed_though_its_answer_was_lost_is_recognised(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    mine = with_body(opened(curator), "b")
    storage.meanwhile(lambda: agent_writes(storage, "b"))
    assert isinstance(curator.save(mine), Identical)


def test_a_file_deleted_meanwhile_can_be_made_again(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    mine = with_body(opened(curator), "b")
    storage.meanwhile(lambda: agent_deletes(storage))
    assert curator.save(mine) == DeletedMeanwhile(mine)
    assert isinstance(curator.save(mine.anew()), Saved)
    assert body_of(storage) == b"b"


def test_a_file_created_meanwhile_is_not_replaced(storage: Interrupted, curator: Curator) -> None:
    edit = Edit(KEY, None, Content("mine\n", "Rules"))
    storage.meanwhile(lambda: agent_writes(storage, "theirs\n"))
    outcome = curator.save(edit)
    assert isinstance(outcome, CreatedMeanwhile)
    assert body_of(storage) == b"theirs\n"
    merged = outcome.merge()
    assert merged.body.clashes
    assert isinstance(curator.save(edit.onto(outcome.theirs, merged.content())), Saved)
    assert body_of(storage) == b"mine\n"


def test_a_file_damaged_meanwhile_keeps_the_text_and_says_so(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    mine = with_body(opened(curator), "b")
    storage.put(KEY, b"x", {"description": "half"})
    outcome = curator.save(mine)
    assert isinstance(outcome, Refused)
    assert outcome.edit == mine
    assert "aliases: missing required key" in outcome.problem.sentence
    assert body_of(storage) == b"x"


def test_limits_and_names_are_refusals_that_keep_the_text(storage: Interrupted) -> None:
    curator = Curator(workspace(storage, Settings(max_file_bytes=4)))
    edit = Edit(KEY, None, Content("12345", "d"))
    outcome = curator.save(edit)
    assert isinstance(outcome, Refused)
    assert outcome.edit == edit
    assert "5 bytes" in outcome.problem.sentence
    for content in (Content("a", "two\nlines"), Content("\ud800", "d"), Content("a", "d" * 9_000)):
        assert isinstance(curator.save(Edit(KEY, None, content)), Refused)
    assert storage.get(KEY) is None


def test_only_the_curated_area_can_be_changed_until_told_otherwise(storage: Interrupted, curator: Curator) -> None:
    key = "user/u/notes/n.md"
    agent_writes(storage, "a", key)
    edit = with_body(opened(curator, key), "b")
    assert isinstance(curator.save(edit), Refused)
    assert isinstance(curator.delete(edit), Refused)
    assert isinstance(curator.begin(key), Problem)
    assert body_of(storage, key) == b"a"
    curator.all_areas = True
    assert isinstance(curator.save(edit), Saved)
    assert body_of(storage, key) == b"b"


def test_a_read_only_store_refuses_with_a_sentence(storage: Interrupted) -> None:
    agent_writes(storage, "a")
    curator = Curator(workspace(storage, Settings(read_only=True)))
    outcome = curator.save(with_body(opened(curator), "b"))
    assert isinstance(outcome, Refused)
    assert "read-only" in outcome.problem.sentence


def test_what_cannot_be_read_cannot_be_edited(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    storage.put(KEY, b"caf\xe9", storage.list_page("", None, 1)[0].metadata)
    problem = curator.open(KEY)
    assert isinstance(problem, Problem)
    assert "UTF-8" in problem.sentence
    assert isinstance(curator.open("user/u/system/none.md"), Problem)


def test_deleting_is_guarded_by_the_version(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    edit = opened(curator)
    storage.meanwhile(lambda: agent_writes(storage, "b"))
    outcome = curator.delete(edit)
    assert isinstance(outcome, Conflict)
    assert body_of(storage) == b"b"
    assert isinstance(curator.delete(edit.onto(outcome.theirs)), Deleted)
    assert storage.get(KEY) is None
    assert isinstance(curator.delete(edit), DeletedMeanwhile)


def test_a_folder_that_another_process_writes_to_gives_conflicts_too(tmp_path: Path) -> None:
    agent = FilesystemStorage(tmp_path, durable=False)
    agent_writes(agent, "a\r\nb\r\n")
    curator = Curator(open_folder(tmp_path, Settings()))
    mine = with_body(opened(curator), "A\r\nb\r\n")
    agent_writes(agent, "a\r\nb\r\nc\r\n")
    conflict = curator.save(mine)
    assert isinstance(conflict, Conflict)
    (tmp_path / "user" / "u" / "system" / "rules.md%obj").write_bytes(b"a\r\nby hand\r\n")
    conflict = curator.save(mine.onto(conflict.theirs, conflict.merge().content()))
    assert isinstance(conflict, Conflict)
    assert conflict.theirs.content.body == "a\r\nby hand\r\n"
    assert isinstance(curator.save(conflict.edit.onto(conflict.theirs)), Saved)
    assert body_of(agent) == b"A\r\nb\r\nc\r\n"


class Unreachable(InMemoryStorage):
    """A storage that has gone away."""

    def get(self, key: str) -> None:
        raise BackendUnavailableError(TransientReason.UNAVAILABLE)


def test_a_store_out_of_reach_keeps_the_text() -> None:
    curator = Curator(workspace(Unreachable()))
    assert isinstance(curator.open(KEY), Problem)
    storage = Interrupted()
    agent_writes(storage, "a")
    edit = with_body(opened(Curator(workspace(storage))), "b")
    outcome = curator.save(edit)
    assert isinstance(outcome, Refused)
    assert outcome.edit == edit
    assert outcome.problem.title == "Storage unavailable"


BYTES = st.lists(
    st.sampled_from(["a", "- [stated] x", "\t", "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b", "\x0c", "\ufeff", "é"]),
    max_size=12,
).map("".join)


@given(BYTES)
def test_a_line_added_at_the_end_leaves_every_other_byte(text: str) -> None:
    storage = InMemoryStorage()
    agent_writes(storage, text)
    curator = Curator(workspace(storage))
    edit = opened(curator)
    shown = line_text(edit.content.body)
    saved = curator.save(with_body(edit, shown.back(f"{shown.shown}\nnew")))
    assert isinstance(saved, Saved)
    assert body_of(storage).decode("utf-8").startswith(text)
    assert body_of(storage).endswith(b"new")


@given(BYTES, st.data())
def test_one_line_edited_changes_the_bytes_of_that_line_alone(text: str, data: st.DataObject) -> None:
    storage = InMemoryStorage()
    agent_writes(storage, text)
    edit = opened(Curator(workspace(storage)))
    lines_and_ends = re.split("(\r\n|\r|\n)", text)
    shown = line_text(edit.content.body)
    lines = shown.shown.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = lines_and_ends[2 * at] = data.draw(st.text("xyz", min_size=1, max_size=5))
    assert isinstance(Curator(workspace(storage)).save(with_body(edit, shown.back("\n".join(lines)))), Saved)
    assert body_of(storage) == "".join(lines_and_ends).encode("utf-8")

import pytest

from tests.tui.model.curation import KEY, Interrupted, agent_deletes, agent_writes, body_of, opened, workspace
from wenchang.version_token import VersionToken
from wenchang_tui.model.content import Content
from wenchang_tui.model.curation_log import MAX_CHANGES, CurationLog, Done, Move, State, Stopped
from wenchang_tui.model.editing import Curator, Deleted, Edit, Saved


@pytest.fixture
def storage() -> Interrupted:
    return Interrupted()


@pytest.fixture
def curator(storage: Interrupted) -> Curator:
    return Curator(workspace(storage))


def saved(curator: Curator, edit: Edit) -> Saved:
    outcome = curator.save(edit)
    assert isinstance(outcome, Saved)
    return outcome


def test_undoing_a_save_puts_the_former_state_back(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a", aliases=("x",))
    before = storage.get(KEY)
    assert before is not None
    change = saved(curator, opened(curator).with_content(Content("b", "New"))).change
    assert curator.log.changes == (change,)
    undone = curator.log.undo(change)
    assert isinstance(undone, Done)
    after = storage.get(KEY)
    assert after is not None
    assert (after.data, after.metadata) == (before.data, before.metadata)
    assert after.version != before.version


def test_a_long_session_remembers_its_latest_changes_alone(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    edit = opened(curator)
    for number in range(MAX_CHANGES + 3):
        edit = saved(curator, edit.with_content(Content(str(number), "New"))).edit
    assert [change.number for change in curator.log.changes] == list(range(4, MAX_CHANGES + 4))
    assert isinstance(curator.log.undo(curator.log.changes[-1]), Done)
    assert body_of(storage) == str(MAX_CHANGES + 1).encode()


def test_undoing_is_a_change_that_can_be_undone(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    change = saved(curator, opened(curator).with_content(Content("b", "New"))).change
    undone = curator.log.undo(change)
    assert isinstance(undone, Done)
    assert curator.log.changes == (undone.change,)
    redone = curator.log.undo(undone.change)
    assert isinstance(redone, Done)
    assert body_of(storage) == b"b"
    again = curator.log.undo(redone.change)
    assert isinstance(again, Done)
    titles = [outcome.change.title for outcome in (undone, redone, again)]
    assert titles == [f"Undo: Saved {KEY}", f"Redo: Saved {KEY}", f"Undo: Saved {KEY}"]


def test_the_latest_change_of_this_session_is_told_from_those_of_others(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    first = saved(curator, opened(curator).with_content(Content("b", "New")))
    second = saved(curator, first.edit.with_content(Content("c", "New")))
    assert curator.log.led_to(KEY, version_of(storage))
    curator.log.undo(second.change)
    assert curator.log.led_to(KEY, version_of(storage))
    curator.delete(opened(curator))
    assert curator.log.led_to(KEY, None)
    agent_writes(storage, "b")
    assert not curator.log.led_to(KEY, version_of(storage))
    assert not curator.log.led_to("user/u/system/other.md", None)


def version_of(storage: Interrupted) -> VersionToken:
    found = storage.get(KEY)
    assert found is not None
    return found.version


def test_changes_can_be_undone_one_after_the_other(storage: Interrupted, curator: Curator) -> None:
    created = saved(curator, Edit(KEY, None, Content("1", "d")))
    second = saved(curator, created.edit.with_content(Content("2", "d")))
    third = saved(curator, second.edit.with_content(Content("3", "d")))
    deleted = curator.delete(third.edit)
    assert isinstance(deleted, Deleted)
    for change, body in ((deleted.change, b"3"), (third.change, b"2"), (second.change, b"1")):
        assert isinstance(curator.log.undo(change), Done)
        assert body_of(storage) == body
        assert change.number not in [left.number for left in curator.log.changes]
    assert isinstance(curator.log.undo(created.change), Done)
    assert storage.get(KEY) is None


def test_an_earlier_change_is_not_undone_over_what_somebody_wrote_since(storage: Interrupted, curator: Curator) -> None:
    first = saved(curator, Edit(KEY, None, Content("1", "d")))
    second = saved(curator, first.edit.with_content(Content("2", "d")))
    assert isinstance(curator.log.undo(second.change), Done)
    agent_writes(storage, "theirs")
    assert isinstance(curator.log.undo(first.change), Stopped)
    assert body_of(storage) == b"theirs"


def test_undoing_a_creation_deletes_and_undoing_a_deletion_creates(storage: Interrupted, curator: Curator) -> None:
    created = saved(curator, Edit(KEY, None, Content("a", "d")))
    assert isinstance(curator.log.undo(created.change), Done)
    assert storage.get(KEY) is None
    agent_writes(storage, "b")
    deleted = curator.delete(opened(curator))
    assert isinstance(deleted, Deleted)
    assert isinstance(curator.log.undo(deleted.change), Done)
    assert body_of(storage) == b"b"


def test_what_somebody_else_built_upon_is_not_undone(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    change = saved(curator, opened(curator).with_content(Content("b", "New"))).change
    agent_writes(storage, "b\n- [stated] more\n")
    stopped = curator.log.undo(change)
    assert isinstance(stopped, Stopped)
    assert (stopped.key, stopped.change) == (KEY, None)
    assert body_of(storage) == b"b\n- [stated] more\n"
    assert curator.log.changes == (change,)


def test_a_deletion_that_somebody_filled_again_is_not_undone(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    deleted = curator.delete(opened(curator))
    assert isinstance(deleted, Deleted)
    agent_writes(storage, "new")
    assert isinstance(curator.log.undo(deleted.change), Stopped)
    assert body_of(storage) == b"new"


def test_moves_stop_at_the_first_that_is_refused(storage: Interrupted) -> None:
    log = CurationLog(storage, workspace(storage).store)
    storage.put("b", b"taken", {})
    moves = [Move(key, None, State(key.encode(), {})) for key in ("a", "b", "c")]
    stopped = log.make("three", moves)
    assert isinstance(stopped, Stopped)
    assert stopped.key == "b"
    assert [row.key for row in storage.list_page("", None, 9)] == ["a", "b"]
    assert stopped.change is not None
    assert isinstance(log.undo(stopped.change), Done)
    assert storage.get("a") is None


def test_what_is_undone_in_part_can_be_tried_again(storage: Interrupted) -> None:
    log = CurationLog(storage, workspace(storage).store)
    done = log.make("two", [Move("a", None, State(b"", {})), Move("b", None, State(b"", {}))])
    assert isinstance(done, Done)
    storage.meanwhile(lambda: storage.put("a", b"", {}), after=1)
    stopped = log.undo(done.change)
    assert isinstance(stopped, Stopped)
    assert stopped.key == "a"
    left = log.changes[0]
    assert [moved.key for moved in left.moves] == ["a"]
    assert [moved.key for moved in log.changes[1].moves] == ["b"]
    agent_deletes(storage, "a")
    assert isinstance(log.undo(left), Stopped)

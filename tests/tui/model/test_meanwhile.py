import pytest

from tests.tui.model.curation import KEY, agent_writes, opened, workspace
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.content import Content, Snapshot
from wenchang_tui.model.editing import Curator, Edit
from wenchang_tui.model.meanwhile import Meanwhile, meanwhile

STORED, TYPED, THEIRS = (Content(body, "Rules") for body in ("stored", "typed", "theirs"))


def snapshot(content: Content, writes: int = 1) -> Snapshot:
    """The content as stored; more writes give another version."""
    storage = InMemoryStorage()
    for _ in range(writes):
        agent_writes(storage, content.body, description=content.description)
    base = opened(Curator(workspace(storage))).base
    assert base is not None
    return base


@pytest.mark.parametrize(
    ("typed", "found", "expected"),
    [
        (STORED, snapshot(STORED), Meanwhile.NOTHING),
        (TYPED, snapshot(STORED), Meanwhile.NOTHING),
        (STORED, snapshot(THEIRS, 2), Meanwhile.READ_AGAIN),
        (STORED, snapshot(STORED, 2), Meanwhile.READ_AGAIN),
        (TYPED, snapshot(STORED, 2), Meanwhile.GO_ON),
        (TYPED, snapshot(TYPED, 2), Meanwhile.GO_ON),
        (TYPED, snapshot(THEIRS, 2), Meanwhile.COMPARE),
        (STORED, None, Meanwhile.CLOSE),
        (TYPED, None, Meanwhile.GONE),
    ],
)
def test_a_change_of_an_open_file(typed: Content, found: Snapshot | None, expected: Meanwhile) -> None:
    assert meanwhile(Edit(KEY, snapshot(STORED), typed), found) is expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, Meanwhile.NOTHING),
        (snapshot(THEIRS), Meanwhile.COMPARE),
        (snapshot(TYPED), Meanwhile.GO_ON),
    ],
)
def test_a_file_that_comes_to_stand_where_a_new_one_is_typed(found: Snapshot | None, expected: Meanwhile) -> None:
    assert meanwhile(Edit(KEY, None, TYPED), found) is expected

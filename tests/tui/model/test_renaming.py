from collections.abc import Mapping

import pytest

from tests.tui.model.curation import KEY, Interrupted, agent_deletes, agent_writes, body_of, opened, workspace
from wenchang.storage import PreconditionFailedError, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.curation_log import Done
from wenchang_tui.model.editing import Curator
from wenchang_tui.model.renaming import (
    HalfRenamed,
    Homeless,
    NotRenamed,
    Renamed,
    finish_renaming,
    rename,
    take_back,
)

NEW = "user/u/system/law.md"


@pytest.fixture
def storage() -> Interrupted:
    return Interrupted()


@pytest.fixture
def curator(storage: Interrupted) -> Curator:
    return Curator(workspace(storage))


def original(curator: Curator, key: str = KEY) -> Snapshot:
    base = opened(curator, key).base
    assert base is not None
    return base


def test_a_renamed_file_is_one_record_with_the_same_body(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a\r\n\ufeffb", aliases=("x",))
    renamed = rename(curator, original(curator), NEW)
    assert isinstance(renamed, Renamed)
    assert [row.key for row in storage.list_page("", None, 9)] == [NEW]
    after = original(curator, NEW)
    assert renamed.edit.base == after
    assert after.stored.data == "a\r\n\ufeffb".encode()
    assert (after.metadata.description, after.metadata.aliases) == ("Rules", ("x",))
    assert after.metadata.sources == {"agent", "person"}


def test_a_rename_can_be_undone(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    before = original(curator)
    renamed = rename(curator, before, NEW)
    assert isinstance(renamed, Renamed)
    assert isinstance(curator.log.undo(renamed.change), Done)
    assert storage.get(NEW) is None
    assert original(curator).metadata == before.metadata


def test_another_file_is_never_replaced(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    agent_writes(storage, "theirs", NEW)
    assert isinstance(rename(curator, original(curator), NEW), NotRenamed)
    assert (body_of(storage), body_of(storage, NEW)) == (b"a", b"theirs")
    agent_deletes(storage, NEW)
    storage.meanwhile(lambda: storage.put(NEW, b"later", {}))
    assert isinstance(rename(curator, original(curator), NEW), NotRenamed)
    assert (body_of(storage), body_of(storage, NEW)) == (b"a", b"later")


def test_names_and_areas_that_may_not_be_are_refused(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    for key in (KEY, "user/u/notes/n.md", "user/u/system/..md"):
        assert isinstance(rename(curator, original(curator), key), NotRenamed)


def half_renamed(storage: Interrupted, curator: Curator) -> HalfRenamed:
    agent_writes(storage, "old")
    snapshot = original(curator)
    storage.meanwhile(lambda: agent_writes(storage, "newer"), after=1)
    half = rename(curator, snapshot, NEW)
    assert isinstance(half, HalfRenamed)
    assert "both names" in half.problem.sentence
    assert (body_of(storage), body_of(storage, NEW)) == (b"newer", b"old")
    return half


def test_a_change_in_between_leaves_both_names_and_can_be_finished_with_it(
    storage: Interrupted, curator: Curator
) -> None:
    half = half_renamed(storage, curator)
    assert isinstance(finish_renaming(curator, half), Renamed)
    assert storage.get(KEY) is None
    assert body_of(storage, NEW) == b"newer"


def test_finishing_can_be_interrupted_again(storage: Interrupted, curator: Curator) -> None:
    half = half_renamed(storage, curator)
    storage.meanwhile(lambda: agent_writes(storage, "newest"), after=1)
    again = finish_renaming(curator, half)
    assert isinstance(again, HalfRenamed)
    assert isinstance(finish_renaming(curator, again), Renamed)
    assert body_of(storage, NEW) == b"newest"


def test_finishing_does_not_overwrite_a_change_of_the_copy(storage: Interrupted, curator: Curator) -> None:
    half = half_renamed(storage, curator)
    agent_writes(storage, "written to the copy", NEW)
    assert isinstance(finish_renaming(curator, half), HalfRenamed)
    assert (body_of(storage), body_of(storage, NEW)) == (b"newer", b"written to the copy")


def test_a_half_done_rename_can_be_taken_back(storage: Interrupted, curator: Curator) -> None:
    half = half_renamed(storage, curator)
    assert isinstance(take_back(curator, half), Done)
    assert storage.get(NEW) is None
    assert body_of(storage) == b"newer"


def test_a_store_that_fails_in_between_leaves_both_names_and_can_be_finished(
    storage: Interrupted, curator: Curator
) -> None:
    agent_writes(storage, "a")

    def fail() -> None:
        raise OSError(5, "Input/output error")

    storage.meanwhile(fail, after=1)
    half = rename(curator, original(curator), NEW)
    assert isinstance(half, HalfRenamed)
    assert half.problem.sentence == "The store: Input/output error. The file now stands under both names."
    assert (body_of(storage), body_of(storage, NEW)) == (b"a", b"a")
    assert isinstance(finish_renaming(curator, half), Renamed)
    assert [row.key for row in storage.list_page("", None, 9)] == [NEW]


def test_a_file_deleted_in_between_is_renamed_all_the_same(storage: Interrupted, curator: Curator) -> None:
    agent_writes(storage, "a")
    snapshot = original(curator)
    storage.meanwhile(lambda: agent_deletes(storage), after=1)
    assert isinstance(rename(curator, snapshot, NEW), Renamed)
    assert body_of(storage, NEW) == b"a"


class CaseIgnoring(InMemoryStorage):
    """A storage that takes a key for absent when another stands there that differs in case alone, as some disks do."""

    broken = False

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        others = {row.key.casefold() for row in self.list_page("", None, 99) if row.key != key}
        if self.broken and expected is None:
            raise OSError(28, "No space left on device")
        if key.casefold() in others:
            raise PreconditionFailedError(key)
        return super().put_if_version(key, data, metadata, expected)


def test_a_name_that_changes_in_case_alone_is_renamed_on_any_disk() -> None:
    storage = CaseIgnoring()
    agent_writes(storage, "a")
    curator = Curator(workspace(storage))
    assert isinstance(rename(curator, original(curator), "user/u/system/Rules.md"), Renamed)
    assert [row.key for row in storage.list_page("", None, 9)] == ["user/u/system/Rules.md"]
    agent_writes(storage, "b", NEW)
    assert isinstance(rename(curator, original(curator, NEW), "user/u/system/RULES.md"), NotRenamed)
    assert body_of(storage, NEW) == b"b"


class CaseIgnoringThenFull(CaseIgnoring):
    """One that fills up right after a deletion."""

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        super().delete_if_version(key, expected)
        self.broken = True


def test_a_file_between_two_names_is_kept_until_it_has_one() -> None:
    storage = CaseIgnoringThenFull()
    agent_writes(storage, "a")
    curator = Curator(workspace(storage))
    homeless = rename(curator, original(curator), "user/u/system/Rules.md")
    assert isinstance(homeless, Homeless)
    assert homeless.original.content.body == "a"
    storage.broken = False
    assert isinstance(finish_renaming(curator, homeless), Renamed)
    found = storage.get("user/u/system/Rules.md")
    assert isinstance(found, StoredObject)
    assert found.data == b"a"

"""Former versions of a file in a bucket: telling them, opening them, comparing them, and putting one back."""

from datetime import UTC, datetime
from typing import Any

import pytest

from wenchang.file_format import FileMetadata, metadata_from_map
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.diffing import Mark, diff_files
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.curation_log import CurationLog, Done, Stopped
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.versions import FormerVersions, memory_file
from wenchang_tui.model.workspace import Workspace, workspace_over

KEY = "user/u/notes/n.md"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def workspace(keeping_target: str) -> Workspace:
    return open_target(keeping_target, Settings(source="curator"))


@pytest.fixture
def history(workspace: Workspace) -> FormerVersions:
    found = FormerVersions.of(workspace)
    assert found is not None
    return found


@pytest.fixture
def log(workspace: Workspace) -> CurationLog:
    return CurationLog(workspace.storage, workspace.store)


def write(workspace: Workspace, body: str, description: str, *aliases: str) -> None:
    found = workspace.storage.get(KEY)
    metadata = FileMetadata(description, aliases, frozenset(), LONG_AGO)
    workspace.store.write_file(KEY, body, metadata, found.version if found else None, source=f"writer of {description}")


def at(history: FormerVersions, number: int) -> OpenFile:
    """A version, 0 being the latest."""
    found = history.open(KEY, history.versions(KEY)[number].version)
    assert found is not None
    return found


def test_versions_are_told_newest_first_with_time_and_size(workspace: Workspace, history: FormerVersions) -> None:
    write(workspace, "one", "first")
    write(workspace, "three", "second")
    present, past = history.versions(KEY)
    assert (present.size, past.size) == (5, 3)
    assert present.replaced is None
    assert past.written <= present.written
    assert [at(history, number).text for number in (0, 1)] == ["three", "one"]
    assert history.open("user/u/notes/other.md", past.version) is None


def test_a_version_is_compared_with_the_present(workspace: Workspace, history: FormerVersions) -> None:
    write(workspace, "same\nold\n", "first")
    write(workspace, "same\nnew\n", "second")
    lines = diff_files(memory_file(at(history, 1)), memory_file(at(history, 0))).lines
    body = [(line.mark, line.text) for line in lines if not line.field]
    assert body == [(Mark.SAME, "same"), (Mark.REMOVED, "old"), (Mark.ADDED, "new")]


def test_restoring_brings_back_body_and_metadata_as_a_new_version(
    workspace: Workspace, history: FormerVersions, log: CurationLog
) -> None:
    write(workspace, "one", "first", "alias")
    write(workspace, "two", "second")
    before = datetime.now(UTC)
    outcome = history.restore(at(history, 1), at(history, 0), log)
    assert isinstance(outcome, Done)
    file = workspace.store.read_file(KEY)
    assert (file.content, file.metadata.description, file.metadata.aliases) == ("one", "first", ("alias",))
    assert file.metadata.sources == {"writer of first", "curator"}
    assert file.metadata.last_updated >= before
    assert history.versions(KEY)[0].version == file.version
    assert len(history.versions(KEY)) == 3
    assert isinstance(log.undo(outcome.change), Done)
    assert workspace.store.read_file(KEY).content == "two"


def test_restoring_replaces_only_the_version_that_was_looked_at(
    workspace: Workspace, history: FormerVersions, log: CurationLog
) -> None:
    write(workspace, "one", "first")
    write(workspace, "two", "second")
    past, present = at(history, 1), at(history, 0)
    write(workspace, "three", "third")
    for seen in (present, None):
        outcome = history.restore(past, seen, log)
        assert isinstance(outcome, Stopped)
        assert workspace.store.read_file(KEY).content == "three"


def test_a_deleted_file_comes_back(workspace: Workspace, history: FormerVersions, log: CurationLog) -> None:
    write(workspace, "one", "first")
    workspace.store.delete_file(KEY, workspace.store.read_file(KEY).version)
    (past,) = history.versions(KEY)
    assert past.replaced is not None
    assert isinstance(history.restore(at(history, 0), None, log), Done)
    assert workspace.store.read_file(KEY).content == "one"


def test_a_damaged_file_can_be_replaced_but_not_restored(
    workspace: Workspace, history: FormerVersions, log: CurationLog
) -> None:
    write(workspace, "one", "first")
    workspace.storage.put(KEY, b"\xff", {"aliases": "["})
    damaged, good = at(history, 0), at(history, 1)
    assert memory_file(damaged) is None
    refusal = history.restore(damaged, damaged, log)
    assert isinstance(refusal, Stopped)
    assert "cannot be read as a memory file" in refusal.problem.sentence
    assert isinstance(history.restore(good, damaged, log), Done)
    assert workspace.store.read_file(KEY).content == "one"


def test_what_else_is_stored_with_a_version_comes_back_too(
    workspace: Workspace, history: FormerVersions, log: CurationLog
) -> None:
    write(workspace, "one", "first")
    first = at(history, 0)
    workspace.storage.put(KEY, b"one", {**first.stored, "by others": "x"})
    write(workspace, "two", "second")
    assert isinstance(history.restore(at(history, 1), at(history, 0), log), Done)
    stored: Any = workspace.storage.get(KEY)
    assert stored.metadata["by others"] == "x"
    assert metadata_from_map(stored.metadata).description == "first"


def test_a_read_only_bucket_tells_versions_and_restores_none(keeping_target: str, workspace: Workspace) -> None:
    write(workspace, "one", "first")
    write(workspace, "two", "second")
    seen = open_target(keeping_target, Settings(read_only=True))
    history = FormerVersions.of(seen)
    assert history is not None
    outcome = history.restore(at(history, 1), at(history, 0), CurationLog(seen.storage, seen.store))
    assert isinstance(outcome, Stopped)
    assert workspace.store.read_file(KEY).content == "two"


def test_a_storage_without_history_has_none() -> None:
    assert FormerVersions.of(workspace_over("x", "folder", InMemoryStorage(), Settings(), None)) is None

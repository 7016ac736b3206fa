"""Putting an entity back: everything as it was, or nothing before all of it is known to be whole."""

import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.tui.model.entities import METADATA, Failing, fill, fill_oddly, objects_of, workspace_on
from tests.tui.model.test_archive_reading import KEY, line, pack
from wenchang.core import MemoryStore, OperationCancelledError, Progress
from wenchang.index_cache import IndexCache
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.archive import ArchiveError, Totals
from wenchang_tui.model.operations import UnfinishedError, export_entity
from wenchang_tui.model.read_only import ReadOnlyError
from wenchang_tui.model.restoring import NotEmptyError, RestorePlan, plan_restore, restore_entity
from wenchang_tui.model.workspace import Settings, Workspace


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The entity of `fill`."""
    storage, path = InMemoryStorage(), tmp_path / "u.zip"
    fill(storage)
    export_entity(workspace_on(storage), "user", "u", path)
    return path


@pytest.mark.parametrize("filled", [fill, fill_oddly])
def test_what_was_exported_comes_back_as_it_was(tmp_path: Path, filled: Callable[[Storage], None]) -> None:
    storage, other = InMemoryStorage(), InMemoryStorage()
    filled(storage)
    export_entity(workspace_on(storage), "user", "u", tmp_path / "u.zip")
    restore_entity(workspace_on(other), tmp_path / "u.zip")
    assert objects_of(other) == objects_of(storage)
    assert other.list_page("user/u2", None, 9) == []


def test_odd_keys_never_lead_out_of_a_folder(tmp_path: Path) -> None:
    keys = ["user/u/../../../evil.md", "user/u//evil.md", "user/u/./evil.md", "user/u/\ud800\\..\\evil.md"]
    lines = [line(key, member=KEY) for key in keys]
    path = pack(tmp_path / "u.zip", lines)
    root = tmp_path / "a" / "b" / "store"
    assert restore_entity(workspace_on(FilesystemStorage(root, durable=False)), path) == Totals(4, 16)
    assert {file.relative_to(tmp_path).parts[:5] for file in tmp_path.rglob("*%obj")} == {
        ("a", "b", "store", "user", "u")
    }
    assert list(objects_of(FilesystemStorage(root))) == sorted(keys)


def test_a_restore_tells_its_progress_and_what_it_did(archive: Path) -> None:
    told: list[Progress] = []
    assert restore_entity(workspace_on(InMemoryStorage()), archive, on_progress=told.append) == Totals(5, 21)
    assert [(one.done, one.total) for one in told] == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_an_entity_that_holds_anything_is_left_alone(archive: Path) -> None:
    storage = InMemoryStorage()
    storage.put("user/u/stray too", b"", {})
    with pytest.raises(NotEmptyError, match="--force"):
        restore_entity(workspace_on(storage), archive)
    assert list(objects_of(storage)) == ["user/u/stray too"]


def test_force_replaces_objects_of_the_same_keys_and_leaves_others(archive: Path) -> None:
    storage = InMemoryStorage()
    storage.put("user/u/notes/a.md", b"newer", {})
    storage.put("user/u/notes/z.md", b"other", {})
    workspace = workspace_on(storage)
    assert plan_restore(workspace, archive) == RestorePlan("user", "u", Totals(5, 21), replaced=1, kept=1)
    restore_entity(workspace, archive, force=True)
    assert storage.get("user/u/notes/a.md") is not None
    assert objects_of(storage)["user/u/notes/a.md"] == (b"- [stated] a\n", METADATA)
    assert objects_of(storage)["user/u/notes/z.md"] == (b"other", {})
    assert len(objects_of(storage)) == 6


@pytest.mark.parametrize("force", [False, True])
def test_one_damaged_body_keeps_everything_from_being_written(tmp_path: Path, force: bool) -> None:
    path = pack(tmp_path / "u.zip", [line(), line("user/u/z", b"other")], {KEY: b"body", "user/u/z": b"othEr"})
    storage = InMemoryStorage()
    with pytest.raises(ArchiveError, match="user/u/z"):
        restore_entity(workspace_on(storage), path, force=force)
    with pytest.raises(ArchiveError, match="user/u/z"):
        plan_restore(workspace_on(storage), path)
    assert objects_of(storage, "") == {}


def test_the_limit_is_in_proportion_to_that_of_the_store(tmp_path: Path) -> None:
    storage, body = InMemoryStorage(), bytes(20_000)
    path = pack(tmp_path / "u.zip", [line(body=body)], {KEY: body})
    assert restore_entity(workspace_on(storage), path) == Totals(1, 20_000)
    small = Workspace("t", "folder", storage, MemoryStore(storage), Settings(max_file_bytes=10), None)
    with pytest.raises(ArchiveError, match="10,240 are the most"):
        restore_entity(small, path, force=True)


def test_what_appeared_meanwhile_is_not_overwritten(archive: Path) -> None:
    storage = InMemoryStorage()

    def somebody_writes(progress: Progress) -> None:
        if progress.done == 1:
            storage.put("user/u/notes/b.md", b"newer", {})

    with pytest.raises(UnfinishedError) as caught:
        restore_entity(workspace_on(storage), archive, on_progress=somebody_writes)
    assert (caught.value.done, caught.value.total) == (1, 5)
    assert objects_of(storage)["user/u/notes/b.md"][0] == b"newer"


def test_a_restore_that_fails_says_how_far_it_came(tmp_path: Path) -> None:
    keys = [f"user/u/notes/{name}.md" for name in "abcd"]
    path = pack(tmp_path / "u.zip", [line(key, member=KEY) for key in keys])
    storage = Failing(keys[1])
    storage.armed = True
    with pytest.raises(UnfinishedError) as caught:
        restore_entity(workspace_on(storage), path)
    assert (caught.value.done, caught.value.total, caught.value.was_cancelled) == (3, 4, False)
    assert list(objects_of(storage)) == [keys[0], keys[2], keys[3]]


def test_a_restore_that_is_cancelled_before_the_first_write_writes_nothing(archive: Path) -> None:
    storage = InMemoryStorage()
    with pytest.raises(OperationCancelledError):
        restore_entity(workspace_on(storage), archive, is_cancelled=lambda: True)
    assert objects_of(storage) == {}


def test_a_restore_that_is_cancelled_midway_says_how_far_it_came(archive: Path) -> None:
    storage, asked = InMemoryStorage(), count()
    with pytest.raises(UnfinishedError) as caught:
        restore_entity(workspace_on(storage), archive, is_cancelled=lambda: next(asked) >= 7)
    assert (caught.value.done, caught.value.total, caught.value.was_cancelled) == (2, 5, True)
    assert len(objects_of(storage)) == 2


def test_a_store_opened_read_only_is_not_restored_to(archive: Path) -> None:
    with pytest.raises(ReadOnlyError):
        restore_entity(workspace_on(InMemoryStorage(), read_only=True), archive)


@pytest.mark.parametrize("fails", [False, True])
def test_the_cached_index_is_forgotten_even_after_a_failure(archive: Path, fails: bool) -> None:
    storage, keys = InMemoryStorage(), list[str]()
    cache = IndexCache(get=lambda key: None, set=lambda key, value, ttl: keys.append(key))
    workspace = Workspace("t", "folder", storage, MemoryStore(storage, index_cache=cache), Settings(), None)
    asked = count()
    if fails:
        with pytest.raises(UnfinishedError):
            restore_entity(workspace, archive, is_cancelled=lambda: next(asked) >= 7)
    else:
        restore_entity(workspace, archive)
    assert keys == ["wenchang:index:token/user/u", "wenchang:index:listing/user/u"]


def test_an_archive_that_another_program_packed_again_is_as_good(archive: Path, tmp_path: Path) -> None:
    """Other programs compress otherwise, add folders, and may change the order."""
    again = tmp_path / "again.zip"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(again, "w") as new:
        new.writestr("user/", b"")
        for name in reversed(old.namelist()):
            new.writestr(name, old.read(name))
    assert restore_entity(workspace_on(InMemoryStorage()), again) == Totals(5, 21)

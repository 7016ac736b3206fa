from pathlib import Path

import pytest

from wenchang.identity import Identity, ScopeGrant
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.demo import DEMO_IDENTITY
from wenchang_tui.model.problems import OpenError
from wenchang_tui.model.read_only import ReadOnlyError
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Ambiguous, infer_identity, open_demo, open_folder


def storage(*keys: str) -> InMemoryStorage:
    filled = InMemoryStorage()
    for key in keys:
        filled.put(key, b"", {})
    return filled


def test_a_folder_opens_as_it_is(tmp_path: Path) -> None:
    FilesystemStorage(tmp_path).put("s/e/a/n.md", b"x", {})
    opened = open_folder(tmp_path, Settings(index_bytes=7, priority=("s",), max_files=None))
    assert (opened.target, opened.kind, opened.root) == (str(tmp_path), "folder", tmp_path)
    assert opened.catalog.scopes() == ("s",)
    assert opened.store.index_max_bytes == 7
    assert opened.store.scope_priority == ("s",)


def test_a_folder_that_vanishes_is_missed(tmp_path: Path) -> None:
    workspace = open_folder(tmp_path / "memory", Settings(), create=True)
    (tmp_path / "memory").rmdir()
    with pytest.raises(FileNotFoundError):
        workspace.catalog.page("")


def test_a_missing_folder_is_made_only_on_request(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "store"
    with pytest.raises(OpenError) as refused:
        open_folder(folder, Settings())
    assert "--create" in refused.value.problem.next_step
    assert not folder.exists()
    with pytest.raises(OpenError):
        open_folder(folder, Settings(read_only=True), create=True)
    assert not folder.exists()
    assert open_folder(folder, Settings(), create=True).catalog.scopes() == ()
    assert folder.is_dir()


def test_a_file_is_no_target(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OpenError) as refused:
        open_folder(file, Settings())
    assert refused.value.problem.title == "Not a folder"


def test_read_only_reaches_the_store(tmp_path: Path) -> None:
    version = FilesystemStorage(tmp_path).put("s/e/a/n.md", b"x", {})
    opened = open_folder(tmp_path, Settings(read_only=True))
    with pytest.raises(ReadOnlyError):
        opened.store.delete_file("s/e/a/n.md", version)
    with pytest.raises(ReadOnlyError):
        opened.storage.put("s/e/a/n.md", b"", {})


def test_the_demo_has_an_identity_of_its_own_unless_one_is_given() -> None:
    opened = open_demo(Settings(read_only=True))
    assert (opened.target, opened.kind) == ("demo", "demo")
    assert opened.identity() == DEMO_IDENTITY
    assert opened.policy.is_write_restricted("organization")
    other = {"project": ScopeGrant("p-river-of-salt", "owner")}
    assert open_demo(Settings(grants=other)).identity() == Identity(other)


def test_one_entity_in_each_scope_is_the_identity() -> None:
    found = infer_identity(Catalog(storage("user/u/a/n.md", "project/p/a/n.md", "stray")))
    assert found == Identity({"user": ScopeGrant("u", "owner"), "project": ScopeGrant("p", "owner")})
    assert infer_identity(Catalog(storage())) == Identity({})


def test_two_entities_in_one_scope_leave_it_open() -> None:
    found = infer_identity(Catalog(storage("user/u/a/n.md", "user/v/a/n.md", "project/p/a/n.md")))
    assert found == Ambiguous({"project": ("p",), "user": ("u", "v")})


def test_nobody_can_be_an_entity_that_is_no_path_segment() -> None:
    assert infer_identity(Catalog(storage("user/../a/n.md"))) == Ambiguous({"user": ("..",)})

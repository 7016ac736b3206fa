"""What is taken for a file memory, and how one is opened."""

from pathlib import Path

import pytest

from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.flat_folder import FlatFolder, is_flat, open_flat
from wenchang_tui.model.problems import OpenError
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import lasting_target, open_any
from wenchang_tui.model.workspace import Workspace


def store_in(folder: Path) -> None:
    from datetime import UTC, datetime

    metadata = FileMetadata("d", (), frozenset(), datetime.now(UTC))
    MemoryStore(FilesystemStorage(folder, durable=False)).write_file("s/e/a/n.md", "x\n", metadata, None, source="t")


def test_plain_files_make_a_file_memory(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    assert is_flat(str(tmp_path))
    opened = open_any(str(tmp_path), Settings())
    assert isinstance(opened, FlatFolder)
    assert (opened.target, opened.kind, opened.root) == (str(tmp_path), "filememory", tmp_path)


@pytest.mark.parametrize("name", [None, ".DS_Store", "folder/a.md"])
def test_a_folder_without_visible_files_stays_a_store(tmp_path: Path, name: str | None) -> None:
    if name:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert isinstance(open_any(str(tmp_path), Settings()), Workspace)


def test_a_stray_file_beside_objects_leaves_a_store_a_store(tmp_path: Path) -> None:
    store_in(tmp_path)
    (tmp_path / "README.md").touch()
    assert isinstance(open_any(str(tmp_path), Settings()), Workspace)


def test_the_scheme_forces_it(tmp_path: Path) -> None:
    opened = open_any(f"filememory:{tmp_path}", Settings())
    assert isinstance(opened, FlatFolder)
    assert opened.target == f"filememory:{tmp_path}"
    assert list(tmp_path.iterdir()) == []


def test_a_lasting_target_opens_the_same_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    monkeypatch.chdir(tmp_path)
    flat, store = open_any("filememory:memory", Settings()), open_any("memory", Settings())
    assert lasting_target(flat) == f"filememory:{tmp_path}/memory"
    assert lasting_target(store) == f"{tmp_path}/memory"


def test_a_link_to_a_file_makes_no_file_memory(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("/etc/passwd")
    assert not is_flat(str(tmp_path))


def test_a_folder_is_made_only_when_asked_for(tmp_path: Path) -> None:
    absent = tmp_path / "a" / "b"
    with pytest.raises(OpenError, match="does not exist"):
        open_flat(str(absent), Settings())
    with pytest.raises(OpenError, match="does not exist"):
        open_flat(str(absent), Settings(read_only=True), create=True)
    assert not absent.exists()
    open_flat(str(absent), Settings(), create=True)
    assert absent.stat().st_mode & 0o777 == 0o700


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    with pytest.raises(OpenError, match="leads through a file as if that were a folder"):
        open_flat(str(tmp_path / "a.md"), Settings())


def test_the_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    assert open_flat("filememory:~/notes", Settings()).root == tmp_path / "notes"

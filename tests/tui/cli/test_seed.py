from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli
from wenchang.core import MemoryStore
from wenchang.storage.filesystem import FilesystemStorage

SEED = "---\ndescription: House style\naliases: [style]\n---\n- [system] a\r\n"


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds")
    (folder / "one.md").write_bytes(SEED.encode())
    (folder / "b c 夢.md").write_bytes(SEED.encode())
    return folder


def nothing(created: list[str] | None = None, **lists: list[str]) -> dict[str, list[str]]:
    return {"created": created or [], "replaced": [], "unchanged": [], "deleted": [], **lists}


def test_a_second_run_changes_nothing(cli: Cli, tmp_path: Path, folder: Path, store: MemoryStore) -> None:
    arguments = ("seed", str(tmp_path), "user/u", str(folder), "--json")
    names = ["b c 夢", "one"]
    ended = cli(*arguments)
    assert (ended.code, ended.json, list(ended.json)) == (0, nothing(names), list(nothing()))
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert cli(*arguments).json == nothing(unchanged=names)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == files
    file = store.read_file("user/u/system/b c 夢.md")
    assert file.content == "- [system] a\r\n"
    assert file.metadata.sources == {"wenchang-tui"}


def test_a_dry_run_only_reports(cli: Cli, tmp_path: Path, folder: Path) -> None:
    ended = cli("seed", str(tmp_path), "user/u", str(folder), "--dry-run")
    assert ended.code == 0
    assert ended.out == "user/u/system  nothing was written\n  created   b c 夢\n  created   one\n"
    assert list(tmp_path.iterdir()) == []


def test_pruning_and_replacing(cli: Cli, tmp_path: Path, folder: Path, store: MemoryStore) -> None:
    arguments = ("seed", str(tmp_path), "user/u", str(folder), "--json", "--source", "ci")
    cli(*arguments)
    (folder / "b c 夢.md").unlink()
    (folder / "one.md").write_bytes(SEED.replace("House", "Our").encode())
    assert cli(*arguments).json == nothing(replaced=["one"])
    assert cli(*arguments, "--prune", "--dry-run").json == nothing(unchanged=["one"], deleted=["b c 夢"])
    assert cli(*arguments, "--prune").json == nothing(unchanged=["one"], deleted=["b c 夢"])
    assert [row.key for row in FilesystemStorage(tmp_path).list_page("", None, 9)] == ["user/u/system/one.md"]
    assert store.read_file("user/u/system/one.md").metadata.sources == {"ci"}


@pytest.mark.parametrize("bad", ["no front matter", "---\nalias: x\n---\n", f"{SEED}{'x' * 17_000}"])
def test_what_cannot_be_written_stops_everything(cli: Cli, tmp_path: Path, folder: Path, bad: str) -> None:
    (folder / "zz.md").write_text(bad)
    cli("seed", str(tmp_path), "user/u", str(folder)).failed(3, "zz.md", "Nothing was written.")
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_out_is_told(cli: Cli, tmp_path: Path, folder: Path) -> None:
    (folder / "notes.txt").touch()
    ended = cli("seed", str(tmp_path), "user/u", str(folder), "--json")
    assert ended.json["created"] == ["b c 夢", "one"]
    assert "notes.txt" in ended.err


@pytest.mark.parametrize("words", ["user", "user/", "/u", "user/u/system", "user/.."])
def test_an_entity_has_two_parts(cli: Cli, tmp_path: Path, folder: Path, words: str) -> None:
    cli("seed", str(tmp_path), words, str(folder)).failed(2, "SCOPE/ENTITY")


def test_a_folder_that_is_not_there_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    cli("seed", str(tmp_path), "user/u", str(tmp_path / "none")).failed(2, "none")


def test_a_read_only_store_is_not_written(cli: Cli, tmp_path: Path, folder: Path) -> None:
    cli("seed", str(tmp_path), "user/u", str(folder), "--read-only").failed(3, "read-only")
    assert cli("seed", str(tmp_path), "user/u", str(folder), "--read-only", "--dry-run").code == 0

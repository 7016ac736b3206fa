"""`wenchang export`, `restore` and `purge`: what they print, how they end, and what they leave when stopped."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tui.cli.conftest import Cli
from tests.tui.model.entities import fill, objects_of
from wenchang.storage.filesystem import FilesystemStorage

PROGRAM = [sys.executable, "-m", "wenchang_tui"]
LIMIT = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store that holds the entity of `fill`."""
    folder = tmp_path / "store"
    fill(FilesystemStorage(folder, durable=False))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where to export to."""
    return tmp_path / "u.zip"


def held(folder: Path, prefix: str = "user/u/") -> dict[str, Any]:
    return objects_of(FilesystemStorage(folder), prefix)


# Export and restore


def test_an_export_writes_a_zip_file(cli: Cli, folder: Path, file: Path) -> None:
    ended = cli("export", str(folder), "user/u", "-o", str(file))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"Exported 5 objects, 21 bytes to {file}\n"
    with zipfile.ZipFile(file) as archive:
        assert archive.read("user/u/notes/a.md") == b"- [stated] a\n"
        lines = [json.loads(line) for line in archive.read("manifest.jsonl").splitlines()]
    assert [set(line) for line in lines] == [{"key", "metadata", "version", "size", "sha256"}] * 5


def test_what_was_exported_is_restored_to_another_store(cli: Cli, folder: Path, file: Path, tmp_path: Path) -> None:
    ended = cli("export", str(folder), "user/u", "-o", str(file), "--json")
    assert (ended.code, ended.err) == (0, "")
    assert ended.json == {"objects": 5, "bytes": 21, "file": str(file)}
    other = tmp_path / "other"
    ended = cli("restore", "--create", str(other), str(file), "--json")
    assert (ended.code, ended.err, ended.json) == (0, "", {"objects": 5, "bytes": 21})
    assert held(other, "") == held(folder)


def test_a_file_is_replaced_by_force_alone(cli: Cli, folder: Path, file: Path) -> None:
    file.write_text("old")
    cli("export", str(folder), "user/u", "-o", str(file)).failed(3, str(file), "--force")
    assert file.read_text() == "old"
    assert cli("export", str(folder), "user/u", "-o", str(file), "--force").code == 0
    assert zipfile.is_zipfile(file)


def test_a_file_in_a_folder_that_is_absent_is_refused(cli: Cli, folder: Path, tmp_path: Path) -> None:
    cli("export", str(folder), "user/u", "-o", str(tmp_path / "absent" / "u.zip")).failed(3, "absent")


def test_an_entity_that_holds_something_is_restored_by_force_alone(cli: Cli, folder: Path, file: Path) -> None:
    cli("export", str(folder), "user/u", "-o", str(file))
    FilesystemStorage(folder).put("user/u/notes/a.md", b"newer", {})
    cli("restore", str(folder), str(file)).failed(3, "user/u", "--force")
    assert held(folder)["user/u/notes/a.md"][0] == b"newer"
    ended = cli("restore", str(folder), str(file), "--force")
    assert (ended.code, ended.out) == (0, "Restored 5 objects, 21 bytes.\n")
    assert held(folder)["user/u/notes/a.md"][0] == b"- [stated] a\n"


@pytest.mark.parametrize("data", [b"", b"no zip file"])
def test_a_file_that_is_no_archive_is_refused(cli: Cli, folder: Path, file: Path, data: bytes) -> None:
    file.write_bytes(data)
    cli("restore", str(folder), str(file), "--force").failed(3, "Damaged archive", str(file))
    cli("restore", str(folder), str(file) + "x", "--force").failed(3, "Not found", str(file))
    assert len(held(folder)) == 5


def test_names_of_all_kinds_work(cli: Cli, tmp_path: Path) -> None:
    storage = FilesystemStorage(tmp_path / "s", durable=False)
    storage.put("-scope 100%/日本 👩‍🎓/notes/a.md", b"x", {})
    place = tmp_path / "-o é.zip"
    assert cli("export", "-o", str(place), "--", str(tmp_path / "s"), "-scope 100%/日本 👩‍🎓").code == 0
    assert cli("purge", str(tmp_path / "s"), "--yes=-scope 100%/日本 👩‍🎓", "--", "-scope 100%/日本 👩‍🎓").code == 0
    assert cli("restore", str(tmp_path / "s"), str(place)).code == 0
    assert list(objects_of(storage, "")) == ["-scope 100%/日本 👩‍🎓/notes/a.md"]


# Purge


def test_a_purge_with_the_entity_typed_again_erases_it(cli: Cli, folder: Path) -> None:
    ended = cli("purge", str(folder), "user/u", "--yes", "user/u", "--json")
    assert (ended.code, ended.err, ended.json) == (0, "", {"deleted": 5})
    assert list(held(folder, "")) == ["user/u2/notes/a.md"]
    ended = cli("purge", str(folder), "user/u2", "--yes", "user/u2")
    assert (ended.code, ended.out) == (0, "Deleted 1 object.\n")


def test_a_purge_without_a_terminal_says_what_to_add(cli: Cli, folder: Path) -> None:
    cli("purge", str(folder), "user/u").failed(2, "--yes user/u")
    assert len(held(folder)) == 5


@pytest.mark.parametrize("yes", ["user/u2", "user", "", "yes", "user/u/", "USER/U"])
def test_a_purge_that_names_another_entity_is_refused(cli: Cli, folder: Path, yes: str) -> None:
    cli("purge", str(folder), "user/u", "--yes", yes).failed(2, "user/u", "nothing was deleted")
    assert len(held(folder)) == 5


# All of them


@pytest.mark.parametrize("arguments", [["export", "-o", "u.zip"], ["purge", "--yes", "user/nobody"]])
def test_an_entity_that_does_not_exist_is_a_finding(
    cli: Cli, folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    cli(*arguments, str(folder), "user/nobody").failed(1, "user/nobody", "wenchang tree")
    assert not Path("u.zip").exists()


@pytest.mark.parametrize("name", ["", "user", "user/", "/u", "user/u/notes", "user/..", "./u", "a\\b/u", "user/u/"])
@pytest.mark.parametrize("arguments", [["export", "-o", "u.zip"], ["purge", "--yes", "user/u"]])
def test_what_is_no_entity_is_a_usage_error(cli: Cli, folder: Path, arguments: list[str], name: str) -> None:
    cli(*arguments, str(folder), name).failed(2, "SCOPE/ENTITY")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["export", "user/u"], "--output"),
        (["export", "user/u", "-o", ""], "--output"),
        (["export", "user/u", "more", "-o", "x"], "SCOPE/ENTITY"),
        (["restore", ""], "FILE"),
        (["restore", "a", "b"], "FILE"),
        (["purge", "--yes", "user/u"], "SCOPE/ENTITY"),
    ],
)
def test_a_command_line_of_another_form_is_a_usage_error(
    cli: Cli, folder: Path, arguments: list[str], word: str
) -> None:
    command, *rest = arguments
    cli(command, str(folder), *rest).failed(2, word)


def test_read_only_refuses_what_changes_the_store(cli: Cli, folder: Path, file: Path) -> None:
    assert cli("export", str(folder), "user/u", "-o", str(file), "--read-only").code == 0
    cli("restore", str(folder), str(file), "--force", "--read-only").failed(3, "read-only")
    cli("purge", str(folder), "user/u", "--yes", "user/u", "--read-only").failed(3, "read-only")
    assert len(held(folder)) == 5


def on_call(monkeypatch: pytest.MonkeyPatch, method: str, number: int, act: Callable[[], object]) -> None:
    """Do something before a call of a storage's method."""
    original, calls = getattr(FilesystemStorage, method), iter(range(1, 1000))

    def calling(*arguments: object) -> object:
        if next(calls) == number:
            act()
        return original(*arguments)

    monkeypatch.setattr(FilesystemStorage, method, calling)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def refuse() -> None:
    raise PermissionError(13, "Permission denied", "place")


def test_an_interrupted_purge_reports_what_it_did(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_call(monkeypatch, "delete_if_version", 2, interrupt)
    cli("purge", str(folder), "user/u", "--yes", "user/u").failed(130, "2 of 5 objects were deleted", "purge again")
    assert len(held(folder)) == 3
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupted_export_leaves_no_file(
    cli: Cli, folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_call(monkeypatch, "get", 2, interrupt)
    cli("export", str(folder), "user/u", "-o", str(file)).failed(130, "no file was written")
    assert list(file.parent.iterdir()) == [folder]


def test_an_interrupted_restore_reports_what_it_did(
    cli: Cli, folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("export", str(folder), "user/u", "-o", str(file))
    cli("purge", str(folder), "user/u", "--yes", "user/u")
    on_call(monkeypatch, "put_if_version", 2, interrupt)
    cli("restore", str(folder), str(file)).failed(130, "2 of 5 objects were put back", "--force")
    assert len(held(folder)) == 2


def test_a_second_interrupt_ends_at_once(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def interrupt_twice() -> None:
        interrupt()
        interrupt()

    on_call(monkeypatch, "delete_if_version", 2, interrupt_twice)
    with pytest.raises(KeyboardInterrupt):
        cli("purge", str(folder), "user/u", "--yes", "user/u")
    assert len(held(folder)) == 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_purge_that_fails_reports_what_it_did(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_call(monkeypatch, "delete_if_version", 3, refuse)
    ended = cli("purge", str(folder), "user/u", "--yes", "user/u")
    ended.failed(3, "Permission denied: place may not be accessed.", "2 of 5 objects were deleted", "purge again")
    assert len(held(folder)) == 3


def test_a_purge_that_never_comes_to_an_end_says_why(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage, delete = FilesystemStorage(folder, durable=False), FilesystemStorage.delete_if_version

    def come_back(self: FilesystemStorage, key: str, expected: Any) -> None:
        delete(self, key, expected)
        storage.put("user/u/notes/again.md", b"", {})

    monkeypatch.setattr(FilesystemStorage, "delete_if_version", come_back)
    ended = cli("purge", str(folder), "user/u", "--yes", "user/u")
    ended.failed(3, "Stop the agents that write there")


# On a terminal


class Terminal:
    """A command whose stdin and stderr are a terminal."""

    def __init__(self, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.shown = ""
        self._process = subprocess.Popen(
            [*PROGRAM, *arguments], stdin=slave, stderr=slave, stdout=subprocess.PIPE, text=True
        )
        os.close(slave)

    def answer(self, question: str, answer: str) -> None:
        while question not in self.shown:
            more = self._read()
            assert more, f"no {question!r} in {self.shown!r}"
            self.shown += more
        os.write(self._master, answer.encode())

    def end(self) -> tuple[int, str]:
        """Exit code and stdout."""
        while more := self._read():
            self.shown += more
        try:
            out, _ = self._process.communicate(timeout=LIMIT)
        finally:
            self._process.kill()
            os.close(self._master)
        return self._process.returncode, out

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def _read(self) -> str:
        readable, _, _ = select.select([self._master], [], [], LIMIT)
        try:
            return os.read(self._master, 1 << 16).decode() if readable else ""
        except OSError:  # the other side is closed
            return ""


def test_a_purge_on_a_terminal_shows_what_it_would_erase_and_asks(folder: Path) -> None:
    terminal = Terminal("purge", str(folder), "user/u", "--json")
    terminal.answer("Type user/u to delete it all: ", "user/u\n")
    assert terminal.end() == (0, '{\n  "deleted": 5\n}\n')
    assert "user/u holds 5 objects, 21 bytes:" in terminal.shown
    assert "  system/  1 object, 0 bytes\r\n  in no area  1 object, 4 bytes\r\n" in terminal.shown
    assert "2 of them cannot be read" in terminal.shown
    assert "Deleting 1 of 5" in terminal.shown
    assert held(folder) == {}


@pytest.mark.parametrize(("typed", "code"), [("user/u2\n", 2), ("y\n", 2), ("\x04", 2)])
def test_another_answer_deletes_nothing(folder: Path, typed: str, code: int) -> None:
    terminal = Terminal("purge", str(folder), "user/u")
    terminal.answer("delete it all: ", typed)
    assert terminal.end() == (code, "")
    assert len(held(folder)) == 5


def test_an_interrupt_in_the_place_of_an_answer_deletes_nothing(folder: Path) -> None:
    terminal = Terminal("purge", str(folder), "user/u")
    terminal.answer("delete it all: ", "")
    terminal.interrupt()
    assert terminal.end() == (130, "")
    assert len(held(folder)) == 5

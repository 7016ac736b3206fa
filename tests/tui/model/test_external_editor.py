import os
import stat
from pathlib import Path

import pytest

from wenchang_tui.model.external_editor import editor_command, finish_editing, start_editing
from wenchang_tui.model.problems import Problem

BODY = "\ufeffa\r\nb\u2028\r\x0b"


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"EDITOR": "vi"}, ["vi"]),
        ({"EDITOR": "vi", "VISUAL": "code --wait"}, ["code", "--wait"]),
        ({"EDITOR": "'/opt/my editor/ed' -x"}, ["/opt/my editor/ed", "-x"]),
        ({"EDITOR": "vi", "VISUAL": "'unbalanced"}, ["vi"]),
        ({"EDITOR": " "}, None),
        ({}, None),
    ],
)
def test_the_editor_is_the_one_of_the_environment(environment: dict[str, str], command: list[str] | None) -> None:
    assert editor_command(environment) == command


def test_a_body_goes_out_and_comes_back_byte_for_byte(tmp_path: Path) -> None:
    path = start_editing(tmp_path / "editing", "house style/夢", BODY)
    assert isinstance(path, Path)
    assert path.name == "house-style-夢.md"
    assert path.read_bytes() == BODY.encode()
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (path.parent / ".n.md.swp").touch()
    path.write_bytes(BODY.encode() + b"more")
    assert finish_editing(path) == f"{BODY}more"
    assert list((tmp_path / "editing").iterdir()) == []


def test_an_editor_that_saves_by_rename_is_no_trouble(tmp_path: Path) -> None:
    path = start_editing(tmp_path, "n", "old")
    assert isinstance(path, Path)
    (path.parent / "new").write_bytes(b"new")
    (path.parent / "new").replace(path)
    assert finish_editing(path) == "new"


def test_what_is_no_text_stays_where_it_is(tmp_path: Path) -> None:
    path = start_editing(tmp_path, "n" * 300, "old")
    assert isinstance(path, Path)
    path.write_bytes(b"caf\xe9")
    problem = finish_editing(path)
    assert isinstance(problem, Problem)
    assert str(path) in problem.sentence
    assert path.exists()


def test_a_folder_that_cannot_be_written_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert isinstance(start_editing(tmp_path / "file" / "x", "n", "body"), Problem)
    assert isinstance(finish_editing(tmp_path / "gone.md"), Problem)

"""Writing in a real terminal: what survives the death of the process, and a terminal lent to another program."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.screens.editing import BODY, agent_writes, content_of
from tests.tui.test_terminal import ENTER_SCREEN, LEAVE_SCREEN, WAIT_SECONDS, Terminal, wenchang
from wenchang.storage.filesystem import FilesystemStorage


@pytest.fixture
def store(tmp_path: Path) -> FilesystemStorage:
    storage = FilesystemStorage(tmp_path / "store", durable=False)
    agent_writes(storage, BODY)
    return storage


def wait_until(terminal: Terminal, is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert terminal.read(), terminal.sent[-2_000:]
        assert time.monotonic() < end, terminal.sent[-2_000:]


def open_rules(terminal: Terminal) -> None:
    terminal.wait_for(b"rules")
    terminal.settle()
    terminal.type(b"3")
    terminal.wait_for_answer(b"All areas")
    terminal.wait_for_answer(b"rules")
    terminal.type(b"\r")


def drafts(home: Path) -> list[str]:
    return [path.read_text() for path in (home / ".local/state/wenchang/drafts").glob("*.json")]


def test_text_survives_the_death_of_the_process_and_can_still_be_saved(
    store: FilesystemStorage, tmp_path: Path
) -> None:
    with wenchang(str(tmp_path / "store"), home=tmp_path) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        terminal.type(b"SURVIVES ")
        wait_until(terminal, lambda: any("SURVIVES " in draft for draft in drafts(tmp_path)))
        os.kill(terminal.pid, signal.SIGKILL)
        assert terminal.end() == -signal.SIGKILL
    assert content_of(store) == (BODY.encode(), "Rules", [])
    with wenchang(str(tmp_path / "store"), home=tmp_path) as terminal:
        terminal.wait_for(b"3 Edit*")
        open_rules(terminal)
        terminal.wait_for(b"never saved")
        terminal.type(b"\r")
        terminal.wait_for(b"URVIVES")
        terminal.type(b"\x13")
        wait_until(terminal, lambda: content_of(store) == (b"SURVIVES " + BODY.encode(), "Rules", []))
        wait_until(terminal, lambda: drafts(tmp_path) == [])
        terminal.type(b"\x11")
        assert terminal.end() == 0
        assert terminal.is_restored()


@pytest.mark.parametrize("ending", [b"\x11", signal.SIGTERM], ids=["quit", "SIGTERM"])
def test_however_it_ends_the_last_key_is_kept(
    ending: bytes | signal.Signals, store: FilesystemStorage, tmp_path: Path
) -> None:
    with wenchang(str(tmp_path / "store"), home=tmp_path) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        terminal.type(b"LAST")
        terminal.wait_for(b"LAST")
        if isinstance(ending, bytes):
            terminal.type(ending)
        else:
            os.kill(terminal.pid, ending)
        assert terminal.end() == (0 if isinstance(ending, bytes) else 143)
        assert terminal.is_restored()
        assert any("LAST" in draft for draft in drafts(tmp_path))
        left = terminal.sent.rfind(LEAVE_SCREEN)
        assert b"is kept, and offered when" in terminal.sent[left:]


FAULTY = """
import sys
from wenchang_tui.__main__ import main
from wenchang_tui.screens.edit import EditScreen

def fail(screen):
    raise RuntimeError("no")

EditScreen.action_save = fail
sys.argv = ["wenchang", {store!r}]
sys.exit(main())
"""


def test_a_fault_of_the_app_keeps_what_is_typed_and_says_so(store: FilesystemStorage, tmp_path: Path) -> None:
    with wenchang(home=tmp_path, code=FAULTY.format(store=str(tmp_path / "store"))) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        terminal.type(b"LAST")
        terminal.wait_for(b"LAST")
        terminal.type(b"\x13")
        assert terminal.end() == 1
        assert terminal.is_restored()
        said = terminal.sent[terminal.sent.rfind(LEAVE_SCREEN) :]
    assert b"What you typed in user/u/system/rules.md is kept, and offered when you open it again." in said
    assert any("LAST" in draft for draft in drafts(tmp_path))
    assert content_of(store) == (BODY.encode(), "Rules", [])


EDITOR = """#!/bin/sh
trap '' INT
echo READY
read line
printf 'from outside: %s' "$line" > "$1"
"""

RUN = """
import os, sys
os.environ["EDITOR"] = {editor!r}
sys.argv = ["wenchang", {store!r}]
from wenchang_tui.__main__ import main
main()
"""


def test_the_terminal_is_lent_to_the_editor_and_an_interrupt_is_the_editors(
    store: FilesystemStorage, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    code = RUN.format(editor=str(editor), store=str(tmp_path / "store"))
    with wenchang(home=tmp_path, code=code) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        terminal.type(b"\x0f")
        terminal.wait_for(b"READY")
        lent = len(terminal.sent)
        assert terminal.sent.rfind(LEAVE_SCREEN) > terminal.sent.rfind(ENTER_SCREEN)
        terminal.type(b"\x03")
        terminal.type(b"a line\n")
        wait_until(terminal, lambda: ENTER_SCREEN in terminal.sent[lent:])
        terminal.wait_for(b"rom outside: a line")
        terminal.type(b"\x13")
        wait_until(terminal, lambda: content_of(store) == (b"from outside: a line", "Rules", []))
        terminal.type(b"\x11")
        assert terminal.end() == 0
        assert terminal.is_restored()


def test_an_editor_that_is_not_there_is_told_and_the_screen_comes_back(
    store: FilesystemStorage, tmp_path: Path
) -> None:
    code = RUN.format(editor="no-such-editor", store=str(tmp_path / "store"))
    with wenchang(home=tmp_path, code=code) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        terminal.type(b"\x0f")
        terminal.wait_for(b"There is no program no-such-editor")
        assert terminal.sent.rfind(ENTER_SCREEN) > terminal.sent.rfind(LEAVE_SCREEN)
        terminal.type(b"\x11")
        assert terminal.end() == 0
    assert content_of(store) == (BODY.encode(), "Rules", [])

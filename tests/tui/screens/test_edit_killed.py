"""The app killed in the middle of typing, again and again: the text is offered back each time.

`WENCHANG_KILLS` says how often (5); each time is a process of its own in a terminal, and takes a second or two.
"""

import json
import os
import re
import signal
from pathlib import Path

from tests.tui.screens.editing import BODY, agent_writes, content_of
from tests.tui.screens.test_edit_terminal import open_rules, wait_until
from tests.tui.test_terminal import Terminal, wenchang
from wenchang.storage.filesystem import FilesystemStorage

ROUNDS = int(os.environ.get("WENCHANG_KILLS", "5"))


def kept(home: Path) -> str:
    """The body of the one draft, or nothing."""
    found = [json.loads(path.read_text()) for path in (home / ".local/state/wenchang/drafts").glob("*.json")]
    assert len(found) < 2
    return found[0]["content"]["body"] if found else ""


def take_up(terminal: Terminal, text: str) -> None:
    """Open the file, and the text that is offered for it."""
    terminal.wait_for(b"3 Edit*")
    open_rules(terminal)
    terminal.wait_for(b"never saved")
    terminal.type(b"\r")
    # Its first character lies under the cursor, and is drawn by itself.
    terminal.wait_for(text.split(" ")[0][1:].encode())


def type_and_kill(terminal: Terminal, home: Path, number: int) -> None:
    """Type a word, and once it is kept another that the death of the process cuts short."""
    word = f"kill-{number}-kept "
    terminal.type(word.encode())
    wait_until(terminal, lambda: word in kept(home))
    for letter in b"unfinished "[: number % 11]:
        terminal.type(bytes([letter]))
        terminal.read()
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.end() == -signal.SIGKILL


def test_however_often_it_is_killed_the_text_is_offered_back(tmp_path: Path) -> None:
    store, folder = FilesystemStorage(tmp_path / "store", durable=False), str(tmp_path / "store")
    agent_writes(store, BODY)
    with wenchang(folder, home=tmp_path) as terminal:
        open_rules(terminal)
        terminal.wait_for_answer(b"[system]")
        type_and_kill(terminal, tmp_path, 0)
    for number in range(1, ROUNDS):
        before = kept(tmp_path)
        with wenchang(folder, home=tmp_path) as terminal:
            take_up(terminal, before)
            type_and_kill(terminal, tmp_path, number)
        after = kept(tmp_path)
        assert after.endswith(before)
        assert re.fullmatch(rf"kill-{number}-kept u?n?f?i?n?i?s?h?e?d? ?", after.removesuffix(before))
        assert content_of(store) == (BODY.encode(), "Rules", [])
    text = kept(tmp_path)
    assert re.findall(r"kill-(\d+)-kept", text) == [str(number) for number in reversed(range(ROUNDS))]
    with wenchang(folder, home=tmp_path) as terminal:
        take_up(terminal, text)
        terminal.type(b"\x13")
        wait_until(terminal, lambda: content_of(store) == (text.encode(), "Rules", []))
        wait_until(terminal, lambda: kept(tmp_path) == "")
        terminal.type(b"\x11")
        assert terminal.end() == 0

"""Editing and deleting on the screen: what is written, what is asked, and what happens when somebody else is faster."""

import os
import signal
from pathlib import Path

import pytest

from tests.tui.filememory.drive import app_over, editor, flat, type_text
from tests.tui.screens.drive import has_focus, keys_of, press, settled, shown, steps, until
from wenchang_tui.config import state_path
from wenchang_tui.model.safe import visible
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.flat import FlatScreen
from wenchang_tui.screens.typed_dialog import TypedDialog

WIDE = (120, 30)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_bytes("one\r\ntwo\u200b\r\n".encode())
    (tmp_path / "a.md_description.md").write_bytes(b"first\nsecond")
    (tmp_path / "b.md").write_bytes(b"\xff")
    return tmp_path


def body(memory: Path) -> bytes:
    return (memory / "a.md").read_bytes()


async def test_what_is_typed_is_saved_and_every_other_character_stays(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        assert has_focus(editor(app).text)
        assert "U+200B ZERO WIDTH SPACE" in shown(app.screen)
        await type_text(pilot, "new ")
        await press(pilot, "ctrl+s")
        assert body(memory) == "new one\r\ntwo\u200b\r\n".encode()
        assert (memory / "a.md_description.md").read_bytes() == b"first\nsecond"
        assert isinstance(app.screen, FlatScreen)
        assert flat(app).preview.text == "new one\r\ntwo\u200b\r\n"


async def test_the_description_is_saved_with_the_index(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "shift+tab")
        await type_text(pilot, "x")
        await press(pilot, "ctrl+s")
        assert (memory / "a.md_description.md").read_bytes() == b"xfirst\nsecond"
        assert (memory / "memories.md").read_text().splitlines()[2] == "- **a.md**: xfirst second"
        assert body(memory) == "one\r\ntwo\u200b\r\n".encode()


async def test_nothing_typed_is_dropped_without_asking(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "escape")
        assert isinstance(app.screen, FlatScreen)
        await steps(pilot, "e", "x", "escape")
        assert isinstance(app.screen, AskDialog)
        await press(pilot, "enter")
        assert editor(app).text.text.startswith("xone")
        await press(pilot, "escape", "down", "enter")
        assert isinstance(app.screen, FlatScreen)
        assert body(memory).startswith(b"one")


async def test_quitting_asks_before_what_is_typed_is_dropped(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "x", "ctrl+q", "ctrl+q")
        question = app.screen
        assert isinstance(question, AskDialog)
        await steps(pilot, "enter")
        assert editor(app).text.text.startswith("xone")
        await steps(pilot, "escape", "ctrl+q")  # the question of esc stays
        await steps(pilot, "enter")
        assert editor(app).text.text.startswith("xone")
        await steps(pilot, "ctrl+q", "down")
        await pilot.press("enter")
        await pilot.pause()
    assert app.return_code == 0
    assert body(memory).startswith(b"one")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_what_is_typed_outlives_a_signal(memory: Path, number: signal.Signals) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "x")
        os.kill(os.getpid(), number)
        await until(pilot, lambda: app.return_code is not None)
    (kept,) = state_path().glob("unsaved-*.txt")
    assert app.last_words == [f"What you typed in a.md is kept in\n{kept}"]
    assert kept.read_bytes().endswith(b"\n\nx" + body(memory))
    assert app.return_code == 128 + number


async def test_what_is_typed_outlives_a_fault_of_the_app(memory: Path) -> None:
    app, said = app_over(memory), list[str]()

    async def fail() -> None:
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            await steps(pilot, "e")
            assert editor(app).keep() == ""
            await steps(pilot, "x")
            app._handle_exception(RuntimeError("a fault"))
            said.extend(app.last_words)

    with pytest.raises(RuntimeError, match="a fault"):
        await fail()
    (kept,) = state_path().glob("unsaved-*.txt")
    assert f"What you typed in a.md is kept in\n{kept}" in said
    assert kept.read_bytes().endswith(b"\n\nx" + body(memory))
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_a_conflict_keeps_the_text_and_shows_theirs(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        await type_text(pilot, "mine ")
        (memory / "a.md").write_bytes(b"theirs\n")
        await press(pilot, "ctrl+s")
        text = shown(app.screen)
        assert "Somebody else changed the file. ^s saves yours over it" in text
        assert "theirs" in text
        assert "mine one" in text
        assert body(memory) == b"theirs\n"
        await press(pilot, "ctrl+s")
        assert isinstance(app.screen, FlatScreen)
        assert body(memory) == "mine one\r\ntwo\u200b\r\n".encode()


async def test_a_second_conflict_is_one_as_well(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "x")
        (memory / "a.md").write_bytes(b"theirs\n")
        await press(pilot, "ctrl+s")
        (memory / "a.md").write_bytes(b"theirs again\n")
        await press(pilot, "ctrl+s")
        assert body(memory) == b"theirs again\n"
        assert "theirs again" in shown(app.screen)


async def test_both_changes_merge(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        await type_text(pilot, "mine ")
        (memory / "a.md").write_bytes("one\r\ntwo\u200b\r\nthree\r\n".encode())
        await steps(pilot, "ctrl+s", "f9")
        assert "Merged. Look through it, then save." in shown(app.screen)
        await press(pilot, "ctrl+s")
        assert body(memory) == "mine one\r\ntwo\u200b\r\nthree\r\n".encode()


async def test_a_clash_keeps_both(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        await type_text(pilot, "mine ")
        (memory / "a.md").write_bytes("their one\r\ntwo\u200b\r\n".encode())
        await steps(pilot, "ctrl+s", "f9", "ctrl+s")
        assert body(memory) == "their one\r\nmine one\r\ntwo\u200b\r\n".encode()


async def test_taking_theirs_asks_and_writes_nothing(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "x")
        (memory / "a.md").write_bytes(b"theirs\n")
        await steps(pilot, "ctrl+s", "ctrl+r", "down", "enter")
        assert editor(app).text.text == "theirs\n"
        await press(pilot, "escape")
        assert isinstance(app.screen, FlatScreen)
        assert body(memory) == b"theirs\n"


async def test_a_file_deleted_meanwhile_leaves_the_text_on_screen(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, "e", "x")
        (memory / "a.md").unlink()
        await press(pilot, "ctrl+s")
        assert "Somebody deleted the file meanwhile" in shown(app.screen)
        assert editor(app).text.text.startswith("xone")
        assert not (memory / "a.md").exists()


async def test_pasted_text_is_safe_to_draw_and_kept_whole(memory: Path) -> None:
    from textual.events import Paste

    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "e")
        editor(app).text.post_message(Paste("\x1b[31mred\r\nblue\u202e"))
        await settled(pilot)
        drawn = shown(app.screen)
        assert visible(drawn) == drawn
        await press(pilot, "ctrl+s")
        assert body(memory).decode() == "\x1b[31mred\r\nblue\u202eone\r\ntwo\u200b\r\n"


async def test_deleting_wants_the_name(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "D")
        assert isinstance(app.screen, TypedDialog)
        await type_text(pilot, "b.md")
        await press(pilot, "enter")
        assert "That is not a.md; nothing happens." in shown(app.screen)
        await press(pilot, "escape")
        assert (memory / "a.md").exists()
        await press(pilot, "D")
        await type_text(pilot, "a.md")
        await press(pilot, "enter")
        assert not (memory / "a.md").exists()
        assert not (memory / "a.md_description.md").exists()
        assert keys_of(flat(app).files.list) == ["b.md"]


async def test_a_file_changed_since_is_not_deleted(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "D")
        (memory / "a.md").write_bytes(b"theirs\n")
        await type_text(pilot, "a.md")
        await press(pilot, "enter")
        assert body(memory) == b"theirs\n"
        assert "Somebody changed a.md meanwhile." in shown(app.screen)


async def test_the_index_is_rebuilt_when_asked_for(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "no index yet" in shown(app.screen)
        await press(pilot, "B", "enter")
        assert not (memory / "memories.md").exists()
        await press(pilot, "B", "down", "enter")
        assert (memory / "memories.md").read_text() == "# Memory Index\n\n- **a.md**: first second\n- **b.md**\n"
        assert "no index yet" not in shown(app.screen)


async def test_what_cannot_be_changed_offers_no_change(memory: Path) -> None:
    before = {path.name: path.read_bytes() for path in memory.iterdir()}
    app = app_over(memory, read_only=True)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "read-only" in shown(app.screen)
        await steps(pilot, "e", "D", "B")
        assert isinstance(app.screen, FlatScreen)
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "down", "e", "D")
        assert isinstance(app.screen, FlatScreen)
    assert {path.name: path.read_bytes() for path in memory.iterdir()} == before

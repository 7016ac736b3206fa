from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual import events
from textual.color import Color
from textual.command import CommandList

from tests.tui.screens.drive import (
    DEMO_SETTINGS,
    browse,
    demo_workspace,
    index,
    press,
    put,
    settled,
    shown,
    steps,
    until,
    workspace,
)
from wenchang.file_format import FileMetadata
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_folder
from wenchang_tui.screens.agent_dialogs import NameDialog
from wenchang_tui.screens.agent_setup import SetupScreen
from wenchang_tui.screens.browse import BrowseScreen
from wenchang_tui.screens.help import HelpScreen
from wenchang_tui.screens.welcome import WelcomeScreen
from wenchang_tui.widgets.commands import COMMANDS
from wenchang_tui.widgets.line_input import LineInput
from wenchang_tui.widgets.plain import ON_DARK


async def test_the_place_the_kind_and_the_identity_are_always_in_sight() -> None:
    async with WenchangApp(demo_workspace(replace(DEMO_SETTINGS, read_only=True))).run_test(size=(140, 40)) as pilot:
        for key in ("1", "2"):
            await press(pilot, key)
            text = shown(pilot.app.screen)
            assert "read-only" in text.split("\n")[0]
            assert "demo" in text.split("\n")[0]
            assert "user=u-tianlong (owner)" in text.split("\n")[1]


async def test_whoever_comes_to_an_empty_store_is_served() -> None:
    storage = InMemoryStorage()
    async with WenchangApp(workspace(storage, Settings())).run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        assert "nobody yet: the store is empty" in shown(pilot.app.screen)
        put(storage, "user/u/notes/a.md", "x")
        await press(pilot, "f5")
        assert "as user=u (owner)" in shown(pilot.app.screen)
        put(storage, "user/v/notes/a.md", "x")
        await press(pilot, "f5")
        assert "as user=u (owner)" in shown(pilot.app.screen)


async def test_help_lists_what_works_here_and_why_the_rest_does_not() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 200)) as pilot:
        await settled(pilot)
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        text = shown(pilot.app.screen)
        assert "Narrow the list by name, description" in text
        assert "(not now: there is no" in text
        assert "In the tree" in text
        await press(pilot, "escape")
        assert browse(pilot.app)
        await press(pilot, "2", "question_mark")
        assert "In the tree" not in shown(pilot.app.screen)


async def test_the_palette_finds_commands_by_name_and_runs_them() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await steps(pilot, "ctrl+p")
        await pilot.press(*"Reverse")
        await until(pilot, lambda: "Turn the order around" in shown(pilot.app.screen))
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowseScreen))
        await until(pilot, lambda: browse(pilot.app).files.is_reversed)


async def test_without_colours_the_chosen_command_is_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await steps(pilot, "ctrl+p")
        found = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: found.highlighted == 0)
        first, third = (ON_DARK.apply(list(found.render_line(y)), Color(0, 0, 0))[0].style for y in (0, 2))
        assert first is not None
        assert third is not None
        assert (first.reverse, third.reverse) == (True, False)


async def test_escape_closes_the_palette() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+p")
        assert not isinstance(pilot.app.screen, BrowseScreen)
        await press(pilot, "escape")
        assert browse(pilot.app)


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_quit_ends_with_status_zero(key: str) -> None:
    app = WenchangApp(demo_workspace())
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press(key)
    assert app.return_code == 0


async def test_a_terminal_that_is_too_small_is_told_the_size_and_any_size_is_survived() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(20, 5)) as pilot:
        await settled(pilot)
        assert "80x24" in shown(pilot.app.screen)
        for size in [(1, 1), (200, 50), (79, 24), (80, 23), (4, 30), (300, 100), (80, 24)]:
            await pilot.resize_terminal(*size)
            for key in ("2", "1"):
                await pilot.press(key)
            is_too_small = size[0] < 80 or size[1] < 24
            assert ("80x24" in shown(pilot.app.screen)) == is_too_small or size[0] < 7
        await press(pilot, "1")
        assert "49 files" in shown(pilot.app.screen)


async def test_every_key_of_the_registry_can_be_pressed_anywhere() -> None:
    keys = {key for command in COMMANDS for key in command.keys} - {"q", "ctrl+q", "ctrl+p", "colon"}
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        for start in ("1", "2"):
            for key in (start, *sorted(keys), "escape", "escape", "escape"):
                pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await settled(pilot)
            assert pilot.app.is_running


async def test_without_a_store_the_demo_a_folder_and_recent_places_are_offered(tmp_path: Path) -> None:
    problem = Problem("Not found", "there is no folder /gone[/].", "Check the path.")
    app = WenchangApp(None, ["/gone[/]", str(tmp_path)], problem)
    async with app.run_test() as pilot:
        await pilot.pause()
        text = shown(app.screen)
        assert "Look at the demo" in text
        assert "/gone[/]" in text
        assert "! Not found: there is no folder /gone[/]. Check the path." in text
        await press(pilot, "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        assert browse(app).workspace.root == tmp_path


async def test_a_folder_that_cannot_be_opened_says_why_and_the_next_one_opens(tmp_path: Path) -> None:
    app = WenchangApp(None)
    async with app.run_test() as pilot:
        await pilot.pause()
        await press(pilot, "f", *str(tmp_path / "no"), "enter")
        await until(pilot, lambda: "Not found" in shown(app.screen))
        assert "enter again to make it" in shown(app.screen)
        await press(pilot, "backspace", "backspace", "backspace", "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))


async def test_a_folder_that_is_not_there_is_made_when_that_is_wanted_and_an_agent_let_in(tmp_path: Path) -> None:
    app = WenchangApp(None)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause()
        app.screen.query_one(LineInput).value = str(tmp_path / "new")
        await press(pilot, "f", "enter")
        await until(pilot, lambda: "enter again to make it" in shown(app.screen))
        assert not (tmp_path / "new").exists()
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        assert (tmp_path / "new").is_dir()
        await settled(pilot)
        await press(pilot, "4", "i")
        await until(pilot, lambda: isinstance(app.screen, NameDialog))
        assert "user=me" in shown(app.screen)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, SetupScreen))
        assert "--grant=user=me:owner" in shown(app.screen).replace("\n", "")
        await press(pilot, "escape", "2")
        assert "as user=me (owner)" in shown(app.screen)


async def test_the_demo_opens_from_the_welcome_screen() -> None:
    app = WenchangApp(None)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert isinstance(app.screen, WelcomeScreen)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        await until(pilot, lambda: "49 files" in shown(app.screen))


async def test_a_write_of_another_program_shows_by_itself(tmp_path: Path) -> None:
    settings = Settings()
    writer = open_folder(tmp_path, settings)
    metadata = FileMetadata("d", (), frozenset(), datetime(2026, 1, 1, tzinfo=UTC))
    writer.store.write_file("user/u/a/one.md", "- [stated] one\n", metadata, None, source="t")
    app = WenchangApp(open_folder(tmp_path, settings))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "user=u" in shown(app.screen) and "1 file" in shown(app.screen))
        writer.store.write_file("user/u/a/two.md", "- [stated] two\n", metadata, None, source="t")
        await until(pilot, lambda: "~two" in shown(app.screen))
        assert browse(app).files.list.current_key == "user/u/a/one.md"


async def test_a_worker_that_fails_is_a_message_and_the_app_goes_on() -> None:
    app = WenchangApp(demo_workspace())

    def fail() -> None:
        raise RuntimeError("[/] broken \x1b[31m worker")

    async with app.run_test(notifications=True) as pilot:
        app.run_worker(fail, thread=True, exit_on_error=False)
        await until(pilot, lambda: bool(app._notifications))
        await settled(pilot)
        assert "RuntimeError" in shown(app.screen)
        assert "\x1b" not in shown(app.screen)


async def test_index_and_browse_answer_to_their_numbers_only_when_nothing_is_typed() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"12q?")
        assert browse(pilot.app).files.input.value == "12q?"
        await press(pilot, "escape", "2")
        assert index(pilot.app)

"""The screen of a file memory: what it lists and marks, filter, search, index, live changes."""

import json
import os
from pathlib import Path

import pytest

from tests.hostile import FRAGMENTS as HOSTILE
from tests.tui.filememory.drive import app_over, flat
from tests.tui.screens.drive import has_focus, keys_of, press, settled, shown, steps, until
from wenchang.filememory import FileMemoryProvider
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.safe import visible
from wenchang_tui.screens.help import HelpScreen
from wenchang_tui.screens.welcome import WelcomeScreen

WIDE = (140, 40)


async def test_files_show_with_their_standing_and_what_is_odd(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        text = shown(app.screen)
        assert "57 files  index 50/50  6 beyond  index out of date" in text
        assert "!clipping.txt" in text
        assert "not yet" in text
        await press(pilot, "end")
        assert "beyond  2026-03-02 08:20" in shown(app.screen)
        assert "beyond the 50 that the index holds" in shown(app.screen)
        assert "a file memory has neither scopes nor roles" in text
        assert "2 Index" not in text


async def test_the_preview_follows_the_cursor(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        assert has_focus(screen.files.list)
        assert screen.preview.text is not None
        assert screen.preview.text.startswith("stage,inn")
        await press(pilot, "down")
        assert "Agents cannot read it, and nor can this view." in shown(screen)
        assert screen.preview.text is None
        await press(pilot, "down")
        assert screen.preview.text is not None
        assert screen.preview.text.startswith("li: about")
        assert "(no description)" in shown(screen)


async def test_the_filter_narrows_at_once_and_escape_clears_it(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        await pilot.press("slash", *"sayings")
        await settled(pilot)
        assert keys_of(screen.files.list) == ["weather-lore.md"]
        assert "1 of 57 files" in shown(screen)
        await press(pilot, "enter")
        assert has_focus(screen.files.list)
        await press(pilot, "escape")
        assert len(screen.files.list.rows) == 57
        assert not screen.files.input.display


async def test_a_search_is_the_agents_and_shows_its_errors_in_place(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        await pilot.press("s", *"KETTLE")
        await settled(pilot)
        assert [(hit.name, hit.line_number) for hit in screen.hits.list.rows] == [("packing.md", 5)]
        assert "1 line in 1 file" in shown(screen)
        assert screen.preview.row is not None
        assert screen.preview.row.name == "packing.md"
        await pilot.press("left_parenthesis")
        await settled(pilot)
        assert "error parsing regexp: missing closing )" in shown(screen)
        await pilot.press("backspace")
        await settled(pilot)
        assert "error parsing" not in shown(screen)
        await pilot.press("tab", *"*.csv")
        await settled(pilot)
        assert screen.hits.list.rows == []
        await press(pilot, "escape")
        assert has_focus(screen.files.list)
        assert screen.preview.row.name == "budget.csv"


async def test_the_index_shows_as_an_agent_gets_it(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "a")
        text = shown(app.screen)
        assert "index as an agent gets it" in text
        assert "beyond    station-45.md, station-46.md" in text
        assert "This is the index of the memory files saved so far." in text
        await press(pilot, "escape")
        assert flat(app).preview.text is not None


async def test_folders_below_are_offered(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        await press(pilot, "escape", "down")
        assert screen.files.folder == "letters"
        assert keys_of(screen.files.list) == ["draft-to-diya.md"]
        assert screen.preview.text is not None
        assert screen.preview.text.startswith("Dear Diya")
        await press(pilot, "enter")
        assert has_focus(screen.files.list)


async def test_a_folder_without_folders_shows_none(tmp_path: Path) -> None:
    app = app_over(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "folders" not in shown(app.screen)
        assert "no files here" in shown(app.screen)
        await press(pilot, "e", "D", "c", "a")
        assert "An agent that connects is told of no file." in shown(app.screen)


async def test_a_change_of_an_agent_shows_by_itself_and_moves_nothing(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        await press(pilot, "down", "down", "down")
        with FileMemoryProvider(demo_folder) as agent:
            agent.call("file_memory_write", {"file_name": "aaa.md", "content": "new\n", "description": "the newest"})
            agent.call("file_memory_replace", {"file_name": "old-maps.txt", "old_string": "west", "new_string": "east"})
        await until(pilot, lambda: "aaa.md" in keys_of(screen.files.list))
        await until(pilot, lambda: "east" in (screen.preview.text or ""))
        assert screen.files.list.current_key == "old-maps.txt"
        assert screen.files.list.scroll_offset.y == 1  # the row under the cursor stays on its line
        screen.files.list.scroll_home(animate=False, immediate=True)
        await pilot.pause()
        assert "~aaa.md" in shown(screen)
        assert "index out of date" not in shown(screen)


async def test_sorting_turns_the_rows(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        screen = flat(app)
        await press(pilot, "o", "o", "O")
        assert screen.files.order == "index"
        assert keys_of(screen.files.list)[:2] == ["clipping.txt", "weather-lore.md"]


async def test_help_names_what_works_here(demo_folder: Path) -> None:
    app = app_over(demo_folder, read_only=True)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)
        text = shown(app.screen)
        assert "File memory" in text
        assert "(not now: the" in text


async def test_other_screens_do_not_answer(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "2", "4", "1")
        assert flat(app)


async def test_hostile_text_is_shown_and_handed_on_raw_nowhere(tmp_path: Path) -> None:
    texts = [text for text in HOSTILE if "\udc80" not in text]
    everything = "\n".join(texts).encode()
    for number, text in enumerate(texts):
        name = "".join(character for character in text if character not in "/\\\x00" and character.isprintable())[:40]
        (tmp_path / f"{number:02}{name}.md").write_bytes(everything)
        (tmp_path / f"{number:02}{name}.md_description.md").write_bytes(everything if number == 0 else text.encode())
    with FileMemoryProvider(tmp_path) as provider:
        provider.rebuild_index()
    app = app_over(tmp_path)
    async with app.run_test(size=(140, 60), notifications=True) as pilot:
        await settled(pilot)
        assert len(flat(app).files.list.rows) == len(texts)
        for keys in (("a",), ("escape", "s", "dot"), ("escape", "e"), ("escape", "D"), ("escape", "end"), ("c",)):
            await steps(pilot, *keys)
            drawn = shown(app.screen)
            assert visible(drawn) == drawn


@pytest.mark.parametrize("key", ["m", "down"])
async def test_the_demo_opens_from_the_welcome_screen(key: str) -> None:
    app = WenchangApp(None)
    async with app.run_test(size=(80, 24)) as pilot:
        assert isinstance(app.screen, WelcomeScreen)
        await pilot.press(key, *(["enter"] if key == "down" else []))
        await until(pilot, lambda: not isinstance(app.screen, WelcomeScreen))
        await settled(pilot)
        assert len(flat(app).files.list.rows) == 57


async def test_a_folder_of_plain_files_named_on_the_welcome_screen_opens_as_one(demo_folder: Path) -> None:
    app = WenchangApp(None, [f"filememory:{demo_folder}"])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, WelcomeScreen))
        await settled(pilot)
        assert flat(app).flat.root == demo_folder


async def test_a_folder_that_cannot_be_read_any_more_says_so(demo_folder: Path) -> None:
    if os.geteuid() == 0:
        demo_folder.rename(demo_folder.with_name("away"))
    else:
        demo_folder.chmod(0)
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "f5 tries again" in shown(app.screen)
        assert app.is_running


async def test_copying_offers_the_fields_of_the_file(demo_folder: Path) -> None:
    app = app_over(demo_folder)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await steps(pilot, *["down"] * 4, "c", "p")
        assert app.clipboard == "open-questions.md"
        await steps(pilot, "c", "J")
        document = json.loads(app.clipboard)
        assert document["content"] == (demo_folder / "open-questions.md").read_text()
        assert document["bytes"] == 229

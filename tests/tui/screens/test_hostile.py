"""Stored text is untrusted: whatever it holds, every view shows it, runs nothing of it and hands none of it on raw."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from tests.hostile import FRAGMENTS as HOSTILE
from tests.tui.screens.drive import browse, grants, index, keys_of, press, put, settled, steps, workspace
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.safe import visible
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.edit import EditScreen


def hostile_workspace() -> Workspace:
    storage = InMemoryStorage()
    for number, text in enumerate(HOSTILE):
        name = text.replace("/", "∕")[:120]
        body = f"- [stated] {text}\n{text}\n" * 3
        put(storage, f"user/u/area{number}/{name}.md", body, text.replace("\n", " ").replace("\r", " "),
            aliases='["[@click=app.quit]a[/]", "\\u001b[31mb", "\\ud800"]', sources='["[/]\\u202e"]')  # fmt: skip
        put(storage, f"user/u/{name}/plain.md", body, "broken", aliases=text)
    put(storage, "\x1b]0;title\x07/[/]/\u202e/x.md", "x")
    put(storage, "user/u/odd/latin.md", b"\xff\xfe\x1b[31m \x9b")
    return workspace(storage, grants(user="u", other="[@click=app.quit]\u202ex"), name="[/]\x1b[2J\u202eplace")


def strips(app: App[None]) -> Iterator[Strip]:
    yield from app.screen._compositor.render_strips(app.size)


def check(pilot: Pilot[None]) -> None:
    assert pilot.app.is_running
    for strip in strips(pilot.app):
        for segment in strip:
            assert segment.text == visible(segment.text), repr(segment.text)
            assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in segment.text), repr(segment.text)
            assert segment.style is None or "@click" not in segment.style.meta
        assert strip.cell_length == pilot.app.size.width


async def check_each_row(pilot: Pilot[None], rows: int) -> None:
    for _ in range(rows):
        await press(pilot, "down")
        check(pilot)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_browse_shows_everything_and_runs_nothing(size: tuple[int, int]) -> None:
    async with WenchangApp(hostile_workspace()).run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        check(pilot)
        screen = browse(pilot.app)
        screen.tree_list.reveal("user/u/area0/")
        await settled(pilot)
        screen.tree_list.move_to_key("user/u/")
        await press(pilot, "tab")
        check(pilot)
        await check_each_row(pilot, 8)
        await steps(pilot, "plus", "plus")
        check(pilot)
        await steps(pilot, "escape", "c")
        check(pilot)
        await steps(pilot, "p")
        check(pilot)


async def test_every_hostile_body_is_shown_in_full() -> None:
    async with WenchangApp(hostile_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        for row in screen.files.list.rows:
            screen.preview.show(row.key)
            await settled(pilot)
            check(pilot)
            screen.preview.view.action_wrap()
            screen.preview.view.action_edge(1)
            await pilot.pause()
            check(pilot)
            screen.preview.view.action_wrap()


async def test_filter_and_search_show_hostile_lines_and_what_is_typed() -> None:
    async with WenchangApp(hostile_workspace()).run_test() as pilot:
        await settled(pilot)
        browse(pilot.app)
        await press(pilot, "slash", *"since:[red]")
        check(pilot)
        await press(pilot, "escape", "S", *"e")
        check(pilot)
        await press(pilot, "enter")
        await check_each_row(pilot, 8)


async def test_pasted_control_characters_are_stand_ins() -> None:
    async with WenchangApp(hostile_workspace()).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        pilot.app.post_message(Paste("\x1b[31m\u202e\x9dred"))
        await settled(pilot)
        assert browse(pilot.app).files.input.value.endswith("red")
        assert "\x1b" not in browse(pilot.app).files.input.value
        check(pilot)


async def test_nothing_unsafe_can_be_pasted_into_the_palette() -> None:
    app = WenchangApp(hostile_workspace())
    async with app.run_test() as pilot:
        await settled(pilot)
        app.copy_to_clipboard("\x1b[31m\u202e")
        await pilot.press("ctrl+p")
        app.post_message(Paste("\x1b[31m\u202e\x9dred"))
        await pilot.press("ctrl+v", "t", "h")
        check(pilot)
        assert app.screen.query_one(Input).value == "th"


async def test_index_and_payload_show_hostile_entries() -> None:
    async with WenchangApp(hostile_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        check(pilot)
        await press(pilot, *"L2000", "enter")
        assert len(keys_of(index(pilot.app).entries)) > 5
        await check_each_row(pilot, 8)
        await press(pilot, "tab", "tab")
        await check_each_row(pilot, 4)
        await press(pilot, "J")
        check(pilot)
        await press(pilot, "f", "pagedown")
        check(pilot)


async def test_changes_in_hostile_places_are_marked() -> None:
    space = hostile_workspace()
    async with WenchangApp(space).run_test() as pilot:
        await settled(pilot)
        keys = frozenset(row.key for row in space.catalog.rows(""))
        browse(pilot.app).store_changed(keys)
        await settled(pilot)
        check(pilot)


async def test_the_welcome_screen_shows_hostile_places_and_problems() -> None:
    problem = Problem("[/]\x1b[31m", "\u202e" + HOSTILE[1], HOSTILE[4])
    async with WenchangApp(None, HOSTILE[:10], problem).run_test() as pilot:
        await pilot.pause()
        check(pilot)
        await press(pilot, "down", "down")
        check(pilot)


async def test_notifications_quote_hostile_text_safely() -> None:
    async with WenchangApp(hostile_workspace()).run_test(notifications=True) as pilot:
        await settled(pilot)
        for text in HOSTILE:
            pilot.app.notify(text[:200], title=text[:50])
        await pilot.pause()
        check(pilot)


async def test_health_shows_hostile_findings_and_their_repairs() -> None:
    async with WenchangApp(hostile_workspace()).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        check(pilot)
        await check_each_row(pilot, 12)
        await steps(pilot, "r", "down", "down", "down")
        check(pilot)
        await steps(pilot, "up", "up", "enter")
        check(pilot)


async def test_operate_shows_hostile_entities_plans_and_receipts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with WenchangApp(hostile_workspace()).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "6")
        check(pilot)
        await steps(pilot, "down", "X")
        check(pilot)
        await steps(pilot, "escape", "x", "enter")
        check(pilot)
        await steps(pilot, "R", "enter")
        check(pilot)


async def test_editing_shows_hostile_files_safely_and_gives_every_character_back() -> None:
    space = hostile_workspace()
    app = WenchangApp(space)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "3", "f4")
        check(pilot)
        screen = app.screen
        assert isinstance(screen, EditScreen)
        for row in screen.desk.list.rows[:30]:
            screen.open_file(row.key)
            await settled(pilot)
            check(pilot)
            typed = screen.typed()
            assert typed is None or not typed.is_changed


async def test_the_dialogs_of_editing_show_hostile_text_safely() -> None:
    space = hostile_workspace()
    app = WenchangApp(space)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "f4")
        screen = app.screen
        assert isinstance(screen, EditScreen)
        for row in screen.desk.list.rows[:30:4]:
            screen.open_file(row.key)
            await settled(pilot)
            if screen.edit is None or screen.edit.key != row.key:
                continue
            for key in ("f2", "f3", "f8"):
                await press(pilot, key)
                check(pilot)
                await press(pilot, "escape")
            await pilot.press("x")
            put(space.storage, row.key, "\n".join(HOSTILE[:17]), HOSTILE[1])
            await press(pilot, "ctrl+s")
            check(pilot)
            await press(pilot, "v")
            check(pilot)
            await press(pilot, "escape", "ctrl+r")
            check(pilot)
            await press(pilot, "down", "enter")

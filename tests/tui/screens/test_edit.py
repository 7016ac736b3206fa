"""Writing and saving: what is typed, what is shown about it, and exactly what comes to stand in the store."""

from dataclasses import replace
from threading import Event

import pytest
from textual.events import Paste

from tests.tui.screens.drive import browse, demo_workspace, has_focus, keys_of, press, put, settled, shown, until
from tests.tui.screens.editing import (
    BODY,
    KEY,
    NOTES,
    SETTINGS,
    agent_writes,
    app_over,
    at_desk,
    at_file,
    badges,
    content_of,
    fill,
    keys,
    reviewed,
    said,
    screen,
    stored,
    write,
)
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.linting import Field, Level
from wenchang_tui.model.read_only import ReadOnlyStorage
from wenchang_tui.screens.as_agent import AsAgentDialog
from wenchang_tui.screens.browse import BrowseScreen
from wenchang_tui.screens.edit import EditScreen

SECOND = "user/u/system/second.md"


async def test_the_desk_lists_what_is_curated_and_enter_opens_it() -> None:
    async with app_over(stored()).run_test() as pilot:
        await at_desk(pilot)
        assert keys_of(screen(pilot.app).desk.list) == [KEY]
        await keys(pilot, "enter")
        assert has_focus(screen(pilot.app).pane.body)
        assert screen(pilot.app).pane.body.text == BODY
        assert "user / u / system / rules" in shown(screen(pilot.app))


@pytest.mark.parametrize(("pressed", "opened"), [("down enter", SECOND), ("end up enter", KEY), ("enter escape", None)])
async def test_what_is_pressed_before_the_list_is_read_is_done_when_it_is(pressed: str, opened: str | None) -> None:
    storage, is_free = stored(), Event()
    agent_writes(storage, "x", SECOND)
    read = storage.list_page
    storage.list_page = lambda *where: read(*where) if is_free.wait(10) else []  # type: ignore[method-assign]
    async with app_over(storage).run_test() as pilot:
        await pilot.press("3")
        await until(pilot, lambda: isinstance(pilot.app.screen, EditScreen))
        await pilot.press(*pressed.split())
        assert screen(pilot.app).desk.list.rows == ()
        is_free.set()
        await settled(pilot)
        edit = screen(pilot.app).edit
        assert (edit and edit.key) == opened
        assert keys_of(screen(pilot.app).desk.list) == ([KEY, SECOND] if opened else [])


async def test_saving_writes_what_was_changed_and_nothing_else() -> None:
    storage = stored()
    before = storage.get(KEY)
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        await pilot.press("backspace")
        await reviewed(pilot)
        await keys(pilot, "ctrl+s")
        assert storage.get(KEY) == before
        assert "nothing was written" in said(pilot.app)

        await write(pilot, "- [system] zero\n")
        assert "not saved" in shown(screen(pilot.app))
        await keys(pilot, "ctrl+s")
        await reviewed(pilot)
        assert content_of(storage) == (b"- [system] zero\n" + BODY.encode(), "Rules", ["a", "b"])
        assert "not saved" not in shown(screen(pilot.app))
        found = storage.get(KEY)
        assert found is not None
        assert found.metadata["sources"] == '["agent", "wenchang-tui"]'

        await write(pilot, "x")
        await fill(pilot, "description", "What to do")
        await fill(pilot, "aliases", "x, y z")
        await reviewed(pilot)
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (b"- [system] zero\nx" + BODY.encode(), "What to do", ["x", "y z"])


async def test_what_is_pasted_is_shown_safely_and_saved_as_it_was_in_a_field_on_one_line() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        pilot.app.post_message(Paste("one\u202e\r\ntwo\x1b\n"))
        await settled(pilot)
        assert not {"\u202e", "\x1b", "\r"} & {*screen(pilot.app).pane.body.text}
        await fill(pilot, "description", "")
        pilot.app.post_message(Paste("first\r\nsecond\u2028third\n"))
        await settled(pilot)
        assert "3 lines that were pasted are one line now" in said(pilot.app)
        await fill(pilot, "aliases", "")
        pilot.app.post_message(Paste("one\ntwo"))
        await reviewed(pilot)
        await keys(pilot, "ctrl+s")
        body = "one\u202e\ntwo\x1b\n" + BODY
        assert content_of(storage) == (body.encode(), "first second third", ["one", "two"])


async def test_hidden_characters_and_line_ends_stay_where_nobody_typed() -> None:
    storage = stored()
    agent_writes(storage, "a\u202eb\r\nsecond\nthird\x1b", description="d\u200be", aliases=("x\u2066", "y,z"))
    async with app_over(storage).run_test(size=(120, 40)) as pilot:
        await at_file(pilot)
        text = shown(screen(pilot.app))
        assert "stands for U+202E RIGHT-TO-LEFT OVERRIDE" in text
        assert "Line ends are of several kinds" in text
        await write(pilot, "x")
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == ("xa\u202eb\r\nsecond\nthird\x1b".encode(), "d\u200be", ["x\u2066", "y,z"])


async def test_remarks_follow_what_is_typed_and_lead_to_their_places() -> None:
    async with app_over(stored()).run_test() as pilot:
        await at_file(pilot)
        assert screen(pilot.app).pane.remarks.rows == ()
        await press(pilot, "ctrl+end", "down", "down", "down", "down")
        await write(pilot, "- [guess] maybe\n- [stated] odd")
        pane = screen(pilot.app).pane
        assert [(remark.level, remark.line) for remark in pane.remarks.rows] == [(Level.WARNING, 5), (Level.WARNING, 6)]
        assert "learned itself; use [system]" in shown(screen(pilot.app))
        await keys(pilot, "ctrl+l")
        assert pane.body.line_number == 5
        await keys(pilot, "ctrl+l", "ctrl+l")
        assert pane.body.line_number == 5
        screen(pilot.app).set_focus(pane.remarks)
        await keys(pilot, "down", "enter")
        assert has_focus(pane.body)
        assert pane.body.line_number == 6
        await fill(pilot, "description", "")
        await fill(pilot, "aliases", "salt, Salt")
        await reviewed(pilot)
        assert {remark.field for remark in pane.remarks.rows} == {Field.DESCRIPTION, Field.ALIASES, Field.BODY}


async def test_a_body_over_the_limit_is_said_before_and_refused_when_saved() -> None:
    storage = stored()
    before = storage.get(KEY)
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        pilot.app.post_message(Paste("x" * 16_384))
        await settled(pilot)
        await reviewed(pilot)
        assert "! over:" in shown(screen(pilot.app))
        assert screen(pilot.app).pane.remarks.rows[0].level is Level.ERROR
        await keys(pilot, "ctrl+s")
        assert storage.get(KEY) == before
        assert "! Not saved:" in shown(screen(pilot.app))


async def test_tab_and_f6_go_through_the_form_and_escape_leaves_it() -> None:
    async with app_over(stored()).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "- [guess] remark me\n")
        pane = screen(pilot.app).pane
        for widget in (pane.remarks, pane.description, pane.aliases, pane.body):
            await keys(pilot, "f6")
            assert has_focus(widget)
        await keys(pilot, "tab")
        assert has_focus(pane.remarks)
        assert "\t" not in pane.body.text
        await keys(pilot, "shift+tab", "escape")
        assert has_focus(screen(pilot.app).desk.list)
        await keys(pilot, "1")
        assert isinstance(pilot.app.screen, BrowseScreen)
        await keys(pilot, "3", "enter")
        assert has_focus(pane.body)


async def test_keys_of_the_app_are_letters_while_one_writes() -> None:
    async with app_over(stored()).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "1q?ndA")
        assert screen(pilot.app).pane.body.text.startswith("1q?ndA")
        assert pilot.app.screen is screen(pilot.app)


async def test_the_agents_own_areas_can_only_be_read_until_all_areas_are_curated() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot, NOTES)
        assert screen(pilot.app).pane.body.read_only
        assert "written by the agent" in shown(screen(pilot.app))
        await pilot.press("x")
        await keys(pilot, "ctrl+s")
        assert content_of(storage, NOTES) == (b"- [stated] rain\n", "The day", [])
        assert "curating all areas" not in badges(pilot.app)
        await keys(pilot, "f4")
        assert "curating all areas" in badges(pilot.app)
        assert keys_of(screen(pilot.app).desk.list) == [NOTES, KEY]
        await write(pilot, "x")
        await keys(pilot, "ctrl+s")
        assert content_of(storage, NOTES) == (b"x- [stated] rain\n", "The day", [])
        await keys(pilot, "escape", "1")
        assert "curating all areas" in badges(pilot.app)
        await keys(pilot, "2")
        assert "curating all areas" in badges(pilot.app)
        await keys(pilot, "3", "f4", "1")
        assert "curating all areas" not in badges(pilot.app)


async def test_a_store_opened_read_only_is_shown_and_cannot_be_changed() -> None:
    storage = stored()
    before = storage.get(KEY)
    async with app_over(ReadOnlyStorage(storage), replace(SETTINGS, read_only=True)).run_test() as pilot:
        await at_file(pilot)
        assert "read-only" in shown(screen(pilot.app))
        assert screen(pilot.app).pane.body.read_only
        for key in ("x", "ctrl+s", "f8", "f2", "f4", "ctrl+n", "ctrl+o"):
            await keys(pilot, key)
            assert pilot.app.screen is screen(pilot.app)
        assert storage.get(KEY) == before


async def test_the_file_under_the_cursor_of_browse_is_edited_with_e() -> None:
    async with app_over(stored()).run_test() as pilot:
        await settled(pilot)
        await keys(pilot, "tab", "down", "e")
        await until(pilot, lambda: screen(pilot.app).edit is not None)
        edit = screen(pilot.app).edit
        assert edit is not None
        assert edit.key == KEY
        await keys(pilot, "escape", "b")
        assert isinstance(pilot.app.screen, BrowseScreen)


async def test_a_file_is_shown_as_the_agent_sees_it_with_what_is_typed() -> None:
    async with app_over(stored()).run_test(size=(100, 30)) as pilot:
        await at_file(pilot)
        await fill(pilot, "description", "Typed words")
        await reviewed(pilot)
        await keys(pilot, "f3")
        assert isinstance(pilot.app.screen, AsAgentDialog)
        text = shown(pilot.app.screen)
        assert "In the index, 2 of 2 entries." in text or "In the index, 1 of 2 entries." in text
        assert "As it would be once this is saved." in text
        assert "typed, words" in text
        await keys(pilot, "escape", "escape", "1", "tab", "a")
        assert isinstance(pilot.app.screen, AsAgentDialog)
        assert "the, day" in shown(pilot.app.screen)
        await keys(pilot, "escape")
        browse(pilot.app).tree_list.reveal("user/u/system/")
        await settled(pilot)
        browse(pilot.app).set_focus(browse(pilot.app).tree_list)
        await keys(pilot, "a")
        assert isinstance(pilot.app.screen, AsAgentDialog)
        assert "1 of its 1 files are in the index." in shown(pilot.app.screen)
        assert "rules, a, b" in shown(pilot.app.screen)


async def test_a_huge_body_shows_its_beginning_and_is_kept_whole() -> None:
    storage = stored()
    put(storage, KEY, "- [system] line\n" * 7_000)
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        pane = screen(pilot.app).pane
        assert pane.body.document.line_count == 501
        assert pane.body.read_only
        assert "Only the first 500 lines are shown" in shown(screen(pilot.app))
        assert pane.typed().content().body == "- [system] line\n" * 7_000


async def test_a_store_that_fails_is_told_and_the_text_stays_to_be_saved_again() -> None:
    storage = stored()

    def fail() -> None:
        raise BackendUnavailableError(TransientReason.UNAVAILABLE, "the disk is on fire")

    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        storage.meanwhile(fail)
        await keys(pilot, "ctrl+s")
        await reviewed(pilot)
        assert "! Not saved: " in shown(screen(pilot.app))
        assert content_of(storage) == (BODY.encode(), "Rules", ["a", "b"])
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (b"x" + BODY.encode(), "Rules", ["a", "b"])
        await settled(pilot)
        assert "! Not saved: " not in shown(screen(pilot.app))


async def test_the_list_points_at_the_file_that_was_opened_from_elsewhere() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        browse(pilot.app).tree_list.reveal("organization/o-hanlin-press/system/")
        await settled(pilot)
        await press(pilot, "tab", "e")
        key = "organization/o-hanlin-press/system/house-style.md"
        await until(pilot, lambda: not isinstance(pilot.app.screen, BrowseScreen))
        edit = screen(pilot.app)
        await until(pilot, lambda: edit.desk.list.current_key == key)
        assert edit.edit is not None
        assert edit.edit.key == key

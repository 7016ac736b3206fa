"""Files come, go and change their names, each only as a person said; and what was done can be taken back."""

from functools import partial

from textual.pilot import Pilot

from tests.tui.screens.drive import has_focus, keys_of, settled, shown, until
from tests.tui.screens.editing import (
    BODY,
    KEY,
    NOTES,
    agent_deletes,
    agent_writes,
    app_over,
    at_desk,
    at_file,
    content_of,
    fill,
    keys,
    reviewed,
    said,
    screen,
    stored,
    write,
)
from wenchang_tui.screens.browse import BrowseScreen
from wenchang_tui.screens.edit_changes import ChangesDialog
from wenchang_tui.screens.edit_dialogs import ChoiceDialog
from wenchang_tui.screens.edit_place import PlaceDialog
from wenchang_tui.screens.typed_dialog import TypedDialog

STORED = (BODY.encode(), "Rules", ["a", "b"])
OTHER = "user/u/system/other.md"


def place(pilot: Pilot[None]) -> PlaceDialog:
    assert isinstance(pilot.app.screen, PlaceDialog)
    return pilot.app.screen


async def test_a_new_file_is_made_where_it_is_wanted_and_only_when_it_is_saved() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_desk(pilot)
        await keys(pilot, "ctrl+n", "tab", "shift+tab")
        assert has_focus(place(pilot).inputs["name"])
        await pilot.press(*"other")
        await keys(pilot, "enter")
        assert content_of(storage, OTHER) is None
        assert has_focus(screen(pilot.app).pane.description)
        await fill(pilot, "description", "Other")
        await keys(pilot, "tab", "tab")
        await write(pilot, "- [system] x")
        await keys(pilot, "ctrl+s")
        assert content_of(storage, OTHER) == (b"- [system] x", "Other", [])
        assert keys_of(screen(pilot.app).desk.list) == [OTHER, KEY]
        assert screen(pilot.app).desk.list.current_key == OTHER


async def test_the_rules_of_names_are_said_while_one_is_typed() -> None:
    async with app_over(stored()).run_test() as pilot:
        await at_desk(pilot)
        await keys(pilot, "ctrl+n")
        for name, words in (
            ("", "The name is missing."),
            ("a/b", "may not be . or .."),
            ("rules", "There is a file of this name already."),
            ("Rules", "looks the same"),
            ("x.md", "ending twice"),
        ):
            await fill(pilot, "name", name)
            assert words in " ".join(shown(place(pilot)).split()), name
        await fill(pilot, "name", "rules")
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, PlaceDialog)
        await fill(pilot, "area", "notes")
        assert "written by the agent" in shown(place(pilot))
        await fill(pilot, "scope", "")
        assert "The scope is missing" in shown(place(pilot))
        await keys(pilot, "escape")
        assert has_focus(screen(pilot.app).desk.list)


async def test_a_new_file_from_browse_lies_in_what_is_selected_there() -> None:
    async with app_over(stored()).run_test() as pilot:
        await settled(pilot)
        await keys(pilot, "down", "ctrl+n")
        await until(pilot, lambda: isinstance(pilot.app.screen, PlaceDialog))
        assert [field.value for field in place(pilot).inputs.values()] == ["user", "u", "system", ""]


async def test_renaming_moves_the_file_with_all_it_holds() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await keys(pilot, "f2")
        assert "That is where it lies already." in shown(place(pilot))
        await fill(pilot, "name", "other")
        await keys(pilot, "enter")
        assert content_of(storage) is None
        assert content_of(storage, OTHER) == STORED
        assert "system / other" in shown(screen(pilot.app))
        assert screen(pilot.app).desk.list.current_key == OTHER
        assert f"Renamed: It was {KEY} before." in said(pilot.app)
        await write(pilot, "x")
        await keys(pilot, "f2")
        assert pilot.app.screen is screen(pilot.app)
        assert "Save it first" in said(pilot.app)
        await keys(pilot, "ctrl+s")
        assert content_of(storage, OTHER) == (b"x" + BODY.encode(), "Rules", ["a", "b"])


async def test_a_rename_that_stopped_half_way_is_taken_back_or_finished_with_the_newest_text() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        for number, answer in enumerate((["down", "enter"], ["enter"])):
            before, newer = content_of(storage), f"newer {number}\n"
            storage.meanwhile(partial(agent_writes, storage, newer, aliases=("a", "b")), after=1)
            await keys(pilot, "f2")
            await fill(pilot, "name", "other")
            await keys(pilot, "enter")
            assert isinstance(pilot.app.screen, ChoiceDialog)
            assert "under both names" in " ".join(shown(pilot.app.screen).split())
            assert content_of(storage, OTHER) == before
            assert content_of(storage) == (newer.encode(), "Rules", ["a", "b"])
            await keys(pilot, *answer)
            assert content_of(storage, OTHER if number == 0 else KEY) is None
            assert content_of(storage, KEY if number == 0 else OTHER) == (newer.encode(), "Rules", ["a", "b"])
            assert screen(pilot.app).pane.body.text == newer


async def test_deleting_wants_the_name_typed_and_takes_only_what_was_looked_at() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await keys(pilot, "f8")
        assert isinstance(pilot.app.screen, TypedDialog)
        assert "Agents of u lose the file at once" in shown(pilot.app.screen)
        await pilot.press(*"rule")
        await keys(pilot, "enter")
        assert content_of(storage) == STORED
        await keys(pilot, "escape")
        assert content_of(storage) == STORED

        await keys(pilot, "f8")
        agent_writes(storage, "newer\n", aliases=("a", "b"))
        await pilot.press(*"rules")
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, TypedDialog)
        assert "somebody changed it" in shown(pilot.app.screen)
        assert content_of(storage) == (b"newer\n", "Rules", ["a", "b"])
        await pilot.press(*"rules")
        await keys(pilot, "enter")
        assert content_of(storage) is None
        assert keys_of(screen(pilot.app).desk.list) == []

        agent_writes(storage, "again\n")
        screen(pilot.app).open_file(KEY)
        await until(pilot, lambda: screen(pilot.app).edit is not None)
        await keys(pilot, "f8")
        agent_deletes(storage)
        await pilot.press(*"rules")
        await keys(pilot, "enter")
        assert "Gone already" in said(pilot.app)
        assert screen(pilot.app).edit is None


async def test_of_two_names_that_look_the_same_the_one_whose_spelling_is_typed_is_deleted() -> None:
    storage, twin = stored(), "user/u/system/rules\u200b.md"
    agent_writes(storage, "twin", twin)
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot, twin)
        await keys(pilot, "f8")
        assert r"Type rules\u200b and press enter" in shown(pilot.app.screen)
        await pilot.press(*"rules")
        await keys(pilot, "enter")
        assert content_of(storage, twin) == (b"twin", "Rules", [])
        await pilot.press("backslash", *"u200b")
        await keys(pilot, "enter")
        assert content_of(storage, twin) is None
        assert content_of(storage) == STORED


async def test_browse_deletes_what_may_be_curated_and_nothing_else() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await settled(pilot)
        await keys(pilot, "tab", "D")
        assert "people curate system/" in said(pilot.app)
        await keys(pilot, "down", "D")
        await pilot.press(*"rules")
        await keys(pilot, "enter")
        assert isinstance(pilot.app.screen, BrowseScreen)
        assert content_of(storage) is None
        assert content_of(storage, NOTES) is not None


async def test_what_was_done_is_taken_back_newest_first_unless_somebody_built_upon_it() -> None:
    storage = stored()
    x = b"x" + BODY.encode()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        await keys(pilot, "ctrl+s")
        await reviewed(pilot)
        await keys(pilot, "ctrl+t", "enter")
        await reviewed(pilot)
        assert content_of(storage) == STORED
        assert screen(pilot.app).pane.body.text == BODY
        assert "Taken back" in said(pilot.app)
        assert "Read again" not in said(pilot.app)

        await keys(pilot, "ctrl+t", "enter")
        await reviewed(pilot)
        assert content_of(storage) == (x, "Rules", ["a", "b"])
        await write(pilot, "y")
        await keys(pilot, "ctrl+t", "enter")
        assert content_of(storage) == STORED
        assert screen(pilot.app).pane.body.text == "xy" + BODY
        assert "Changed elsewhere in this app. Your text is untouched" in shown(screen(pilot.app))

        await keys(pilot, "ctrl+r", "down", "enter", "f8")
        await pilot.press(*"rules")
        await keys(pilot, "enter", "ctrl+t")
        assert isinstance(pilot.app.screen, ChangesDialog)
        titles = [change.title for change in pilot.app.screen.list.rows]
        assert titles == [f"Deleted {KEY}", f"Undo: Saved {KEY}"]
        await keys(pilot, "enter")
        assert content_of(storage) == STORED

        agent_writes(storage, "newer\n")
        await keys(pilot, "ctrl+t", "enter")
        assert content_of(storage) == (b"newer\n", "Rules", [])
        assert "changed or deleted after it was read" in said(pilot.app)

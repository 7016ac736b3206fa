"""Somebody else writes while a person types: nothing of either is lost, and nothing is overwritten unknowingly."""

from functools import partial

from textual.pilot import Pilot

from tests.tui.screens.drive import has_focus, shown
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
    store_tells,
    stored,
    write,
)
from wenchang_tui.model.merging import Side
from wenchang_tui.screens.edit_dialogs import ChoiceDialog
from wenchang_tui.screens.edit_merge import MergeScreen
from wenchang_tui.screens.edit_place import PlaceDialog

THEIRS = BODY.replace("four", "FOUR")
CLASH = BODY.replace("one", "ONE")


def merge(pilot: Pilot[None]) -> MergeScreen:
    assert isinstance(pilot.app.screen, MergeScreen)
    return pilot.app.screen


async def test_changes_in_different_places_are_merged_and_saved_once_accepted() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "- [system] zero\n")
        agent_writes(storage, THEIRS, description="Theirs", aliases=("a", "b", "c"))
        await keys(pilot, "ctrl+s")
        text = shown(merge(pilot))
        assert all(word in text for word in ("before", "theirs", "mine", "all settled"))
        assert content_of(storage) == (THEIRS.encode(), "Theirs", ["a", "b", "c"])
        await keys(pilot, "ctrl+s")
        await reviewed(pilot)
        merged = "- [system] zero\n" + THEIRS
        assert content_of(storage) == (merged.encode(), "Theirs", ["a", "b", "c"])
        assert screen(pilot.app).pane.body.text == merged
        assert screen(pilot.app).pane.description.value == "Theirs"

        # The same from both sides is recognised, and nothing is written.
        screen(pilot.app).pane.body.move_cursor((0, 0))
        await write(pilot, "x")
        agent_writes(storage, "x" + merged, description="Theirs", aliases=("a", "b", "c"))
        before = storage.get(KEY)
        await keys(pilot, "ctrl+s")
        await reviewed(pilot)
        assert storage.get(KEY) == before
        assert "exactly the same" in said(pilot.app)
        await write(pilot, "y")
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (f"xy{merged}".encode(), "Theirs", ["a", "b", "c"])


async def test_an_agent_that_never_stops_writing_costs_nobody_a_word() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "- [system] zero\n")
        theirs = BODY
        for number in range(2):
            theirs += f"- [system] agent {number}\n"
            storage.meanwhile(partial(agent_writes, storage, theirs, aliases=("a", "b")))
            await keys(pilot, "ctrl+s")
            assert merge(pilot).settling.waiting == 0
            assert content_of(storage) == (theirs.encode(), "Rules", ["a", "b"])
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (f"- [system] zero\n{theirs}".encode(), "Rules", ["a", "b"])


async def test_a_clash_waits_until_it_is_settled_and_nothing_is_lost_by_leaving_it() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await keys(pilot, "end")
        await write(pilot, " mine")
        agent_writes(storage, CLASH, aliases=("a", "b"))
        await keys(pilot, "ctrl+s", "ctrl+s")
        assert "! 1 to choose" in shown(merge(pilot))
        assert content_of(storage) == (CLASH.encode(), "Rules", ["a", "b"])
        await keys(pilot, "escape")
        assert screen(pilot.app).pane.body.text == BODY.replace("one", "one mine")
        assert "f9 compares" in shown(screen(pilot.app))
        await keys(pilot, "f9", "b", "ctrl+s")
        await reviewed(pilot)
        both = CLASH.replace("ONE\n", "ONE\n- [system] one mine\n")
        assert content_of(storage) == (both.encode(), "Rules", ["a", "b"])

        await write(pilot, "!")
        agent_writes(storage, BODY, aliases=("a", "b"))
        await keys(pilot, "ctrl+s", "T", "ctrl+s")
        await reviewed(pilot)
        assert screen(pilot.app).pane.body.text == BODY
        assert content_of(storage) == (BODY.encode(), "Rules", ["a", "b"])


async def test_each_difference_can_be_settled_by_itself_also_those_of_the_fields() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await keys(pilot, "end")
        await write(pilot, " mine")
        await fill(pilot, "description", "Mine")
        await fill(pilot, "aliases", "a")
        await reviewed(pilot)
        agent_writes(storage, CLASH, description="Theirs", aliases=("b", "c"))
        await keys(pilot, "ctrl+s")
        assert merge(pilot).settling.waiting == 2
        merge(pilot).list.move_to_key("description")
        await keys(pilot, "t")
        merge(pilot).list.move_to_key("aliases")
        await keys(pilot, "m", "n", "m")
        assert {piece.side for piece in merge(pilot).settling.pieces} == {Side.THEIRS, Side.MINE}
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (BODY.replace("one", "one mine").encode(), "Theirs", ["a"])


async def test_a_merge_can_be_adjusted_in_the_editor_and_is_saved_over_theirs() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "- [system] zero\n")
        agent_writes(storage, THEIRS, aliases=("a", "b"))
        await keys(pilot, "ctrl+s", "v", "e")
        assert has_focus(screen(pilot.app).pane.body)
        assert content_of(storage) == (THEIRS.encode(), "Rules", ["a", "b"])
        await keys(pilot, "ctrl+home")
        await reviewed(pilot)
        await write(pilot, "!")
        await keys(pilot, "ctrl+s")
        found = content_of(storage)
        assert found is not None
        assert b"!" in found[0]
        assert found[0].replace(b"!", b"") == b"- [system] zero\n" + THEIRS.encode()


async def test_a_file_deleted_meanwhile_can_be_made_again_or_given_up() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        agent_deletes(storage)
        await keys(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        assert "Deleted meanwhile" in shown(pilot.app.screen)
        await keys(pilot, "enter")
        assert content_of(storage) is None
        assert screen(pilot.app).pane.body.text == "x" + BODY
        await keys(pilot, "ctrl+s", "down", "enter")
        assert content_of(storage) == (b"x" + BODY.encode(), "Rules", ["a", "b"])

        await write(pilot, "y")
        agent_deletes(storage)
        await store_tells(pilot, KEY)
        assert screen(pilot.app).pane.body.text == "xy" + BODY
        assert "Deleted in the store meanwhile" in shown(screen(pilot.app))
        await keys(pilot, "f9", "down", "enter")
        assert content_of(storage) == (b"xy" + BODY.encode(), "Rules", ["a", "b"])

        await write(pilot, "z")
        agent_deletes(storage)
        await keys(pilot, "ctrl+s", "down", "down", "enter")
        assert content_of(storage) is None
        assert screen(pilot.app).edit is None
        assert screen(pilot.app).drafts.all() == ()


async def test_a_file_created_meanwhile_is_left_alone_or_merged() -> None:
    storage, key = stored(), "user/u/system/fresh.md"
    async with app_over(storage).run_test() as pilot:
        for name, theirs in (("fresh", "theirs\n"), ("fresh2", "other\n")):
            await at_desk(pilot)
            await keys(pilot, "ctrl+n")
            assert isinstance(pilot.app.screen, PlaceDialog)
            await fill(pilot, "name", name)
            await keys(pilot, "enter")
            await fill(pilot, "description", "Fresh")
            screen(pilot.app).set_focus(screen(pilot.app).pane.body)
            await write(pilot, "mine\n")
            storage.meanwhile(partial(agent_writes, storage, theirs, f"user/u/system/{name}.md", "Fresh"))
            await keys(pilot, "ctrl+s")
            assert "Created meanwhile" in shown(pilot.app.screen)
            assert content_of(storage, f"user/u/system/{name}.md") == (theirs.encode(), "Fresh", [])
            if name == "fresh":
                await keys(pilot, "down", "enter")
                assert isinstance(pilot.app.screen, PlaceDialog)
                await fill(pilot, "name", "another")
                await keys(pilot, "enter", "ctrl+s", "escape")
        await keys(pilot, "enter")
        assert merge(pilot).settling.waiting == 1
        await keys(pilot, "b", "ctrl+s")
    assert content_of(storage, key) == (b"theirs\n", "Fresh", [])
    assert content_of(storage, "user/u/system/another.md") == (b"mine\n", "Fresh", [])
    assert content_of(storage, "user/u/system/fresh2.md") == (b"other\nmine\n", "Fresh", [])


async def test_a_change_that_the_watch_sees_never_touches_what_is_typed() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        agent_writes(storage, "other", NOTES)
        await store_tells(pilot, NOTES)
        assert screen(pilot.app).others.note == ""
        agent_writes(storage, BODY, aliases=("a", "b"))
        await store_tells(pilot, KEY)
        assert "meanwhile" not in shown(screen(pilot.app))
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (b"x" + BODY.encode(), "Rules", ["a", "b"])

        await write(pilot, "y")
        agent_writes(storage, CLASH, aliases=("a", "b"))
        await store_tells(pilot, KEY)
        assert screen(pilot.app).pane.body.text == "xy" + BODY
        text = shown(screen(pilot.app))
        assert "written by agent" in text
        assert "Your text" in text
        await keys(pilot, "f9")
        assert merge(pilot).settling.waiting == 1
        await keys(pilot, "m", "ctrl+s")
        await reviewed(pilot)
        assert content_of(storage) == (b"xy" + BODY.encode(), "Rules", ["a", "b"])
        assert "f9" not in shown(screen(pilot.app))


async def test_a_file_that_nobody_types_in_is_read_again() -> None:
    storage = stored()
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await keys(pilot, "down", "down")
        agent_writes(storage, CLASH, aliases=("a", "b"))
        await store_tells(pilot, KEY)
        pane = screen(pilot.app).pane
        assert pane.body.text == CLASH
        assert pane.body.line_number == 3
        assert "Read again" in said(pilot.app)
        await write(pilot, "x")
        await keys(pilot, "ctrl+s")
        third = CLASH.replace("- [system] three", "x- [system] three")
        assert content_of(storage) == (third.encode(), "Rules", ["a", "b"])

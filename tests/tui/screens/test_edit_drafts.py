"""What is typed and not saved is kept, said to be kept, and offered again with what it was made from."""

from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

from tests.tui.screens.drive import browse, keys_of, settled, shown, workspace
from tests.tui.screens.editing import (
    BODY,
    KEY,
    NOTES,
    SETTINGS,
    agent_deletes,
    agent_writes,
    app_over,
    at_desk,
    at_file,
    badges,
    content_of,
    keys,
    reviewed,
    said,
    screen,
    stored,
    write,
)
from wenchang.storage import Storage
from wenchang_tui.app import WenchangApp
from wenchang_tui.config import state_path
from wenchang_tui.model.draft_keeper import drafts_of
from wenchang_tui.model.editing import Curator, Edit
from wenchang_tui.screens.edit_dialogs import ChoiceDialog
from wenchang_tui.screens.edit_merge import MergeScreen


def left_unsaved(storage: Storage) -> None:
    """An earlier visit, in which somebody typed and never saved."""
    opened = workspace(storage, name="here")
    edit = Curator(opened).open(KEY)
    assert isinstance(edit, Edit)
    drafts = drafts_of(state_path(), opened)
    drafts.keep(drafts.ticket(), edit.with_content(replace(edit.content, body="mine " + BODY)))


async def come_back(pilot: Pilot[None]) -> None:
    await at_desk(pilot)
    await keys(pilot, "enter")
    assert isinstance(pilot.app.screen, ChoiceDialog)


async def test_unsaved_text_is_announced_listed_first_and_gone_on_with() -> None:
    storage = stored()
    agent_writes(storage, "x", "user/u/system/a.md")
    left_unsaved(storage)
    assert content_of(storage) == (BODY.encode(), "Rules", ["a", "b"])
    async with app_over(storage).run_test() as pilot:
        await settled(pilot)
        assert "A text that was not saved is kept. Press 3" in said(pilot.app)
        assert "3 Edit*" in badges(pilot.app)
        await come_back(pilot)
        assert keys_of(screen(pilot.app).desk.list) == [KEY, "user/u/system/a.md"]
        await keys(pilot, "enter")
        await reviewed(pilot)
        assert screen(pilot.app).pane.body.text == "mine " + BODY
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (b"mine " + BODY.encode(), "Rules", ["a", "b"])
        assert screen(pilot.app).drafts.all() == ()
        await settled(pilot)
        assert "3 Edit*" not in badges(pilot.app)


async def test_unsaved_text_merges_with_what_was_written_since() -> None:
    storage = stored()
    left_unsaved(storage)
    agent_writes(storage, BODY.replace("four", "FOUR"), aliases=("a", "b"))
    async with app_over(storage).run_test() as pilot:
        await come_back(pilot)
        assert "The file was changed since." in shown(pilot.app.screen)
        await keys(pilot, "enter")
        await reviewed(pilot)
        assert "written by agent" in shown(screen(pilot.app))
        await keys(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, MergeScreen)
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == (b"mine " + BODY.replace("four", "FOUR").encode(), "Rules", ["a", "b"])


async def test_unsaved_text_of_a_file_that_is_gone_is_still_there() -> None:
    storage = stored()
    left_unsaved(storage)
    agent_deletes(storage)
    async with app_over(storage).run_test() as pilot:
        await come_back(pilot)
        assert "not there any more" in shown(pilot.app.screen)
        await keys(pilot, "enter", "ctrl+s", "down", "enter")
        assert content_of(storage) == (b"mine " + BODY.encode(), "Rules", ["a", "b"])


async def test_unsaved_text_stays_where_it_is_until_it_is_forgotten() -> None:
    storage = stored()
    left_unsaved(storage)
    async with app_over(storage).run_test() as pilot:
        await come_back(pilot)
        await keys(pilot, "escape")
        assert screen(pilot.app).edit is None
        assert len(screen(pilot.app).drafts.all()) == 1
        await keys(pilot, "enter", "down", "enter")
        await reviewed(pilot)
        assert screen(pilot.app).pane.body.text == BODY
        assert screen(pilot.app).drafts.all() == ()


async def test_what_is_typed_is_kept_wherever_one_goes_and_given_up_only_when_asked() -> None:
    storage = stored()
    async with app_over(storage).run_test(size=(140, 40)) as pilot:
        await at_file(pilot)
        await write(pilot, "mine ")
        await keys(pilot, "escape", "1")
        assert "is kept" in said(pilot.app)
        assert "3 Edit*" in badges(pilot.app)
        browse(pilot.app)
        await keys(pilot, "3")
        assert screen(pilot.app).pane.body.text == "mine " + BODY

        screen(pilot.app).open_file(NOTES)
        await settled(pilot)
        await reviewed(pilot)
        assert screen(pilot.app).pane.body.text == "- [stated] rain\n"
        screen(pilot.app).open_file(KEY)
        await settled(pilot)
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await keys(pilot, "enter")
        assert screen(pilot.app).pane.body.text == "mine " + BODY

        await keys(pilot, "ctrl+r", "enter")
        assert screen(pilot.app).pane.body.text == "mine " + BODY
        await keys(pilot, "ctrl+r", "down", "enter")
        await reviewed(pilot)
        assert screen(pilot.app).pane.body.text == BODY
        assert screen(pilot.app).drafts.all() == ()
        assert content_of(storage) == (BODY.encode(), "Rules", ["a", "b"])


async def test_quitting_keeps_the_text_and_says_so() -> None:
    storage = stored()
    app = app_over(storage)
    async with app.run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "mine ")
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert screen(app).parting == f"What you typed in {KEY} is kept, and offered when you open it again."
    assert app.return_code == 0
    async with app_over(storage).run_test() as pilot:
        await come_back(pilot)


async def test_quitting_a_demo_asks_before_a_text_goes_with_it() -> None:
    storage, other = stored(), "user/u/system/a.md"
    agent_writes(storage, "x", other)
    app = WenchangApp(workspace(storage, SETTINGS))
    async with app.run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "mine ")
        await keys(pilot, "ctrl+q", "ctrl+q")
        assert isinstance(app.screen, ChoiceDialog)
        assert f"{KEY} is not saved, and nothing that is typed in a demo is kept." in " ".join(words(app))
        await keys(pilot, "enter")
        assert screen(app).pane.body.text == "mine " + BODY
        screen(app).open_file(other)
        await settled(pilot)
        await write(pilot, "mine, too ")
        await keys(pilot, "escape", "1", "q")
        assert "2 texts are not saved" in " ".join(words(app))
        await keys(pilot, "down")
        await pilot.press("enter")
        await pilot.pause()
    assert app.return_code == 0


async def test_quitting_a_demo_whose_texts_are_all_saved_asks_nothing() -> None:
    app = WenchangApp(workspace(stored(), SETTINGS))
    async with app.run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "mine ")
        await keys(pilot, "ctrl+s")
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_code == 0


def words(app: WenchangApp) -> list[str]:
    """What the question says, however it is laid out."""
    assert isinstance(app.screen, ChoiceDialog)
    return list(app.screen._sentences)


async def test_where_drafts_cannot_be_kept_that_is_said_and_quitting_asks() -> None:
    state_path().parent.mkdir(parents=True, exist_ok=True)
    Path(state_path()).write_text("in the way")
    app = app_over(stored())
    async with app.run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "mine ")
        assert "Drafts cannot be kept" in shown(screen(app))
        await keys(pilot, "ctrl+q")
        assert isinstance(app.screen, ChoiceDialog)
        await keys(pilot, "enter")
        assert screen(app).pane.body.text == "mine " + BODY
        await keys(pilot, "ctrl+q", "down")
        await pilot.press("enter")
        await pilot.pause()
    assert app.return_code == 0

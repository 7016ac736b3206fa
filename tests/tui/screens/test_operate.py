import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from tests.tui.model.entities import METADATA, fill, objects_of
from tests.tui.screens.drive import browse, grants, has_focus, keys_of, press, put, settled, shown, steps, until
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.workspace import Settings, Workspace, workspace_over
from wenchang_tui.screens.operate import OperateScreen
from wenchang_tui.screens.typed_dialog import TypedDialog

U, NEIGHBOUR = "user/u", "user/u2"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def operate(app: App[None]) -> OperateScreen:
    """The Operate screen, when it is the one in sight."""
    assert isinstance(app.screen, OperateScreen)
    return app.screen


def filled(storage: Storage | None = None, settings: Settings | None = None) -> Workspace:
    storage = storage or InMemoryStorage()
    fill(storage)
    return workspace_over("the store", "demo", storage, settings or grants(user="u"), None)


async def at_operate(pilot: Pilot[None]) -> OperateScreen:
    await settled(pilot)
    await press(pilot, "6")
    return operate(pilot.app)


async def test_the_focused_pane_gets_more_then_all_of_the_room() -> None:
    async with WenchangApp(filled()).run_test(size=(100, 30)) as pilot:
        screen = await at_operate(pilot)
        normal = screen.entities.size
        await press(pilot, "plus")
        assert screen.entities.size.width > normal.width
        await press(pilot, "plus")
        assert screen.entities.size.width == 100
        await press(pilot, "escape")
        assert screen.entities.size == normal


async def typed(pilot: Pilot[None], text: str) -> None:
    """Replace what stands in the input, and submit it."""
    await press(pilot, "ctrl+u")
    for character in text:
        pilot.app.post_message(events.Key(character, character))
    await press(pilot, "enter")


def words(app: App[None]) -> str:
    """What is drawn, without frames and line breaks."""
    return " ".join(shown(app.screen).replace("│", " ").split())


async def test_what_an_entity_holds_is_seen_before_anything_is_done() -> None:
    async with WenchangApp(filled()).run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        assert keys_of(screen.entities.list) == [U, NEIGHBOUR]
        text = shown(screen)
        assert "holds 5 objects, 21 bytes" in text
        assert "system/" in text
        assert "curated" in text
        assert "in no area" in text
        assert "2 of them cannot be read as memory files" in text
        await press(pilot, "down")
        assert "holds 1 object, 9 bytes" in shown(screen)


async def test_the_entity_selected_in_browse_is_the_one_chosen() -> None:
    async with WenchangApp(filled()).run_test() as pilot:
        await settled(pilot)
        browse(pilot.app).tree_list.reveal("user/u2/notes/")
        await settled(pilot)
        screen = await at_operate(pilot)
        assert screen.entity == NEIGHBOUR
        await press(pilot, "up", "1", "6")
        assert screen.entity == U, "what was chosen here stays while Browse stays where it is"


async def test_entities_are_found_by_a_part_of_their_name() -> None:
    storage = InMemoryStorage()
    for number in range(600):
        put(storage, f"user/person-{number:03}/notes/a.md", "x")
    async with WenchangApp(filled(storage, Settings())).run_test() as pilot:
        screen = await at_operate(pilot)
        assert len(screen.entities.list.rows) == 602
        await press(pilot, "slash", *"ON-59", "enter")
        assert keys_of(screen.entities.list) == [f"user/person-59{digit}" for digit in range(10)]
        assert has_focus(screen.entities.list)
        await press(pilot, "escape")
        assert len(screen.entities.list.rows) == 602


async def test_an_entity_is_exported_with_a_receipt_to_copy_and_to_save(tmp_path: Path) -> None:
    app = WenchangApp(filled())
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "x", "enter")
        path = tmp_path / "user-u.zip"
        assert "user/u/notes/a.md" in zipfile.ZipFile(path).namelist()
        assert "Exported 5 objects, 21 bytes." in shown(screen)
        assert has_focus(screen.receipts)
        await press(pilot, "c")
        assert "entity     user/u\n" in app.clipboard
        assert f"file       {path}\n" in app.clipboard
        await steps(pilot, "ctrl+s", "enter")
        assert (tmp_path / "receipt-export-user-u.txt").read_text() == app.clipboard
        await steps(pilot, "escape")
        assert "holds 5 objects, 21 bytes" in shown(screen)


async def test_a_file_that_exists_is_replaced_only_when_asked(tmp_path: Path) -> None:
    taken = tmp_path / "taken.zip"
    taken.write_text("mine")
    app = WenchangApp(filled())
    async with app.run_test() as pilot:
        await at_operate(pilot)
        await steps(pilot, "x")
        await typed(pilot, str(taken))
        assert "is replaced once the new archive is complete" in words(app)
        await steps(pilot, "enter")
        assert taken.read_text() == "mine"
        await steps(pilot, "x")
        await typed(pilot, str(taken))
        await steps(pilot, "down", "enter")
        assert zipfile.is_zipfile(taken)


async def test_a_place_that_cannot_be_written_is_a_receipt_that_says_so(tmp_path: Path) -> None:
    app = WenchangApp(filled())
    async with app.run_test(size=(120, 40)) as pilot:
        await at_operate(pilot)
        await steps(pilot, "x")
        await typed(pilot, str(tmp_path / "no" / "x.zip"))
        assert "ending     failed" in shown(app.screen)
        assert "No file was written." in words(app)


async def test_an_entity_is_purged_after_its_name_was_typed() -> None:
    space = filled()
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "X")
        assert isinstance(app.screen, TypedDialog)
        assert "holds 5 objects, 21 bytes" in shown(app.screen)
        await typed(pilot, "user/u2")
        assert "That is not user/u; nothing happens." in shown(app.screen)
        assert len(objects_of(space.storage)) == 5
        await typed(pilot, U)
        assert "Deleted 5 objects. Nothing is left." in shown(screen)
        assert keys_of(screen.entities.list) == [NEIGHBOUR]
    assert objects_of(space.storage) == {}
    assert objects_of(space.storage, "user/u2/") == {"user/u2/notes/a.md": (b"neighbour", METADATA)}


async def test_to_cancel_a_purge_deletes_nothing() -> None:
    space = filled()
    async with WenchangApp(space).run_test() as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "X", "escape")
        assert screen.is_current
        assert "receipt" not in shown(screen)
    assert len(objects_of(space.storage)) == 5


async def test_an_entity_goes_and_comes_back_as_it_was() -> None:
    space = filled()
    before = objects_of(space.storage)
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "x", "enter", "X")
        await typed(pilot, U)
        assert objects_of(space.storage) == {}
        await steps(pilot, "R", "enter")
        assert "user/u is empty. 5 objects, 21 bytes are put back." in words(app)
        await steps(pilot, "down", "enter")
        assert "Put back 5 objects, 21 bytes." in shown(screen)
        assert [receipt.deed for receipt in screen.receipts.rows] == ["restore", "purge", "export"]
    assert objects_of(space.storage) == before


async def test_to_restore_over_what_is_there_shows_the_plan_and_takes_the_name() -> None:
    space = filled()
    before = objects_of(space.storage)
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_operate(pilot)
        await steps(pilot, "x", "enter")
        put(space.storage, "user/u/notes/a.md", "newer")
        put(space.storage, "user/u/notes/new.md", "new")
        await steps(pilot, "R", "enter")
        text = words(app)
        assert "5 that stand there now; what they hold is lost" in text
        assert "1 others as they are" in text
        await typed(pilot, "u")
        assert objects_of(space.storage)["user/u/notes/a.md"][0] == b"newer"
        await typed(pilot, U)
        assert "Put back 5 objects, 21 bytes." in shown(app.screen)
    after = objects_of(space.storage)
    assert after.pop("user/u/notes/new.md")[0] == b"new"
    assert after == before


async def test_what_an_agent_writes_after_the_plan_is_not_overwritten() -> None:
    space = filled()
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_operate(pilot)
        await steps(pilot, "x", "enter", "X")
        await typed(pilot, U)
        await steps(pilot, "R", "enter")
        put(space.storage, "user/u/notes/a.md", "newer")
        await steps(pilot, "down", "enter")
        result = operate(app).receipts.rows[0].result
        assert result.endswith("Nothing was put back. Restore again, and look at what would be replaced.")
    assert objects_of(space.storage).keys() == {"user/u/notes/a.md"}


async def test_what_is_no_archive_is_said(tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    other.write_text("no zip")
    async with WenchangApp(filled()).run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "R")
        await typed(pilot, str(other))
        assert "! " in shown(screen)
        assert "other.zip" in words(pilot.app)
        await steps(pilot, "R")
        await typed(pilot, str(tmp_path / "missing.zip"))
        assert "! Not found" in shown(screen)


class Cut(InMemoryStorage):
    """A storage whose connection breaks at one object."""

    at: str | None = "user/u/notes/corrupt.md"

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        if key == self.at:
            raise ConnectionResetError(104, "Connection reset by peer")
        super().delete_if_version(key, expected)


async def test_a_failure_in_the_middle_tells_how_far_it_came_and_how_to_go_on() -> None:
    storage = Cut()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "X")
        await typed(pilot, U)
        (receipt,) = screen.receipts.rows
        assert receipt.result.endswith("Connection reset by peer. 2 of 5 objects were deleted; purge again to go on.")
        assert "ending     failed" in shown(screen)
        assert keys_of(screen.entities.list) == [U, NEIGHBOUR]
        storage.at = None
        await steps(pilot, "X")
        await typed(pilot, U)
        assert "Deleted 3 objects. Nothing is left." in shown(screen)
    assert objects_of(storage) == {}


class Held(InMemoryStorage):
    """A storage that lets one deletion through at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Semaphore(0)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        assert self.allowed.acquire(timeout=10)
        super().delete_if_version(key, expected)


async def test_a_purge_shows_how_far_it_is_and_escape_cancels_it() -> None:
    storage = Held()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "X")
        for character in U:
            app.post_message(events.Key(character, character))
        await pilot.press("enter")
        storage.allowed.release(2)
        await until(pilot, lambda: "2 of 5" in shown(app.screen))
        assert "Deleting user/u" in shown(screen)
        await pilot.press("X", "x", "R")
        assert screen.is_current, "one thing at a time"
        await pilot.press("escape")
        assert "stopping" in shown(screen)
        storage.allowed.release(1)
        await settled(pilot)
        assert "Cancelled. 3 of 5 objects were deleted; purge again to go on." in words(app)
        assert "Deleting user/u" not in shown(screen)
        storage.allowed.release(100)
    assert len(objects_of(storage)) == 2


async def test_while_something_runs_no_older_receipt_is_shown_in_its_place() -> None:
    storage = Held()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "x", "enter")
        assert screen.detail.title.left.plain == "receipt"
        await steps(pilot, "X")
        for character in U:
            app.post_message(events.Key(character, character))
        await pilot.press("enter")
        await until(pilot, lambda: "Deleting user/u" in shown(app.screen))
        assert screen.detail.title.left.plain == U
        storage.allowed.release(100)
        await settled(pilot)
        assert screen.detail.title.left.plain == "receipt"


async def test_what_is_running_goes_on_while_another_screen_is_in_sight() -> None:
    storage = Held()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await at_operate(pilot)
        await steps(pilot, "X")
        for character in U:
            app.post_message(events.Key(character, character))
        await pilot.press("enter", "1")
        storage.allowed.release(100)
        await settled(pilot)
        await until(pilot, lambda: "Deleted 5 objects. Nothing is left." in words(app))
        assert browse(app)
        await until(pilot, lambda: "user/u/notes/a.md" not in keys_of(browse(app).files.list))


async def test_to_quit_asks_before_it_cuts_short_what_is_running() -> None:
    storage = Held()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        await steps(pilot, "X")
        for character in U:
            app.post_message(events.Key(character, character))
        await pilot.press("enter")
        storage.allowed.release(1)
        await until(pilot, lambda: "1 of 5" in shown(app.screen))
        await pilot.press("q")
        assert "Deleting user/u is not finished yet." in words(app)
        await pilot.press("enter")
        assert screen.is_current, "to stay comes first"
        await pilot.press("q", "down", "enter")
        storage.allowed.release(1)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0
    assert screen.parting == "Purge of user/u: Cancelled. 2 of 5 objects were deleted; purge again to go on."


class Growing(InMemoryStorage):
    """An agent writes a new file for each that is deleted."""

    def __init__(self) -> None:
        super().__init__()
        self._number = 0

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        super().delete_if_version(key, expected)
        self._number += 1
        super().put(f"user/u/notes/new-{self._number:03}.md", b"x", METADATA)


async def test_a_purge_against_an_agent_that_keeps_writing_says_so() -> None:
    storage = Growing()
    app = WenchangApp(filled(storage))
    async with app.run_test(size=(120, 40)) as pilot:
        await at_operate(pilot)
        await steps(pilot, "X")
        await typed(pilot, U)
        text = operate(app).receipts.rows[0].result
        assert "New objects kept coming. 25 of 25 objects were deleted; purge again to go on." in text
    assert len(objects_of(storage)) == 5


async def test_a_store_opened_read_only_is_exported_and_nothing_else(tmp_path: Path) -> None:
    space = filled(settings=replace(grants(user="u"), read_only=True))
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await at_operate(pilot)
        assert "the store is opened read-only" in shown(screen)
        await steps(pilot, "X", "R")
        assert screen.is_current
        await steps(pilot, "x", "enter")
        assert "Exported 5 objects, 21 bytes." in shown(screen)
    assert (tmp_path / "user-u.zip").exists()
    assert len(objects_of(space.storage)) == 5


class Broken(InMemoryStorage):
    def list_children(self, prefix: str, start_after: str | None, limit: int) -> list[str]:
        raise PermissionError(13, "Permission denied", "/x")


async def test_entities_that_cannot_be_listed_are_said() -> None:
    async with WenchangApp(workspace_over("t", "demo", Broken(), Settings(), None)).run_test() as pilot:
        screen = await at_operate(pilot)
        assert "! Permission denied" in shown(screen)


SnapCompare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])


@SIZES
def test_looks(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await at_operate(pilot)

    assert snap_compare(WenchangApp(filled()), terminal_size=size, run_before=go)


@SIZES
def test_look_of_a_purge(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await at_operate(pilot)
        await steps(pilot, "X")

    assert snap_compare(WenchangApp(filled()), terminal_size=size, run_before=go)

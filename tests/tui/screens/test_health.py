import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.model.curation import Interrupted, agent_deletes, agent_writes, body_of
from tests.tui.screens.drive import (
    browse,
    demo_workspace,
    grants,
    has_focus,
    press,
    put,
    settled,
    shown,
    steps,
    until,
    workspace,
)
from tests.tui.screens.faulty import LATIN, LONG, MALFORMED, STRAY, TWICE, VAGUE, fill_faulty
from wenchang.core import MemoryStore
from wenchang.storage import Storage, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import MALFORMED_KEY
from wenchang_tui.model.findings import Kind
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder, workspace_over
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.health import HealthScreen
from wenchang_tui.screens.repair import RepairDialog
from wenchang_tui.widgets.themes import LIGHT

SERVED = grants(user="u", project="p")
MOVED = "project/p/imported/loose-note.md"


def health(app: App[None]) -> HealthScreen:
    """The Health screen, when it is the one in sight."""
    assert isinstance(app.screen, HealthScreen)
    return app.screen


def faulty(storage: Storage | None = None, settings: Settings = SERVED) -> Workspace:
    storage = storage or InMemoryStorage()
    fill_faulty(storage)
    return workspace(storage, settings)


def found(app: App[None]) -> list[str]:
    """The keys of what is found, in the order of the list."""
    return [finding.key for finding in health(app).findings.list.rows]


def words(app: App[None]) -> str:
    """What is drawn, without frames and line breaks."""
    return " ".join(shown(app.screen).replace("│", " ").split())


async def at_finding(pilot: Pilot[None], key: str) -> HealthScreen:
    """Open Health and put the cursor on a finding."""
    await settled(pilot)
    await press(pilot, "5")
    screen = health(pilot.app)
    screen.findings.list.cursor = found(pilot.app).index(key)
    await settled(pilot)
    return screen


async def test_what_fails_comes_first_with_what_it_breaks_and_for_whom() -> None:
    async with WenchangApp(faulty()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "5")
        assert found(pilot.app) == [MALFORMED, LATIN, LONG, STRAY, VAGUE, TWICE]
        text = shown(pilot.app.screen)
        assert "3 errors, 2 warnings, 1 note" in text
        assert "checked 8 objects" in text
        await press(pilot, "plus", "plus")
        assert not health(pilot.app).view.is_on_screen
        await press(pilot, "escape")
        text = shown(pilot.app.screen)
        assert "get_memory_index fails for every agent of p in scope project" in text
        assert "+ aliases       []" in text


async def test_the_malformed_object_is_repaired_with_two_keys_and_the_index_works_again() -> None:
    space = demo_workspace()
    scope_map = {"project": "p-river-of-salt"}
    async with WenchangApp(space).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "5")
        assert found(pilot.app) == [MALFORMED_KEY]
        await steps(pilot, "e")
        assert "r repairs it, and asks first" in shown(pilot.app.screen)
        await steps(pilot, "r", "y")
        assert found(pilot.app) == []
        assert "Everything is in order." in shown(pilot.app.screen)
    file = space.store.read_file(MALFORMED_KEY)
    assert file.metadata.aliases == ()
    assert file.metadata.description == "The novel before this one"
    assert len(space.store.get_memory_index(scope_map).entries) == 1


async def test_the_cursor_starts_on_the_way_out_and_goes_on_to_the_next_finding() -> None:
    space = faulty()
    before = space.storage.get(MALFORMED)
    async with WenchangApp(space).run_test() as pilot:
        screen = await at_finding(pilot, MALFORMED)
        await steps(pilot, "enter")
        assert isinstance(pilot.app.screen, RepairDialog)
        assert "+ aliases       []" in shown(pilot.app.screen)
        await steps(pilot, "enter")
        assert found(pilot.app)[0] == MALFORMED
        assert space.storage.get(MALFORMED) == before

        await at_finding(pilot, LATIN)
        await steps(pilot, "r", "down", "enter")
        assert screen.findings.list.current is not None
        assert screen.findings.list.current.key == LONG
        assert has_focus(screen.findings.list)
        assert space.store.read_file(LATIN).content == "- [stated] café\n"

        await at_finding(pilot, MALFORMED)
        await steps(pilot, "r", "down", "down", "enter")
        await press(pilot, *"other", "enter")
        assert "That is not draft; nothing happens." in shown(pilot.app.screen)
        assert space.storage.get(MALFORMED) is not None
        await press(pilot, "ctrl+u", *"draft", "enter")
        assert MALFORMED not in found(pilot.app)
    assert space.storage.get(MALFORMED) is None


async def test_nothing_is_repaired_over_what_somebody_did_meanwhile() -> None:
    storage = Interrupted()
    async with WenchangApp(faulty(storage)).run_test() as pilot:
        screen = await at_finding(pilot, MALFORMED)
        storage.meanwhile(lambda: put(storage, MALFORMED, "- [stated] newer\n", "Newer"))
        await steps(pilot, "r", "y")
        assert "! Changed meanwhile" in shown(screen)
        assert "was changed or deleted after it was read" in words(pilot.app)
        assert body_of(storage, MALFORMED) == b"- [stated] newer\n"
        assert MemoryStore(storage).read_file(MALFORMED).metadata.description == "Newer"

        await at_finding(pilot, STRAY)
        storage.meanwhile(lambda: agent_writes(storage, "- [stated] mine\n", MOVED, "Mine"))
        await steps(pilot, "r", "y")
        assert "! Taken meanwhile" in shown(screen)
        assert body_of(storage, MOVED) == b"- [stated] mine\n"
        assert body_of(storage, STRAY) == b"- [stated] Lies where no agent looks.\n"

        await at_finding(pilot, VAGUE)
        storage.meanwhile(lambda: agent_deletes(storage, VAGUE))
        await steps(pilot, "r", "y")
        assert "! Changed meanwhile" in shown(screen)
        assert storage.get(VAGUE) is None


async def test_a_move_that_stops_half_way_says_so_and_can_be_taken_back() -> None:
    storage = Interrupted()
    async with WenchangApp(faulty(storage)).run_test(size=(140, 40)) as pilot:
        await at_finding(pilot, STRAY)
        storage.meanwhile(lambda: agent_writes_raw(storage, STRAY, b"newer"), after=1)
        await steps(pilot, "r", "y")
        assert "A part of it was made: u takes that back." in words(pilot.app)
        assert storage.get(MOVED) is not None
        await steps(pilot, "u", "down", "enter")
    assert storage.get(MOVED) is None
    assert body_of(storage, STRAY) == b"newer"


def agent_writes_raw(storage: Storage, key: str, body: bytes) -> None:
    standing = storage.get(key)
    assert standing is not None
    storage.put(key, body, standing.metadata)


async def test_a_repair_is_taken_back_unless_somebody_built_upon_it() -> None:
    space = faulty()
    before = space.storage.get(MALFORMED)
    assert before is not None
    async with WenchangApp(space).run_test() as pilot:
        await at_finding(pilot, MALFORMED)
        await steps(pilot, "r", "y")
        await steps(pilot, "u", "down", "enter")
        await until(pilot, lambda: MALFORMED in found(pilot.app))
        undone = space.storage.get(MALFORMED)
        assert undone is not None
        assert undone.metadata == before.metadata
        await at_finding(pilot, MALFORMED)
        await steps(pilot, "r", "y")
        agent_writes(space.storage, "- [stated] on top\n", MALFORMED, "On top")
        await steps(pilot, "u", "down", "enter")
        assert "! Changed meanwhile" in shown(pilot.app.screen)
    assert body_of(space.storage, MALFORMED) == b"- [stated] on top\n"


async def test_a_stray_object_moves_to_the_path_that_a_person_gives() -> None:
    space = faulty()
    async with WenchangApp(space).run_test() as pilot:
        await at_finding(pilot, STRAY)
        await steps(pilot, "r", "down", "down", "enter")
        await press(pilot, "ctrl+u", *"nowhere", "enter")
        assert "! Not a memory path: nowhere.md" in shown(pilot.app.screen)
        await steps(pilot, "enter")
        await press(pilot, "ctrl+u", *"project/p/notes/loose", "enter")
        assert "Move project/p/loose-note.md to project/p/notes/loose.md" in words(pilot.app)
        assert space.storage.get(STRAY) is not None
        await steps(pilot, "y")
        assert STRAY not in found(pilot.app)
    assert space.store.read_file("project/p/notes/loose.md").content == "- [stated] Lies where no agent looks.\n"
    assert space.storage.get(STRAY) is None


async def test_a_vague_description_is_written_by_hand() -> None:
    space = faulty()
    async with WenchangApp(space).run_test() as pilot:
        screen = await at_finding(pilot, VAGUE)
        await steps(pilot, "r", "down", "down", "enter")
        await press(pilot, *"When the gates close", "enter")
        assert "+ description   When the gates close" in shown(pilot.app.screen)
        await steps(pilot, "y")
        assert screen.findings.list.current is not None
        assert screen.findings.list.current.key == TWICE
    metadata = space.store.read_file(VAGUE).metadata
    assert metadata.description == "When the gates close"
    assert "wenchang-tui" in metadata.sources


async def test_a_store_opened_read_only_is_checked_and_not_repaired() -> None:
    storage = InMemoryStorage()
    fill_faulty(storage)
    space = workspace_over("t", "folder", storage, replace(SERVED, read_only=True), None)
    async with WenchangApp(space).run_test(size=(140, 60)) as pilot:
        await at_finding(pilot, MALFORMED)
        assert "+ aliases       []" in shown(pilot.app.screen)
        await steps(pilot, "r")
        await steps(pilot, "enter")
        assert health(pilot.app)
        await press(pilot, "question_mark")
        assert "was opened read-only)" in shown(pilot.app.screen)


async def test_another_part_of_the_store_can_be_checked() -> None:
    async with WenchangApp(faulty(settings=grants(user="u"))).run_test() as pilot:
        await settled(pilot)
        browse(pilot.app).tree_list.reveal("project/p/notes/")
        await settled(pilot)
        await press(pilot, "5")
        assert len(found(pilot.app)) == 6
        await press(pilot, "slash")
        assert "in all that is served" in shown(pilot.app.screen)
        assert found(pilot.app) == [LATIN, LONG, VAGUE, TWICE]
        await press(pilot, "slash")
        assert "in project/p/" in shown(pilot.app.screen)
        assert found(pilot.app) == [MALFORMED, STRAY]
        await press(pilot, "slash")
        assert len(found(pilot.app)) == 6


async def test_a_finding_is_copied_as_json_and_opens_in_browse_or_edit() -> None:
    app = WenchangApp(faulty())
    async with app.run_test() as pilot:
        await at_finding(pilot, LATIN)
        await press(pilot, "c")
        assert json.loads(app.clipboard)["kind"] == Kind.NOT_UTF8
        await press(pilot, "b")
        assert browse(app).files.list.current_key == LATIN
        await at_finding(pilot, LONG)
        await press(pilot, "e")
        assert isinstance(app.screen, Frame)
        assert app.screen.NAME == "edit"
        assert "Salt comes from the sea." in shown(app.screen)


class Slow(InMemoryStorage):
    """Bodies that are read only as the test lets them be."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Semaphore(0)
        self.is_slow = False

    def get(self, key: str) -> StoredObject | None:
        if self.is_slow:
            assert self.allowed.acquire(timeout=10)
        return super().get(key)


async def test_findings_show_while_the_check_goes_on_and_escape_ends_it() -> None:
    storage = Slow()
    fill_faulty(storage)
    app = WenchangApp(workspace(storage, SERVED))
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        storage.is_slow = True
        await pilot.press("5")
        await until(pilot, lambda: "listed 8, read 0" in shown(app.screen))
        await until(pilot, lambda: found(app)[:1] == [MALFORMED])
        assert LATIN not in found(app)
        assert "checking…" in shown(app.screen)
        await pilot.press("escape")
        await until(pilot, lambda: "stopped after 8 objects" in shown(app.screen))
        storage.is_slow = False
        storage.allowed.release(100)
        await settled(pilot)
        assert LATIN not in found(app)
        await press(pilot, "f5")
        assert LATIN in found(app)


async def test_a_storage_that_fails_is_said_and_what_was_found_stays() -> None:
    storage = InMemoryStorage()
    fill_faulty(storage)
    space = workspace(storage, SERVED)
    app = WenchangApp(space)
    async with app.run_test() as pilot:
        await settled(pilot)

        def failing(key: str) -> StoredObject | None:
            raise TimeoutError

        storage.get = failing  # type: ignore[method-assign]
        await press(pilot, "5")
        assert MALFORMED in found(app)
        assert "f5 tries again" in shown(app.screen)
        assert "could not go on after 8 objects" in shown(app.screen)


async def test_a_fault_that_another_program_makes_or_mends_shows_by_itself(tmp_path: Path) -> None:
    agent = open_folder(tmp_path, Settings())
    agent_writes(agent.storage, "- [stated] fine\n", "user/u/notes/a.md", "The salt road in winter")
    app = WenchangApp(open_folder(tmp_path, Settings()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "1 file" in shown(app.screen))
        await pilot.press("5")
        await until(
            pilot, lambda: isinstance(app.screen, HealthScreen) and "Everything is in order" in shown(app.screen)
        )
        agent.storage.put("user/u/notes/b.md", b"x", {})
        await until(pilot, lambda: found(app) == ["user/u/notes/b.md"])
        put(agent.storage, "user/u/notes/b.md", "- [stated] fine\n", "The ferry at Heron Hill")
        await until(pilot, lambda: found(app) == [])


async def test_what_lies_beside_the_objects_of_a_folder_is_removed_by_its_name(tmp_path: Path) -> None:
    space = open_folder(tmp_path, Settings())
    agent_writes(space.storage, "- [stated] fine\n", "user/u/notes/a.md", "The salt road in winter")
    lone = tmp_path / "user" / "u" / "notes" / "gone.md%meta"
    lone.write_text("{}")
    app = WenchangApp(space)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "1 file" in shown(app.screen))
        await pilot.press("5")
        await until(pilot, lambda: isinstance(app.screen, HealthScreen) and len(found(app)) == 1)
        for keys in (["r"], ["down", "enter"], list("gone.md%meta"), ["enter"]):
            await pilot.press(*keys)
            await pilot.pause()
        await until(pilot, lambda: isinstance(app.screen, HealthScreen) and found(app) == [])
        assert not lone.exists()


async def test_every_repair_that_is_offered_leaves_no_finding_behind() -> None:
    space = faulty()
    async with WenchangApp(space).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "5")
        for left in range(6, 0, -1):
            assert len(found(pilot.app)) == left
            await steps(pilot, "r", "y")
        assert "Everything is in order." in shown(pilot.app.screen)
    put(space.storage, "user/u/notes/more.md", "x", "Still writable")


SnapCompare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])


@SIZES
def test_looks(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await at_finding(pilot, VAGUE)

    assert snap_compare(WenchangApp(faulty()), terminal_size=size, run_before=go)


@SIZES
def test_look_of_a_repair(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await at_finding(pilot, STRAY)
        await steps(pilot, "r", "down")

    assert snap_compare(WenchangApp(faulty()), terminal_size=size, run_before=go)


def test_look_of_a_sound_store_on_paper(snap_compare: SnapCompare) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "5")
        pilot.app.theme = LIGHT.name
        await pilot.pause()

    storage = InMemoryStorage()
    put(storage, "user/u/notes/a.md", "- [stated] fine\n", "The salt road in winter")
    assert snap_compare(WenchangApp(workspace(storage, grants(user="u"))), terminal_size=(80, 24), run_before=go)

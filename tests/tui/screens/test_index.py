import json
from dataclasses import replace

from tests.tui.screens.drive import (
    DEMO_SETTINGS,
    browse,
    demo_workspace,
    grants,
    index,
    keys_of,
    press,
    put,
    settled,
    shown,
    steps,
    workspace,
)
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.budget import collect_entries, payload, plan_budget
from wenchang_tui.model.demo import DEMO_IDENTITY
from wenchang_tui.model.settings import Settings
from wenchang_tui.screens.payload import PayloadScreen
from wenchang_tui.widgets.index_list import CUT_KEY, Cut

SCOPE_MAP = DEMO_IDENTITY.scope_map
SMALL = replace(DEMO_SETTINGS, index_bytes=2_000)


async def test_the_entries_stand_in_index_order_with_bytes_and_running_total() -> None:
    space = demo_workspace()
    async with WenchangApp(space).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        expected = [entry.path for entry in space.store.get_memory_index(SCOPE_MAP).entries]
        assert keys_of(index(pilot.app).entries) == expected
        text = shown(pilot.app.screen)
        used = sum(row.bytes for row in plan_budget(collect_entries(space.storage, SCOPE_MAP), 65_536, ()).rows)
        assert f"{used:,} of 65,536 bytes" in text
        assert "48 entries in" in text
        assert "as served" in text


async def test_the_cut_stands_where_the_store_makes_it() -> None:
    space = demo_workspace(SMALL)
    async with WenchangApp(space).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "z")
        served = space.store.get_memory_index(SCOPE_MAP)
        entries = index(pilot.app).entries
        assert isinstance(entries.current, Cut)
        text = shown(pilot.app.screen)
        assert f"cut at 2,000 bytes: {48 - entries.cursor} below are not sent, L tries another limit ────" in text
        assert "left out" in text
        assert "no agent knows of these files before it lists the area" in text
        assert keys_of(entries)[: entries.cursor] == [entry.path for entry in served.entries]
        omitted = {capped.prefix: capped.omitted for capped in served.capped}
        assert {capped.prefix: capped.omitted for capped in index(pilot.app).edge.rows} == omitted  # type: ignore[union-attr]


async def test_areas_that_the_index_caps_are_marked_in_the_tree() -> None:
    async with WenchangApp(demo_workspace(SMALL)).run_test() as pilot:
        await settled(pilot)
        browse(pilot.app).tree_list.reveal("project/p-ninth-examination/places/")
        await settled(pilot)
        assert "places 3 cut" in shown(pilot.app.screen)


async def test_another_limit_moves_the_cut_and_writes_nothing() -> None:
    space = demo_workspace()
    async with WenchangApp(space).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, *"L1000", "enter")
        screen = index(pilot.app)
        assert keys_of(screen.entries).index(CUT_KEY) == 4
        assert "WHAT IF" in shown(screen)
        assert screen.focused is screen.entries
        await press(pilot, "u")
        assert CUT_KEY not in keys_of(screen.entries)
        assert "as served" in shown(screen)
        assert space.store.index_max_bytes == 65_536


async def test_another_priority_changes_the_order() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, *"Puser", "enter")
        scopes = [key.split("/")[0] for key in keys_of(index(pilot.app).entries) if "/system/" not in key]
        assert scopes[:6] == ["user"] * 6
        assert "user" not in scopes[6:]


async def test_another_identity_collects_its_entries() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, *"Iproject=p-river-of-salt", "enter")
        screen = index(pilot.app)
        assert keys_of(screen.entries) == []
        assert "aliases: missing required key. The whole index fails" in shown(screen)


async def test_what_cannot_be_understood_is_said_and_the_entries_stay() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, *"Lmany")
        assert "the limit is a number of bytes above 0, not many" in shown(pilot.app.screen)
        await steps(pilot, "escape", "u")
        await press(pilot, *"Ibob")
        assert "bob is not of the form SCOPE=ENTITY[:ROLE]" in shown(pilot.app.screen)
        assert len(index(pilot.app).entries.rows) == 48


async def test_the_payload_is_what_the_agent_receives() -> None:
    space = demo_workspace()
    app = WenchangApp(space)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, "J")
        assert isinstance(app.screen, PayloadScreen)
        await press(pilot, "c")
        assert app.clipboard == payload(space.store, SCOPE_MAP)
        await press(pilot, "f")
        assert '    "scope": "project",' in shown(app.screen).replace("│", "")[:2_000] or "laid out" in shown(
            app.screen
        )
        await press(pilot, "escape")
        assert index(app)


async def test_the_payload_of_a_what_if_follows_the_what_if() -> None:
    app = WenchangApp(demo_workspace())
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        await press(pilot, *"L1000", "enter")
        await steps(pilot, "J", "c")
        assert len(json.loads(app.clipboard)["entries"]) == 4
        assert "of the what-if" in shown(app.screen)


async def test_an_entry_opens_in_browse() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "2", "down", "down", "down")
        key = index(pilot.app).entries.current_key
        await press(pilot, "enter")
        screen = browse(pilot.app)
        assert screen.files.list.current_key == key
        assert screen.preview.file is not None
        assert screen.preview.file.key == key


async def test_several_entities_are_asked_for_and_named() -> None:
    storage = InMemoryStorage()
    put(storage, "user/u-1/a/one.md", "x")
    put(storage, "user/u-2/a/two.md", "x")
    async with WenchangApp(workspace(storage, Settings())).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        assert "nobody yet: several entities in user" in shown(pilot.app.screen)
        await press(pilot, "2")
        assert "user: u-1, u-2" in shown(pilot.app.screen)
        await press(pilot, *"Iuser=u-2", "enter")
        assert keys_of(index(pilot.app).entries) == ["user/u-2/a/two.md"]


async def test_a_change_in_the_store_changes_the_budget_and_keeps_the_cursor() -> None:
    storage = InMemoryStorage()
    for name in ("a", "b", "c"):
        put(storage, f"user/u/notes/{name}.md", "x")
    async with WenchangApp(workspace(storage, grants(user="u"))).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "2", "down", "down")
        put(storage, "user/u/notes/newest.md", "x", **{"last-updated": "2027-01-01T00:00:00Z"})
        pilot.app._store_changed(frozenset({"user/u/notes/newest.md"}))  # type: ignore[attr-defined]
        await settled(pilot)
        entries = index(pilot.app).entries
        assert entries.current_key == "user/u/notes/c.md"
        assert keys_of(entries)[0] == "user/u/notes/newest.md"

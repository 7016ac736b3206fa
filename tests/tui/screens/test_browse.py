import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.tui.screens.drive import (
    DEMO_SETTINGS,
    browse,
    demo_workspace,
    has_focus,
    index,
    keys_of,
    press,
    put,
    settled,
    shown,
    steps,
    until,
    workspace,
)
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import ListedObject
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY, MALFORMED_KEY
from wenchang_tui.screens.copy import CopyDialog

CHARACTERS = "project/p-ninth-examination/characters/"


class Failing(InMemoryStorage):
    error: Exception | None = None

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        if self.error is not None:
            raise self.error
        return super().list_page(prefix, start_after, limit)


class Held(InMemoryStorage):
    def __init__(self) -> None:
        super().__init__()
        self.open_gate = threading.Event()
        self.open_gate.set()

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        assert self.open_gate.wait(10)
        return super().list_page(prefix, start_after, limit)


async def at_characters(pilot: Pilot[None]) -> None:
    await settled(pilot)
    browse(pilot.app).tree_list.reveal(CHARACTERS)
    await settled(pilot)
    assert browse(pilot.app).tree_list.place == CHARACTERS


async def test_the_cursor_starts_in_the_tree_on_the_whole_store() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        assert has_focus(screen.tree_list)
        assert screen.tree_list.place == ""
        assert len(screen.files.list.rows) == 49


async def test_right_and_enter_open_a_node_and_its_files_are_listed() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        await steps(pilot, "down", "down", "right", "down", "enter", "down", "down")
        assert screen.tree_list.place == CHARACTERS
        assert keys_of(screen.files.list)[0] == f"{CHARACTERS}abbot-jing.md"
        assert len(screen.files.list.rows) == 16
        await press(pilot, "left", "left", "enter")
        assert screen.tree_list.place == "project/p-ninth-examination/"
        assert len(screen.files.list.rows) == 34


async def test_enter_never_closes_a_node_and_left_does() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        lines = len(browse(pilot.app).tree_list.rows)
        await press(pilot, "enter")
        assert len(browse(pilot.app).tree_list.rows) == lines
        await steps(pilot, "down", "right", "left")
        assert len(browse(pilot.app).tree_list.rows) == lines


async def test_the_tree_counts_files_and_says_that_system_is_read_only() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        text = shown(pilot.app.screen)
        assert "system read-only" in text
        assert "characters            16" in text


async def test_tab_goes_from_tree_to_list_to_file_and_back() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        for pane in (screen.files.list, screen.preview.view, screen.tree_list):
            await press(pilot, "tab")
            assert screen.focused is pane
        await press(pilot, "shift+tab")
        assert has_focus(screen.preview.view)


async def test_the_preview_follows_the_cursor() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        assert screen.preview.file is not None
        assert screen.preview.file.key == f"{CHARACTERS}abbot-jing.md"
        await press(pilot, "tab", "j", "j", "k")
        assert screen.preview.file.key == f"{CHARACTERS}brothers-wei.md"
        assert "Wei Ping, Wei An, the twins" in shown(screen)


async def test_enter_in_the_list_goes_to_the_file_and_escape_steps_back() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "tab", "enter")
        assert has_focus(screen.preview.view)
        await press(pilot, "escape")
        assert has_focus(screen.files.list)
        await press(pilot, "escape")
        assert has_focus(screen.tree_list)


async def test_typing_right_after_the_slash_narrows_and_runs_no_command() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        await pilot.press(*"/quince")
        await pilot.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
        await pilot.press(*"qiao")
        await settled(pilot)
        assert screen.files.input.value == "qiao"
        assert f"{CHARACTERS}lin-qiao.md" in keys_of(screen.files.list)
        assert f"{CHARACTERS}abbot-jing.md" not in keys_of(screen.files.list)


@pytest.mark.parametrize("key", ["enter", "down"])
async def test_enter_and_down_go_from_the_filter_to_the_list_and_escape_clears(key: str) -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "slash", *"twins", key)
        assert has_focus(screen.files.list)
        assert keys_of(screen.files.list) == [f"{CHARACTERS}brothers-wei.md"]
        await press(pilot, "escape")
        assert len(screen.files.list.rows) == 16
        assert not screen.files.input.display


async def test_a_filter_that_cannot_be_read_says_so() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"since:soon")
        assert "since: takes a date" in shown(pilot.app.screen)


async def test_what_the_index_leaves_out_can_be_listed() -> None:
    space = demo_workspace(replace(DEMO_SETTINGS, index_bytes=2_000))
    left_out = sum(capped.omitted for capped in space.store.get_memory_index(DEMO_IDENTITY.scope_map).capped)
    async with WenchangApp(space).run_test() as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"is:cut")
        assert len(browse(pilot.app).files.list.rows) == left_out


async def test_sorting_goes_through_the_columns_and_turns_around() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "o", "o", "o", "o", "o", "o", "O")
        assert (screen.files.order, screen.files.is_reversed) == ("size", True)
        sizes = [row.size for row in screen.files.list.rows]
        assert sizes == sorted(sizes, key=lambda size: size or 0, reverse=True)
        await press(pilot, "o")
        assert keys_of(screen.files.list) == sorted(keys_of(screen.files.list))


async def test_a_click_on_a_head_sorts_and_a_second_one_turns_around() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        first = screen.files.list.current_key
        for is_reversed in (False, True):
            await pilot.click(screen.files.list, offset=(4, 0))
            await settled(pilot)
            assert (screen.files.order, screen.files.is_reversed) == ("name", is_reversed)
        assert screen.files.list.current_key == first
        assert keys_of(screen.files.list)[-1] == first


async def test_the_mouse_selects_rows_opens_nodes_and_files() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        await pilot.click(screen.tree_list, offset=(2, 2))
        await settled(pilot)
        assert "project/p-ninth-examination/" in keys_of(screen.tree_list)
        await pilot.click(screen.files.list, offset=(5, 3))
        await settled(pilot)
        assert screen.files.list.cursor == 2
        await pilot.double_click(screen.files.list, offset=(5, 2))
        await settled(pilot)
        assert has_focus(screen.preview.view)


async def test_body_search_finds_lines_and_points_at_them() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "s", *"ferry")
        hits = screen.hits.list.rows
        assert {hit.key for hit in hits} == {f"{CHARACTERS}lin-qiao.md"}
        assert all(hit.key.startswith(CHARACTERS) for hit in hits)
        await steps(pilot, "enter", "n", "N")
        assert screen.preview.file is not None
        assert screen.preview.file.key == hits[0].key
        assert screen.preview.view._found is not None
        await press(pilot, "escape")
        assert not screen.hits.display
        assert screen.preview.file.key == screen.files.list.current_key


async def test_body_search_of_the_whole_store_ignores_the_selection() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "S", *"spring list")
        assert any(hit.key.startswith("organization/") for hit in screen.hits.list.rows)
        await steps(pilot, "escape", "S")
        await press(pilot, *"ferry")
        assert screen.hits.input.value == "ferry"


async def test_back_and_forward_go_through_places() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        await steps(pilot, "down", "down", "tab", "down")
        key = screen.files.list.current_key
        await steps(pilot, "shift+tab", "down", "left_square_bracket")
        assert screen.tree_list.place == "project/"
        assert screen.files.list.current_key == key
        await steps(pilot, "left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert screen.tree_list.place == ""
        await press(pilot, "right_square_bracket")
        assert screen.tree_list.place == "organization/"


async def test_up_and_the_crumbs_go_to_places_above() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "backspace")
        assert screen.tree_list.place == "project/p-ninth-examination/"
        await pilot.click(screen.files.title, offset=(9, 0))
        await settled(pilot)
        assert screen.tree_list.place == "project/"


async def test_the_focused_pane_gets_half_then_all_of_the_room() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        await press(pilot, "tab")
        normal = screen.files.size
        await press(pilot, "plus")
        assert screen.files.size.height > normal.height
        await press(pilot, "plus")
        assert screen.files.size.width == 100
        assert not screen.preview.display
        await press(pilot, "tab")
        assert screen.zoom == "full"
        await press(pilot, "escape")
        assert screen.files.size == normal


async def test_copying_offers_the_fields_of_the_file() -> None:
    app = WenchangApp(demo_workspace())
    async with app.run_test() as pilot:
        await at_characters(pilot)
        file = browse(app).preview.file
        assert file is not None
        for field, text in (("p", f"{CHARACTERS}abbot-jing.md"), ("v", file.version), ("b", file.shown_text)):
            await press(pilot, "c")
            assert isinstance(app.screen, CopyDialog)
            await press(pilot, field)
            assert app.clipboard == text
        await steps(pilot, "c", "J")
        assert '"area": "characters"' in app.clipboard
        assert '"content": "- [stated] Rings the bell' in app.clipboard


async def test_marked_files_are_copied_together() -> None:
    app = WenchangApp(demo_workspace())
    async with app.run_test() as pilot:
        await at_characters(pilot)
        await press(pilot, "tab", "space", "space")
        await steps(pilot, "c", "p")
        assert app.clipboard == f"{CHARACTERS}abbot-jing.md\n{CHARACTERS}brothers-wei.md"


async def test_a_body_that_terminals_do_not_take_is_not_copied() -> None:
    storage = InMemoryStorage()
    put(storage, "user/u/a/big.md", "x" * 75_000)
    app = WenchangApp(workspace(storage))
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await steps(pilot, "c", "b")
        assert app.clipboard == ""
        assert any("74,994" in notification.message for notification in app._notifications)


async def test_a_file_that_cannot_be_read_is_shown_with_its_reason() -> None:
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"abandoned")
        text = shown(pilot.app.screen)
        assert "aliases: missing required key" in text
        assert "no agent gets an index with this entity. Press 5 to repair it." in text
        await press(pilot, "escape", "tab", "e")
        assert browse(pilot.app).preview.key == MALFORMED_KEY


async def test_a_body_that_is_not_utf8_is_shown_all_the_same() -> None:
    storage = InMemoryStorage()
    put(storage, "user/u/a/latin.md", b"caf\xe9 noir")
    async with WenchangApp(workspace(storage)).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        text = shown(pilot.app.screen)
        assert "caf\N{REPLACEMENT CHARACTER} noir" in text
        assert "not UTF-8" in text


async def test_a_byte_order_mark_is_visible_and_counted() -> None:
    storage = InMemoryStorage()
    put(storage, "user/u/a/bom.md", "\ufeff- [stated] a\n")
    async with WenchangApp(workspace(storage)).run_test() as pilot:
        await settled(pilot)
        text = shown(pilot.app.screen)
        assert "\N{REPLACEMENT CHARACTER}- [stated] a" in text
        assert "1 invisible or control characters" in text


async def test_storage_that_fails_is_shown_in_its_pane_and_reload_tries_again() -> None:
    storage = Failing()
    put(storage, "user/u/a/one.md", "x")
    async with WenchangApp(workspace(storage)).run_test() as pilot:
        await settled(pilot)
        storage.error = BackendUnavailableError(TransientReason.UNAVAILABLE)
        await press(pilot, "down")
        assert "Storage unavailable" in shown(pilot.app.screen)
        storage.error = None
        await press(pilot, "f5")
        assert keys_of(browse(pilot.app).files.list) == ["user/u/a/one.md"]
        assert "Storage unavailable" not in shown(pilot.app.screen)


async def test_changes_are_marked_and_move_nothing() -> None:
    space = demo_workspace()
    async with WenchangApp(space).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "tab", "down", "down", "down")
        key, line = screen.files.list.current_key, screen.files.list.cursor
        put(space.storage, f"{CHARACTERS}aaa.md", "new")
        put(space.storage, key or "", "- [stated] changed under the cursor\n")
        screen.store_changed(frozenset({f"{CHARACTERS}aaa.md", key or ""}))
        await settled(pilot)
        assert screen.files.list.current_key == key
        assert screen.files.list.cursor == line + 1
        assert screen.tree_list.place == CHARACTERS
        assert "changed under the cursor" in shown(screen)
        assert "~cook-ahua" in shown(screen)
        await steps(pilot, "home", "down")
        assert "~aaa" not in shown(screen)


async def test_a_deleted_file_goes_and_the_cursor_stays_near() -> None:
    space = demo_workspace()
    async with WenchangApp(space).run_test() as pilot:
        await at_characters(pilot)
        screen = browse(pilot.app)
        await press(pilot, "tab", "down", "down")
        key = screen.files.list.current_key or ""
        stored = space.storage.get(key)
        assert stored is not None
        space.storage.delete_if_version(key, stored.version)
        screen.store_changed(frozenset({key}))
        await settled(pilot)
        assert key not in keys_of(screen.files.list)
        assert screen.files.list.cursor == 2


async def test_a_long_listing_stops_at_the_cap_and_goes_on_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenchang_tui.widgets.files_pane.CAP", 20)
    monkeypatch.setattr("wenchang_tui.widgets.files_pane.FIRST_PAGE", 20)
    async with WenchangApp(demo_workspace()).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        assert len(screen.files.list.rows) == 20
        assert "more: m loads them" in shown(screen)
        await steps(pilot, "m", "m")
        assert len(screen.files.list.rows) == 49
        assert not screen.files.can_load_more


async def test_going_to_index_and_back_keeps_the_place() -> None:
    async with WenchangApp(demo_workspace()).run_test() as pilot:
        await at_characters(pilot)
        await press(pilot, "2")
        assert index(pilot.app)
        await press(pilot, "1")
        assert browse(pilot.app).tree_list.place == CHARACTERS


async def test_no_key_waits_for_storage() -> None:
    storage = Held()
    put(storage, "user/u/a/one.md", "x")
    put(storage, "user/u/b/two.md", "x")
    async with WenchangApp(workspace(storage)).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        storage.open_gate.clear()
        try:
            await pilot.press("down", "right")
            await until(pilot, lambda: "loading…" in shown(screen))
            await pilot.press("escape")
            assert not screen.files._listing.busy
            await pilot.press("tab", "tab", "tab", "up")
            assert screen.tree_list.cursor == 0
        finally:
            storage.open_gate.set()

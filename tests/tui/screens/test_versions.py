from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.screens.drive import browse, grants, press, put, settled, shown, steps, workspace
from wenchang.storage import ObjectVersion, Storage, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.workspace import workspace_over
from wenchang_tui.screens.versions import VersionsDialog

KEY = "user/u/system/rules.md"
MINE = "user/u/notes/agents-own.md"
BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Keeping(InMemoryStorage):
    """A storage that keeps what was replaced or deleted; a write takes an hour."""

    def __init__(self) -> None:
        super().__init__()
        self._past: dict[str, list[tuple[datetime, StoredObject | None]]] = {}
        self._now = BEGAN

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        version = super().put(key, data, metadata)
        self._keep(key)
        return version

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        version = super().put_if_version(key, data, metadata, expected)
        self._keep(key)
        return version

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        super().delete_if_version(key, expected)
        self._keep(key)

    def _keep(self, key: str) -> None:
        self._past.setdefault(key, []).append((self._now, self.get(key)))
        self._now += timedelta(hours=1)

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        keys = [listed.key for listed in self.list_page(prefix, None, 999)]
        names = {key.removeprefix(prefix).partition("/")[0] for key in keys if "/" in key.removeprefix(prefix)}
        return [child for name in sorted(names) if (child := f"{prefix}{name}/") > (start_after or "")][:limit]

    def list_versions(self, key: str) -> Sequence[ObjectVersion]:
        states = self._past.get(key, [])
        ends: list[datetime | None] = [*(moment for moment, _ in states[1:]), None]
        found = [
            ObjectVersion(stored.version, stored.metadata, len(stored.data), moment, end, readable=True)
            for (moment, stored), end in zip(states, ends, strict=True)
            if stored is not None
        ]
        return found[::-1]

    def get_version(self, key: str, version: VersionToken) -> StoredObject | None:
        states = (stored for _, stored in self._past.get(key, []))
        return next((stored for stored in states if stored is not None and stored.version == version), None)


def versions(app: App[None]) -> VersionsDialog:
    """The versions of a file, when they are in sight."""
    assert isinstance(app.screen, VersionsDialog)
    return app.screen


def kept() -> Keeping:
    storage = Keeping()
    put(storage, KEY, "- [stated] same\n- [stated] old\n", "The rules of old")
    put(storage, KEY, "- [stated] same\n- [stated] new\n", "The rules")
    put(storage, MINE, "- [stated] one\n", "Its own")
    put(storage, MINE, "- [stated] two\n", "Its own")
    return storage


async def at_versions(pilot: Pilot[None], key: str = KEY) -> VersionsDialog:
    await settled(pilot)
    browse(pilot.app).open_file(key)
    await settled(pilot)
    await steps(pilot, "v")
    return versions(pilot.app)


def body_of(storage: Storage, key: str = KEY) -> bytes:
    found = storage.get(key)
    assert found is not None
    return found.data


async def test_versions_are_listed_newest_first_with_time_and_size_and_compared_with_now() -> None:
    async with WenchangApp(workspace(kept(), grants(user="u"))).run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        lines = [line for line in shown(dialog).split("\n") if "2026-03-01" in line]
        assert "2026-03-01 10:00:00" in lines[0]
        assert "now" in lines[0]
        assert "2026-03-01 09:00:00" in lines[1]
        assert "until 2026-03-01 10:00:00" in lines[1]
        assert "as it is now" in shown(dialog)
        await press(pilot, "down")
        text = shown(dialog)
        assert "- - [stated] old" in text
        assert "+ - [stated] new" in text
        assert "- description   The rules of old" in text


async def test_a_version_is_put_back_and_that_can_be_undone() -> None:
    storage = kept()
    app = WenchangApp(workspace(storage, grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        await steps(pilot, "down", "R")
        assert "The file becomes what it was at 2026-03-01 09:00:00 UTC" in " ".join(shown(app.screen).split())
        await steps(pilot, "enter")
        assert body_of(storage) == b"- [stated] same\n- [stated] new\n", "the first answer is to cancel"
        await steps(pilot, "R", "down", "enter")
        assert body_of(storage) == b"- [stated] same\n- [stated] old\n"
        assert len(dialog.list.rows) == 3
        await steps(pilot, "escape")
        assert "- [stated] old" in shown(app.screen)
        curator = browse(app).curator
        curator.log.undo(curator.log.changes[-1])
    assert body_of(storage) == b"- [stated] same\n- [stated] new\n"


async def test_a_file_changed_meanwhile_is_not_overwritten() -> None:
    storage = kept()
    async with WenchangApp(workspace(storage, grants(user="u"))).run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        await steps(pilot, "down", "R")
        put(storage, KEY, "newer\n", "Newer")
        await steps(pilot, "down", "enter")
        assert "! Changed meanwhile" in shown(dialog)
        assert len(dialog.list.rows) == 3
    assert body_of(storage) == b"newer\n"


async def test_the_present_version_and_the_agents_areas_are_left_alone() -> None:
    storage = kept()
    app = WenchangApp(workspace(storage, grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        await steps(pilot, "R")
        assert app.screen is dialog
        await steps(pilot, "escape")
        dialog = await at_versions(pilot, MINE)
        await steps(pilot, "down", "R")
        assert "! The agent's own area" in shown(dialog)
        browse_curator = dialog._curator
        browse_curator.all_areas = True
        await steps(pilot, "R", "down", "enter")
    assert body_of(storage, MINE) == b"- [stated] one\n"


async def test_a_file_deleted_while_it_is_shown_comes_back() -> None:
    storage = kept()
    app = WenchangApp(workspace(storage, grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        browse(app).open_file(KEY)
        await settled(pilot)
        found = storage.get(KEY)
        assert found is not None
        storage.delete_if_version(KEY, found.version)
        browse(app).preview.show_changed(frozenset({KEY}))
        await settled(pilot)
        await steps(pilot, "v")
        dialog = versions(app)
        assert "when it was deleted" in shown(dialog)
        await steps(pilot, "R", "down", "enter")
    assert body_of(storage) == b"- [stated] same\n- [stated] new\n"


async def test_a_damaged_version_is_shown_and_not_put_back() -> None:
    storage = kept()
    storage.put(KEY, b"\xff", {"aliases": "["})
    put(storage, KEY, "mended\n", "Mended")
    async with WenchangApp(workspace(storage, grants(user="u"))).run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        await steps(pilot, "down")
        assert "- aliases       [" in shown(dialog)
        await steps(pilot, "R", "down", "enter")
        assert "! Not restored" in shown(dialog)
    assert body_of(storage) == b"mended\n"


async def test_a_store_opened_read_only_shows_versions_and_puts_none_back() -> None:
    storage = kept()
    settings = replace(grants(user="u"), read_only=True)
    async with WenchangApp(workspace_over("t", "demo", storage, settings, None)).run_test(size=(120, 40)) as pilot:
        dialog = await at_versions(pilot)
        await steps(pilot, "down", "R")
        assert "! Read-only" in shown(dialog)
    assert body_of(storage) == b"- [stated] same\n- [stated] new\n"


async def test_a_storage_without_history_offers_no_versions() -> None:
    storage = InMemoryStorage()
    put(storage, KEY, "x", "The rules")
    async with WenchangApp(workspace(storage, grants(user="u"))).run_test(size=(140, 60)) as pilot:
        await settled(pilot)
        browse(pilot.app).open_file(KEY)
        await steps(pilot, "v")
        assert browse(pilot.app).is_current
        await steps(pilot, "question_mark")
        assert "(not now: no former versions are kept here)" in " ".join(shown(pilot.app.screen).split())


SnapCompare = Callable[..., bool]
SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])


@SIZES
def test_looks(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[None]) -> None:
        await at_versions(pilot)
        await steps(pilot, "down")

    assert snap_compare(WenchangApp(workspace(kept(), grants(user="u"))), terminal_size=size, run_before=go)

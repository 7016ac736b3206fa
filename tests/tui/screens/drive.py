"""Driving the app in tests: stores that are always the same, and waiting for what is so rather than for time."""

import asyncio
from collections.abc import Callable
from itertools import groupby
from time import monotonic
from typing import Any, cast

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

from wenchang.core import MemoryStore
from wenchang.identity import ScopeGrant
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY, build_demo
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.browse import BrowseScreen
from wenchang_tui.screens.index import IndexScreen
from wenchang_tui.screens.opening import OpeningScreen
from wenchang_tui.widgets.row_list import RowList

WAIT_SECONDS = 10.0
DEMO_SETTINGS = Settings(grants=DEMO_IDENTITY.grants)


def workspace(storage: Storage, settings: Settings = DEMO_SETTINGS, *, name: str = "demo") -> Workspace:
    """A workspace over any storage, with nothing to watch."""
    store = MemoryStore(storage, index_max_bytes=settings.index_bytes, scope_priority=settings.priority)
    return Workspace(name, "demo", storage, store, settings, None)


def demo_workspace(settings: Settings = DEMO_SETTINGS) -> Workspace:
    """The demo in memory, whose versions are the same every time."""
    storage = InMemoryStorage()
    build_demo(storage)
    return workspace(storage, settings)


def grants(**entities: str) -> Settings:
    """Settings that serve these entities, as owner."""
    return Settings(grants={scope: ScopeGrant(entity, "owner") for scope, entity in entities.items()})


def put(storage: Storage, key: str, body: str | bytes, description: str = "d", **metadata: str) -> None:
    """An object written past the library; `metadata` replaces stored values."""
    stored = {
        "description": description,
        "aliases": "[]",
        "sources": '["t"]',
        "last-updated": "2026-01-01T00:00:00Z",
    }
    storage.put(key, body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body, {**stored, **metadata})


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Let the app run until something is so."""
    end = monotonic() + WAIT_SECONDS
    while not is_so():
        assert monotonic() < end, "this never came to be"
        await asyncio.sleep(0.002)
        await pilot.pause()


def browse(app: App[None]) -> BrowseScreen:
    """The Browse screen, when it is the one in sight."""
    assert isinstance(app.screen, BrowseScreen)
    return app.screen


def index(app: App[None]) -> IndexScreen:
    """The Index screen, when it is the one in sight."""
    assert isinstance(app.screen, IndexScreen)
    return app.screen


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is being read any more and everything that came has been shown."""
    app = cast(WenchangApp, pilot.app)

    def is_still() -> bool:
        watch = app._watching._worker
        return not any(worker.is_running for worker in app.workers if worker is not watch)

    await until(pilot, lambda: not isinstance(app.screen, OpeningScreen))
    await until(pilot, is_still)
    await pilot.pause()
    while not is_still():  # what came may have led to more
        await until(pilot, is_still)
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, then wait until they have had their effect. Words are typed at once, as a fast typist would."""
    for is_word, group in groupby(keys, key=lambda key: len(key) == 1 and key.isalnum()):
        if is_word:
            for key in group:
                pilot.app.post_message(events.Key(key, key))
            await pilot.pause()
        else:
            await pilot.press(*group)
    await settled(pilot)


async def steps(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await press(pilot, key)


def keys_of(rows: RowList[Any]) -> list[str]:
    """The keys of all rows."""
    return [rows._key(row) for row in rows.rows]


def has_focus(widget: Widget) -> bool:
    """Whether keys go to that widget now."""
    return widget.screen.focused is widget


def shown(widget: Widget) -> str:
    """What a widget, or the whole screen, has drawn."""
    return "\n".join(strip.text for strip in widget.app.screen._compositor.render_strips(widget.app.size))

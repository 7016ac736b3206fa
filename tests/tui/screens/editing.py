"""Driving the Edit screen: a store with a curated file and one of the agent's, and somebody else who writes in it."""

import json
from dataclasses import replace
from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.model.curation import KEY, Interrupted, agent_deletes, agent_writes
from tests.tui.screens.drive import grants, press, settled, shown, until, workspace
from wenchang.storage import Storage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.settings import Settings
from wenchang_tui.screens.edit import EditScreen

__all__ = ["BODY", "KEY", "NOTES", "Interrupted", "agent_deletes", "agent_writes", "app_over", "content_of"]

NOTES = "user/u/notes/day.md"
BODY = "- [system] one\n- [system] two\n- [system] three\n- [system] four\n"
SETTINGS = grants(user="u")
_NAMES = {" ": "space", "-": "minus", "[": "left_square_bracket", "]": "right_square_bracket", "\n": "enter",
          ".": "full_stop", "/": "slash", ",": "comma", "!": "exclamation_mark", "_": "underscore"}  # fmt: skip


def stored() -> Interrupted:
    """A curated file and one of the agent's own."""
    storage = Interrupted()
    agent_writes(storage, BODY, aliases=("a", "b"))
    agent_writes(storage, "- [stated] rain\n", NOTES, "The day")
    return storage


def app_over(storage: Storage, settings: Settings = SETTINGS) -> WenchangApp:
    """The app over a store that lasts."""
    return WenchangApp(replace(workspace(storage, settings, name="here"), kind="folder"))


def screen(app: App[Any]) -> EditScreen:
    """The Edit screen, in sight or below a dialog."""
    found = next(screen for screen in reversed(app.screen_stack) if isinstance(screen, EditScreen))
    assert isinstance(found, EditScreen)
    return found


def content_of(storage: Storage, key: str = KEY) -> tuple[bytes, str, list[str]] | None:
    """Body, description and aliases of what stands there."""
    found = storage.get(key)
    if found is None:
        return None
    return found.data, found.metadata["description"], json.loads(found.metadata["aliases"])


async def at_desk(pilot: Pilot[None]) -> None:
    """Go to Edit."""
    await settled(pilot)
    await press(pilot, "3")


async def at_file(pilot: Pilot[None], key: str = KEY) -> None:
    """Go to Edit, and open a file."""
    await at_desk(pilot)
    screen(pilot.app).open_file(key)
    await until(pilot, lambda: screen(pilot.app).edit is not None)
    await reviewed(pilot)


async def write(pilot: Pilot[None], text: str) -> None:
    """Type a text, and wait until it was looked at."""
    await _type(pilot, text)
    await reviewed(pilot)


async def keys(pilot: Pilot[None], *names: str) -> None:
    """Press keys one by one, and wait until everything that follows from them has happened."""
    for name in names:
        await pilot.press(name)
        await settled(pilot)


async def reviewed(pilot: Pilot[None]) -> None:
    """Let what stands in the form be looked at and kept at once, and wait until it was."""
    edit = screen(pilot.app)
    await settled(pilot)
    edit.pane.review_now()
    await settled(pilot)
    edit.keeping.at_once()
    await settled(pilot)
    assert edit._review is not None
    assert edit._review.edit == edit.typed()


async def fill(pilot: Pilot[None], field: str, text: str) -> None:
    """Replace what stands in a one-line field, by typing."""
    box = pilot.app.screen.query_one(f"#{field}", Input)
    pilot.app.screen.set_focus(box)
    box.action_end()
    box.action_delete_left_all()
    await _type(pilot, text)
    await settled(pilot)


async def _type(pilot: Pilot[None], text: str) -> None:
    """Type at once, as a fast typist would."""
    for character in text:
        pilot.app.post_message(events.Key(_NAMES.get(character, character), character))
    await settled(pilot)


async def store_tells(pilot: Pilot[None], *changed: str) -> None:
    """The watch says that files changed."""
    app = pilot.app
    assert isinstance(app, WenchangApp)
    app._store_changed(frozenset(changed))
    await settled(pilot)


def said(app: App[Any]) -> str:
    """All that was said in passing."""
    return "\n".join(f"{notice.title}: {notice.message}" for notice in app._notifications)


def badges(app: App[Any]) -> str:
    """The bars at the top."""
    return "\n".join(shown(app.screen).split("\n")[:2])

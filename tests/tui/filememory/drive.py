"""Driving the app over a file memory."""

from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from wenchang_tui.app import WenchangApp
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.settings import Settings
from wenchang_tui.screens.flat import FlatScreen
from wenchang_tui.screens.flat_editor import FlatEditor


def app_over(root: Path, **settings: Any) -> WenchangApp:
    """The app with a folder open, whose name does not depend on where it lies."""
    return WenchangApp(FlatFolder("demo", "demo", root, Settings(**settings)))


def flat(app: App[None]) -> FlatScreen:
    """The screen of the file memory, when it is the one in sight."""
    assert isinstance(app.screen, FlatScreen)
    return app.screen


def editor(app: App[None]) -> FlatEditor:
    """The editor, when it is the one in sight."""
    assert isinstance(app.screen, FlatEditor)
    return app.screen


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type into what has the focus."""
    await pilot.press(*("space" if character == " " else character for character in text))

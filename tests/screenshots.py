"""Makes the pictures in `screenshots/` from the running app: `python -m tests.screenshots [NAME…]`.

The store is the demo in memory, so that a picture changes only when the app does.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from textual.app import App
from textual.pilot import Pilot

from tests.tui.screens.drive import browse, demo_workspace, press, settled, until
from tests.tui.screens.test_agent_looks import serving
from wenchang.core import MemoryStore
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.health import HealthScreen
from wenchang_tui.widgets.themes import LIGHT

FOLDER = Path(__file__).parent.parent / "screenshots"
SIZE = (120, 36)
CHARACTERS = "project/p-ninth-examination/characters/"

Scene = Callable[[Pilot[None]], Awaitable[object]]


async def at_lin_qiao(pilot: Pilot[None]) -> None:
    """One area, and the protagonist under the cursor."""
    browse(pilot.app).tree_list.reveal(CHARACTERS)
    await settled(pilot)
    await press(pilot, "tab", *["down"] * 8)


async def on_paper(pilot: Pilot[None]) -> None:
    """The same in the light theme."""
    await at_lin_qiao(pilot)
    pilot.app.theme = LIGHT.name
    await pilot.pause()


async def at_the_cut(pilot: Pilot[None]) -> None:
    """The index, where it stops."""
    await press(pilot, "2", "t")


async def watching(pilot: Pilot[None]) -> None:
    """Calls of an agent, and what one of them changed."""
    await serving(pilot)


async def checked(pilot: Pilot[None]) -> None:
    """The one thing wrong with the demo."""
    await press(pilot, "5")
    await until(pilot, lambda: isinstance(pilot.app.screen, HealthScreen))
    await settled(pilot)


async def operating(pilot: Pilot[None]) -> None:
    """An entity before it is handed over or erased."""
    await at_lin_qiao(pilot)
    await press(pilot, "6")
    await settled(pilot)


async def editing(pilot: Pilot[None]) -> None:
    """A curated file in the editor."""
    browse(pilot.app).tree_list.reveal("organization/o-hanlin-press/system/")
    await settled(pilot)
    await press(pilot, "tab", "e")
    await settled(pilot)


async def colliding(pilot: Pilot[None]) -> None:
    """Two people changed a curated file, and what becomes of both."""
    await editing(pilot)
    await press(pilot, "down", "end", *" Oxford, not Cambridge.")
    opened = cast(WenchangApp, pilot.app).opened
    assert isinstance(opened, Workspace)
    store = MemoryStore(opened.storage, clock=lambda: datetime(2026, 2, 20, 9, 30, tzinfo=UTC))
    path = "organization/o-hanlin-press/system/house-style.md"
    line = "- [system] The serial comma is used only where a sentence needs it."
    store.append_line(path, line, store.read_file(path).version, source="diya-desk")
    await press(pilot, "ctrl+s")
    await until(pilot, lambda: pilot.app.screen.is_modal)
    await settled(pilot)


SCENES: dict[str, Scene] = {
    "browse": at_lin_qiao,
    "browse-light": on_paper,
    "index": at_the_cut,
    "edit": editing,
    "conflict": colliding,
    "agent": watching,
    "health": checked,
    "operate": operating,
}


def demo_app() -> App[None]:
    """The app on the demo, with an index small enough to be cut."""
    return WenchangApp(demo_workspace(Settings(grants=DEMO_IDENTITY.grants, index_bytes=4_096)))


async def picture(scene: Scene) -> str:
    """An SVG of the app, once a scene is set. It names no address: the font is the reader's own."""
    app = demo_app()
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await scene(pilot)
        await settled(pilot)
        drawn = app.export_screenshot(title="wenchang", simplify=True)
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).replace("Fira Code", "ui-monospace")


async def main(names: list[str]) -> None:
    """Make the pictures that are named, or all. They show nothing of whoever makes them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
        for name in names or SCENES:
            (FOLDER / f"{name}.svg").write_text(await picture(SCENES[name]), encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

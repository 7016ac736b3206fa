"""Makes the pictures in `screenshots/` from the running app: `python -m tests.screenshots [NAME…]`.

The store is the demo, in memory or in a bucket of the emulator, so that a picture changes only when the app does.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from textual.pilot import Pilot

from tests.gcs.conftest import client_of
from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import running_proxy
from tests.tui.screens.drive import browse, demo_workspace, press, settled, until
from tests.tui.screens.test_agent_looks import serving
from wenchang.core import MemoryStore
from wenchang.storage import ObjectVersion
from wenchang.storage.gcs import GcsStorage, open_bucket
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY, build_demo
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, workspace_over
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
    await press(pilot, "2", "z")


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


async def in_a_bucket(pilot: Pilot[None]) -> None:
    """A file in a bucket, and what lies in one place counted on request."""
    browse(pilot.app).tree_list.reveal("project/")
    await settled(pilot)
    await browse(pilot.app).tree_list.run_action("count")
    await at_lin_qiao(pilot)


async def among_versions(pilot: Pilot[None]) -> None:
    """What a file was before, and what changed since."""
    opened = cast(WenchangApp, pilot.app).opened
    assert isinstance(opened, Workspace)
    key, days = f"{CHARACTERS}lin-qiao.md", iter(range(14, 20))
    store = MemoryStore(opened.storage, clock=lambda: datetime(2026, 2, next(days), 9, 30, tzinfo=UTC))
    for line in ("Counts the cracks in a ceiling before he signs anything.", "Writes with his left hand."):
        store.append_line(key, f"- [observed] {line}", store.read_file(key).version, source="inkwell-web")
    await at_lin_qiao(pilot)
    await press(pilot, "v", "down", "down")


async def before_a_purge(pilot: Pilot[None]) -> None:
    """What a purge takes, and what it leaves to the bucket."""
    await operating(pilot)
    await pilot.app.screen.run_action("purge")


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


BUCKET_SCENES: dict[str, Scene] = {
    "bucket-browse": in_a_bucket,
    "bucket-index": at_the_cut,
    "bucket-versions": among_versions,
    "bucket-operate": before_a_purge,
}
BUCKET = "hanlin-memory"
SETTINGS = Settings(grants=DEMO_IDENTITY.grants, index_bytes=4_096)


async def picture(name: str) -> str:
    """An SVG of the app in the scene of that name, on the demo with an index small enough to be cut."""
    if name in SCENES:
        return await _drawn(demo_workspace(SETTINGS), SCENES[name])
    with running_emulator() as port, running_proxy(port) as proxy:
        os.environ["STORAGE_EMULATOR_HOST"] = proxy.url
        bucket = client_of(proxy.url).bucket(BUCKET)
        bucket.versioning_enabled = True
        bucket.create()
        storage = Dated(open_bucket(BUCKET))
        build_demo(storage)
        workspace = workspace_over(f"gs://{BUCKET}", "bucket", storage, SETTINGS, None)
        return _as_ever(await _drawn(workspace, BUCKET_SCENES[name]))


async def _drawn(workspace: Workspace, scene: Scene) -> str:
    """What is on screen once a scene is set. It names no address: the font is the reader's own."""
    app = WenchangApp(workspace)
    if workspace.kind == "bucket":
        app.stopping.set()  # or what was listed is listed again, some time
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await scene(pilot)
        await settled(pilot)
        drawn = app.export_screenshot(title="wenchang", simplify=True)
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).replace("Fira Code", "ui-monospace")


def _as_ever(drawn: str) -> str:
    """The same with other generations, which a bucket gives anew each time, in their order."""
    for number, found in enumerate(sorted(set(re.findall(r"\b1\d{15}\b", drawn)))):
        drawn = drawn.replace(found, f"1771579800{number:06}")
    return re.sub(r"terminal-\d+", "terminal-bucket", drawn)


class Dated(GcsStorage):
    """A bucket whose versions were written on days of February."""

    def list_versions(self, key: str) -> Sequence[ObjectVersion]:
        dated: list[ObjectVersion] = []
        replaced: datetime | None = None
        for day, row in zip(range(15, 0, -1), super().list_versions(key), strict=False):
            dated.append(replace(row, written=datetime(2026, 2, day, 9, 30, tzinfo=UTC), replaced=replaced))
            replaced = dated[-1].written
        return dated


async def main(names: list[str]) -> None:
    """Make the pictures that are named, or all. They show nothing of whoever makes them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
        for name in names or (*SCENES, *BUCKET_SCENES):
            (FOLDER / f"{name}.svg").write_text(await picture(name), encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

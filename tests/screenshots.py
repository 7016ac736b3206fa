"""Makes the pictures in `screenshots/` from the running app: `python -m tests.screenshots [NAME…]`.

The store is the demo, in memory or in a bucket of the emulator, so that a picture changes only when the app does.
`session` is a recording: one SVG that shows its frames one after the other.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape, unescape
from itertools import groupby
from pathlib import Path
from typing import cast

from rich.cells import cell_len
from textual.command import CommandList
from textual.pilot import Pilot

from tests.gcs.conftest import client_of
from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import running_proxy
from tests.tui.screens.drive import browse, demo_workspace, press, settled, until
from tests.tui.screens.test_agent_looks import URL, asking, serving
from wenchang.core import MemoryStore
from wenchang.storage import ObjectVersion
from wenchang.storage.gcs import GcsStorage, open_bucket
from wenchang_tui.agent.setups import http_setups
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY, build_demo
from wenchang_tui.model.flat_demo import build_flat_demo
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, workspace_over
from wenchang_tui.screens.agent_setup import SetupScreen
from wenchang_tui.screens.health import HealthScreen
from wenchang_tui.screens.payload import PayloadScreen
from wenchang_tui.widgets.themes import LIGHT

FOLDER = Path(__file__).parent.parent / "screenshots"
SIZE = (120, 36)
CELL = 12.2
"""How wide Rich draws a cell."""
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


async def asking_for_help(pilot: Pilot[None]) -> None:
    """What can be done on Browse."""
    await press(pilot, "question_mark")


async def connecting(pilot: Pilot[None]) -> None:
    """What a client needs to reach the server, and no token in sight."""
    screen = await serving(pilot)
    rules = [("serves", "user=u-tianlong (owner)"), ("policy", screen.policy())]
    pilot.app.push_screen(SetupScreen(http_setups(URL), "never-shown", rules))
    await settled(pilot)


async def waiting(pilot: Pilot[None]) -> None:
    """A change of an agent that waits for a person."""
    await asking(pilot)


async def finding_a_command(pilot: Pilot[None]) -> None:
    """Every command that a word is about."""
    await press(pilot, "colon", *"file")
    await until(pilot, lambda: pilot.app.screen.query_one(CommandList).option_count > 1)


async def at_the_payload(pilot: Pilot[None]) -> None:
    """The index as it is sent, laid out for reading."""
    await at_the_cut(pilot)
    await press(pilot, "J")
    await until(pilot, lambda: isinstance(pilot.app.screen, PayloadScreen))
    await press(pilot, "f")


async def welcomed(pilot: Pilot[None]) -> None:
    """What can be opened, when nothing is."""
    await pilot.pause()


async def on_a_walk(pilot: Pilot[None]) -> None:
    """A note of a file memory."""
    await press(pilot, *["down"] * 4)


async def as_an_agent_gets_it(pilot: Pilot[None]) -> None:
    """The index of a file memory."""
    await press(pilot, "a")


SCENES: dict[str, Scene] = {
    "browse": at_lin_qiao,
    "browse-light": on_paper,
    "index": at_the_cut,
    "edit": editing,
    "conflict": colliding,
    "agent": watching,
    "health": checked,
    "operate": operating,
    "connect": connecting,
    "gate": waiting,
    "palette": finding_a_command,
    "payload": at_the_payload,
    "help": asking_for_help,
    "welcome": welcomed,
    "filememory": on_a_walk,
    "filememory-index": as_an_agent_gets_it,
}
RECORDING: tuple[Scene, ...] = (
    lambda pilot: press(pilot),
    lambda pilot: press(pilot, "down", "down", "right"),
    lambda pilot: press(pilot, "down", "right"),
    lambda pilot: press(pilot, "down", "down"),
    lambda pilot: press(pilot, "tab", *["down"] * 8),
    lambda pilot: press(pilot, "down", "down", "down"),
    lambda pilot: press(pilot, "s", *"ferry", "enter"),
    lambda pilot: press(pilot, "escape", "2"),
    at_the_cut,
    lambda pilot: press(pilot, "L", "ctrl+u", *"6000", "enter", "z"),
    serving,
    lambda pilot: press(pilot, "up", "up"),
    checked,
)
"""A session, frame by frame; each goes on where the one before ended."""
SECONDS = 2.0

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
        with tempfile.TemporaryDirectory() as folder:
            return (await _drawn(_app(name, Path(folder)), [SCENES[name]]))[0]
    with running_emulator() as port, running_proxy(port) as proxy:
        os.environ["STORAGE_EMULATOR_HOST"] = proxy.url
        bucket = client_of(proxy.url).bucket(BUCKET)
        bucket.versioning_enabled = True
        bucket.create()
        storage = Dated(open_bucket(BUCKET))
        build_demo(storage)
        workspace = workspace_over(f"gs://{BUCKET}", "bucket", storage, SETTINGS, None)
        app = WenchangApp(workspace)
        app.stopping.set()  # or what was listed is listed again, some time
        return _as_ever((await _drawn(app, [BUCKET_SCENES[name]]))[0])


def _app(name: str, folder: Path) -> WenchangApp:
    """The app as a scene begins: with nothing open, on a file memory in `folder`, or on the demo."""
    if name == "welcome":
        return WenchangApp(None, ["~/novel/memory", "gs://hanlin-memory"])
    if name.startswith("filememory"):
        build_flat_demo(folder)
        return WenchangApp(FlatFolder("demo", "demo", folder, Settings()))
    return WenchangApp(demo_workspace(SETTINGS))


async def recording() -> str:
    """An SVG that shows the frames of `RECORDING` one after the other, over and over."""
    frames = await _drawn(_app("session", Path()), RECORDING)
    style = (
        f".frame {{ visibility: hidden; animation: frame {SECONDS * len(frames)}s step-end infinite; }}"
        " .frame:first-of-type { visibility: visible; } @keyframes frame { 0% { visibility: visible; }"
        f" {100 / len(frames):.3f}% {{ visibility: hidden; }} 100% {{ visibility: hidden; }} }}"
    )
    groups = (
        f'<g class="frame" style="animation-delay: {number * SECONDS}s">{_inside(frame)}</g>'
        for number, frame in enumerate(frames)
    )
    return f"{frames[0].partition('>')[0]}><style>{style}</style>{''.join(groups)}</svg>\n"


def _inside(svg: str) -> str:
    return svg.partition(">")[2].rpartition("</svg>")[0]


async def _drawn(app: WenchangApp, scenes: Sequence[Scene]) -> list[str]:
    """What is on screen once each scene is set. It names no address: the font is the reader's own."""
    drawn: list[str] = []
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        for scene in scenes:
            await scene(pilot)
            await settled(pilot)
            svg = app.export_screenshot(title="wenchang", simplify=True)
            svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "ui-monospace")
            drawn.append(_TEXT.sub(_in_cells, svg))
    return drawn


_TEXT = re.compile(r'<text (class="[^"]*") x="([\d.]+)" (y="[\d.]+") textLength="[\d.]+" ([^>]*)>([^<]*)</text>')


def _in_cells(text: re.Match[str]) -> str:
    """A text whose wide characters are two cells wide: Rich counts one for each, and squeezes the line."""
    kind, x, y, rest, shown = text.groups()
    plain = unescape(shown)
    if cell_len(plain) == len(plain):
        return text[0]
    at, pieces = float(x), ""
    for _, run in groupby(plain, key=lambda character: cell_len(character) > 1):
        part = "".join(run)
        width = cell_len(part) * CELL
        drawn = escape(part).replace("\xa0", "&#160;")
        pieces += f'<text {kind} x="{at:g}" {y} textLength="{width:g}" {rest}>{drawn}</text>'
        at += width
    return pieces


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
    for name in names or (*SCENES, *BUCKET_SCENES, "session"):
        with tempfile.TemporaryDirectory() as home:
            os.environ.update(HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
            svg = await (recording() if name == "session" else picture(name))
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

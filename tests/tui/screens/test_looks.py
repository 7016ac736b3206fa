"""How the screens look, over a demo that is always the same: in both themes, at the smallest size and a large one."""

from collections.abc import Callable

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.screens.drive import browse, demo_workspace, press, settled, steps
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import DEMO_IDENTITY
from wenchang_tui.model.settings import Settings
from wenchang_tui.widgets.themes import LIGHT

SMALL, LARGE = (80, 24), (140, 40)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x40"])
CHARACTERS = "project/p-ninth-examination/characters/"

SnapCompare = Callable[..., bool]


def app(index_bytes: int = 65_536) -> App[None]:
    return WenchangApp(demo_workspace(Settings(grants=DEMO_IDENTITY.grants, index_bytes=index_bytes)))


async def at_a_file(pilot: Pilot[None]) -> None:
    await settled(pilot)
    browse(pilot.app).tree_list.reveal(CHARACTERS)
    await settled(pilot)
    await press(pilot, "tab", "down", "down", "down")


@SIZES
def test_browse(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app(4_000), terminal_size=size, run_before=at_a_file)


def test_browse_on_paper(snap_compare: SnapCompare) -> None:
    async def light(pilot: Pilot[None]) -> None:
        await at_a_file(pilot)
        pilot.app.theme = LIGHT.name
        await pilot.pause()

    assert snap_compare(app(4_000), terminal_size=LARGE, run_before=light)


@SIZES
def test_index(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def at_the_cut(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "2", "z")

    assert snap_compare(app(4_000), terminal_size=size, run_before=at_the_cut)


def test_index_on_paper(snap_compare: SnapCompare) -> None:
    async def light(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "2")
        pilot.app.theme = LIGHT.name
        await pilot.pause()

    assert snap_compare(app(4_000), terminal_size=LARGE, run_before=light)


def test_search(snap_compare: SnapCompare) -> None:
    async def search(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "s", *"salt", "enter")

    assert snap_compare(app(), terminal_size=SMALL, run_before=search)


def test_help(snap_compare: SnapCompare) -> None:
    async def ask(pilot: Pilot[None]) -> None:
        await at_a_file(pilot)
        await press(pilot, "question_mark")

    assert snap_compare(app(), terminal_size=LARGE, run_before=ask)


def test_copying(snap_compare: SnapCompare) -> None:
    async def copy(pilot: Pilot[None]) -> None:
        await at_a_file(pilot)
        await steps(pilot, "c")

    assert snap_compare(app(), terminal_size=SMALL, run_before=copy)


def test_payload(snap_compare: SnapCompare) -> None:
    async def payload(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "2")
        await steps(pilot, "J")

    assert snap_compare(app(), terminal_size=SMALL, run_before=payload)


def test_welcome(snap_compare: SnapCompare) -> None:
    assert snap_compare(WenchangApp(None, ["/home/me/memory"]), terminal_size=SMALL)

"""How the Edit screen and its dialogs look, at the smallest size and a large one."""

from textual.pilot import Pilot

from tests.tui.screens.drive import demo_workspace, put, settled
from tests.tui.screens.editing import at_desk, at_file, keys, screen, write
from tests.tui.screens.test_looks import LARGE, SIZES, SMALL, SnapCompare
from wenchang_tui.app import WenchangApp
from wenchang_tui.widgets.themes import LIGHT

KEY = "user/u-tianlong/system/working-with-tianlong.md"


def app() -> WenchangApp:
    return WenchangApp(demo_workspace())


async def writing(pilot: Pilot[None]) -> None:
    await at_file(pilot, KEY)
    await write(pilot, "- [stated] He reads aloud.\n- [guess] at night\n")
    await keys(pilot, "up")


async def conflict(pilot: Pilot[None]) -> None:
    await writing(pilot)
    storage = screen(pilot.app).workspace.storage
    found = storage.get(KEY)
    assert found is not None
    body = found.data.decode().replace("Never write", "Never ever write").replace("show both", "show them")
    put(storage, KEY, body, "How he likes to be helped", aliases='["ground rules"]')
    await keys(pilot, "ctrl+s")


@SIZES
def test_the_desk(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=at_desk)


@SIZES
def test_writing(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=writing)


def test_writing_on_paper(snap_compare: SnapCompare) -> None:
    async def light(pilot: Pilot[None]) -> None:
        await writing(pilot)
        pilot.app.theme = LIGHT.name
        await settled(pilot)

    assert snap_compare(app(), terminal_size=SMALL, run_before=light)


@SIZES
def test_merging(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=conflict)


def test_a_place_for_a_new_file(snap_compare: SnapCompare) -> None:
    async def new(pilot: Pilot[None]) -> None:
        await at_desk(pilot)
        await keys(pilot, "ctrl+n", "slash")

    assert snap_compare(app(), terminal_size=SMALL, run_before=new)


def test_deleting(snap_compare: SnapCompare) -> None:
    async def delete(pilot: Pilot[None]) -> None:
        await at_file(pilot, KEY)
        await keys(pilot, "f8")

    assert snap_compare(app(), terminal_size=SMALL, run_before=delete)


def test_as_the_agent_sees_it(snap_compare: SnapCompare) -> None:
    async def ask(pilot: Pilot[None]) -> None:
        await at_file(pilot, KEY)
        await keys(pilot, "f3")

    assert snap_compare(app(), terminal_size=LARGE, run_before=ask)

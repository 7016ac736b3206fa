"""How a file memory looks, over its demo, at the smallest size and a large one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.filememory.drive import app_over
from tests.tui.screens.drive import settled, steps

SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])

SnapCompare = Callable[..., bool]


@SIZES
@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(("down", "down", "down", "down"), id="files"),
        pytest.param(("a",), id="index"),
        pytest.param(("s", *"monaster", "tab"), id="search"),
        pytest.param((*("down",) * 4, "e"), id="editor"),
    ],
)
def test_looks(snap_compare: SnapCompare, demo_folder: Path, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async def drive(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await steps(pilot, *keys)

    assert snap_compare(app_over(demo_folder), terminal_size=size, run_before=drive)


def test_a_conflict(snap_compare: SnapCompare, demo_folder: Path) -> None:
    async def drive(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await steps(pilot, "down", "down", "e", "x")
        (demo_folder / "glossary.md").write_bytes(b"li: half a kilometre.\n")
        await steps(pilot, "ctrl+s")

    assert snap_compare(app_over(demo_folder), terminal_size=(80, 24), run_before=drive)

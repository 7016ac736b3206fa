"""The demo of a file memory: notes that an agent took for a walk along an old road. Always the same.

As folders of this kind grow: more files than the index holds, an index that another program wrote with its own line
ends, a description under an older name, a clipping that is no UTF-8, a description whose file is gone.
"""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

from wenchang_tui.model.demo_folder import new_demo_folder
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import OpenError, describe
from wenchang_tui.model.settings import Settings

_FILE_MARK = "=== "
_MODE = 0o600
_STATIONS = 48
_FIRST_NOTE = datetime.fromisoformat("2026-03-03T19:00:00Z")
_LAST_NOTE = datetime.fromisoformat("2026-04-20T20:00:00Z")

_PLACES = ("East Ford", "Stone Reach", "Heron Hill", "Nine Wells", "Salt Gate", "Linping", "Two Pines")
_LODGINGS = ("an inn with a dry bed", "an inn without one", "the monastery", "a farm", "a stable, swept for us")
_SIGHTS = (
    "a stele with half of its names",
    "a bridge that the maps do not know",
    "mulberries on both sides of the road",
    "a gate without a wall",
)


def open_flat_demo(settings: Settings, *, keep: bool = False) -> FlatFolder:
    """A fresh copy of the demo in a temporary folder, which goes when the process ends unless `keep`.

    Raises `OpenError`.
    """
    try:
        root = new_demo_folder(keep=keep) / "memory"
        root.mkdir()
        build_flat_demo(root)
    except OSError as error:
        raise OpenError(describe(error)) from error
    return FlatFolder("demo-filememory", "demo", root, settings)


def build_flat_demo(root: Path) -> None:
    """Write the demo into an empty folder, with the times that it always has."""
    for name, description, updated, body in (*_written(), *_stations()):
        _put(root / name, body, updated)
        if description:
            _put(root / f"{name}_description.md", description, updated)
    _put(root / "old-maps.txt", "Sheet 7 shows the road west of the river. Sheet 8 shows the river.\n", _LAST_NOTE)
    _put(root / "old-maps_description.md", "Which sheet shows what", _LAST_NOTE)
    _put(root / "memories.md", _index(root), _LAST_NOTE)
    # What came after the index was written is not in it.
    _put(root / "clipping.txt", "Le relais de poste a \u00e9t\u00e9 ferm\u00e9 en 1903.\n", _LAST_NOTE, "latin-1")
    _put(root / "mule.md_description.md", "What is known about the mule", _LAST_NOTE)


def _put(path: Path, text: str, updated: datetime, encoding: str = "utf-8") -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    path.chmod(_MODE)
    os.utime(path, (updated.timestamp(), updated.timestamp()))


def _written() -> Iterator[tuple[str, str, datetime, str]]:
    """The files that somebody thought about: name, description, time, body."""
    text = files("wenchang_tui.model").joinpath("flat_demo.txt").read_text(encoding="utf-8")
    for part in text.split(_FILE_MARK)[1:]:
        head, _, body = part.partition("\n\n")
        name, _, fields = head.partition("\ndescription:")
        description, _, updated = fields.rpartition("\nupdated: ")
        yield name, description.strip(), datetime.fromisoformat(updated), body.rstrip("\n") + "\n"


def _stations() -> Iterator[tuple[str, str, datetime, str]]:
    """One note for each day on the road. The tables have lengths without a common factor."""
    for number in range(1, _STATIONS + 1):
        place, sight = _PLACES[number % len(_PLACES)], _SIGHTS[number % len(_SIGHTS)]
        lodging = _LODGINGS[number % len(_LODGINGS)]
        body = f"# Station {number}: {place}\n\nSlept in {lodging}. Seen on the way: {sight}.\n"
        walked = f"Walked {38 + number * 7 % 23} li, {'uphill' if number % 3 else 'by the river'}.\n"
        updated = _FIRST_NOTE + timedelta(days=number - 1)
        yield f"station-{number:02}.md", f"Day {number}, to {place}: {lodging}", updated, body + walked


def _index(root: Path) -> str:
    """The index as it is now, in the way of a program that writes a byte-order mark and its system's line ends."""
    from wenchang.filememory import FileMemoryProvider  # needs the extra `filememory`

    with FileMemoryProvider(root) as provider:
        provider.rebuild_index()
    made = (root / "memories.md").read_bytes().decode()
    return "\ufeff" + made.replace("\n", "\r\n")

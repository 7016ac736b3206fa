"""The demo store: what an agent remembers of Tianlong's novel, *The Ninth Examination*. What everybody sees first.

The texts stand in `demo_store.txt`, one file after the other; here they are written into a storage, always the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from itertools import product

from wenchang.core import DEFAULT_MAX_FILE_BYTES
from wenchang.file_format import FileMetadata, metadata_to_map
from wenchang.identity import Identity, ScopeGrant
from wenchang.storage import Storage

DEMO_IDENTITY = Identity(
    {
        "user": ScopeGrant("u-tianlong", "owner"),
        "project": ScopeGrant("p-ninth-examination", "member"),
        "organization": ScopeGrant("o-hanlin-press", "member"),
    }
)
DEMO_WRITE_ROLES = {"organization": frozenset({"admin", "owner"})}

MALFORMED_KEY = "project/p-river-of-salt/notes/abandoned-draft.md"
_MALFORMED_BODY = b"- [stated] Tianlong's first novel. Nobody is to mention it.\n"
# As a careless tool would have left it: no aliases.
_MALFORMED_METADATA = {
    "description": "The novel before this one",
    "sources": '["old-importer"]',
    "last-updated": "2025-11-30T12:00:00Z",
}

_FILE_MARK = "=== "
_ROLL = "project/p-ninth-examination/research/candidates-roll.md"


@dataclass(frozen=True, slots=True)
class DemoFile:
    """One file of the demo, with the metadata that it shall end up with."""

    path: str
    description: str
    aliases: tuple[str, ...]
    sources: tuple[str, ...]
    updated: datetime
    body: str


def build_demo(storage: Storage) -> None:
    """Write the demo into an empty storage: the same files, texts and times every time."""
    for file in demo_files():
        metadata = FileMetadata(file.description, file.aliases, frozenset(file.sources), file.updated)
        storage.put(file.path, file.body.encode(), metadata_to_map(metadata))
    storage.put(MALFORMED_KEY, _MALFORMED_BODY, _MALFORMED_METADATA)


def demo_files() -> list[DemoFile]:
    """Every readable file of the demo, in the order of the text."""
    text = files("wenchang_tui.model").joinpath("demo_store.txt").read_text(encoding="utf-8")
    return [_parse(part) for part in text.split(_FILE_MARK)[1:]]


def _parse(part: str) -> DemoFile:
    head, _, body = part.partition("\n\n")
    path, *lines = head.split("\n")
    fields = dict(line.split(": ", 1) for line in lines)
    body = body.rstrip("\n") + "\n"
    return DemoFile(
        path,
        fields["description"],
        tuple(fields["aliases"].split(" | ")),
        tuple(fields["sources"].split(" | ")),
        datetime.fromisoformat(fields["updated"]),
        body + _roll(len(body.encode())) if path == _ROLL else body,
    )


def _roll(taken: int) -> str:
    """The candidates, as many as fit beside `taken` bytes into one file: the demo's file that is all but full."""
    lines = ""
    for line in _candidates():
        if taken + len(lines.encode()) + len(line.encode()) > DEFAULT_MAX_FILE_BYTES:
            break
        lines += line
    return lines


_ROWS = ("Heaven", "Earth", "Dark", "Yellow", "Eaves", "Cosmos", "Flood", "Waste")
_FAMILIES = ("An", "Bai", "Cao", "Deng", "Fang", "Guo", "Hu", "Jiang", "Kong", "Liang", "Ma", "Ning", "Ouyang")
_GIVEN = ("Yi", "Shen", "Rong", "Kai", "Tao", "Wenbo", "Zhi", "Liang", "Mu", "Chen", "Duo")
_TOWNS = ("Yunmen", "Linping", "East Ford", "Stone Reach", "Heron Hill", "Nine Wells", "Salt Gate")
_REMARKS = (
    "first attempt; has brought two lamps and no oil",
    "fourth attempt; greets the gate by name",
    "searched twice, because he laughed",
    "says that he is here for his father, who waits outside",
    "an honest face and a sewn sleeve; the sleeve was empty",
    "asked which cell is the driest, and was told",
    "left his shoes at the gate and would not say why",
    "seventh attempt; has outlived two examiners",
    "reads the notice on the door as if it were a poem",
)


def _candidates() -> Iterator[str]:
    """Lines of the roll, every row of cells in turn. The tables have lengths without a common factor."""
    for number, (row, cell) in enumerate(product(_ROWS, range(1, 41))):
        name = f"{_FAMILIES[number % len(_FAMILIES)]} {_GIVEN[number % len(_GIVEN)]}"
        age = 19 + number * 7 % 41
        town = _TOWNS[number % len(_TOWNS)]
        yield f"- [observed] {row} row, cell {cell}: {name} of {town}, {age}; {_REMARKS[number % len(_REMARKS)]}.\n"

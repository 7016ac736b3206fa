"""Rows of the open app: how soon a key shows where much is listed, and what memory much takes."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.benchmarks import stores
from tests.benchmarks.measuring import Benchmark, LeftOutError, Pair, Place
from tests.benchmarks.starting import BARE_APP, wenchang
from tests.benchmarks.terminal import Terminal, running
from wenchang.storage.filesystem import FilesystemStorage

BARE_LINES = """
from rich.segment import Segment
from textual.app import App
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

class Lines(ScrollView, can_focus=True):
    BINDINGS = [("down", "down", "down")]
    at = 0

    def on_mount(self):
        self.virtual_size = Size(100, 100_000)

    def action_down(self):
        self.at += 1
        self.refresh()

    def render_line(self, y):
        number = y + self.scroll_offset.y
        mark = ">" if number == self.at else " "
        return Strip([Segment(f"{mark} line {number} of the list with some words behind it".ljust(100))], 100)

class Bare(App):
    def compose(self):
        yield Lines()

Bare().run()
"""

DOWN, TAB, INDEX = b"\x1b[B", b"\t", b"2"
_KEYS = 20
_ROOM = 60 * 2**20
"""The bytes that an open store may take beyond a bare app."""


def shown(place: Place, command: Sequence[str]) -> Terminal:
    """A program on a terminal until the end of the benchmark, when all that it begins with is painted."""
    terminal = place.cleanup.enter_context(running(command))
    terminal.first_paint()
    terminal.settle(2.0)
    return terminal


def program(place: Place, text: str) -> list[str]:
    path = place.folder / "bare.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def step(place: Place, terminal: Terminal) -> float:
    """The mean cost of a step down, of many."""
    keys = place.size(_KEYS, 1)
    return sum(terminal.key(DOWN) for _ in range(keys)) / keys


def key_in_browse(place: Place) -> Pair:
    """One step down in the list of an area of 10,000 files, beside one in a bare list of lines."""
    root = place.folder / "store"
    storage = FilesystemStorage(root, durable=False)
    for number, (_, data, values) in enumerate(stores.memories(place.size(10_000, 30))):
        storage.put(f"user/alice/facts/{number:05}.md", data, values)
    ours, bare = shown(place, wenchang(str(root))), shown(place, program(place, BARE_LINES))
    ours.key(TAB)  # from the tree, which stands on the whole store, to its files
    return Pair(product=partial(step, place, ours), floor=partial(step, place, bare))


def index_of_many(place: Place) -> Terminal:
    """The app on the index of a store of 100,000 files."""
    root = stores.folder_store(place.folder / "store", place.size(100_000, 30))
    terminal = shown(place, wenchang(str(root)))
    terminal.key(INDEX)
    terminal.read_until(rb"[a-z]-0\d{5}\b")
    terminal.settle(2.0)
    return terminal


def key_in_index(place: Place) -> Pair:
    """One step down among the entries, beside one in a bare list of lines."""
    ours, bare = index_of_many(place), shown(place, program(place, BARE_LINES))
    return Pair(product=partial(step, place, ours), floor=partial(step, place, bare))


def memory(place: Place) -> Pair:
    """What the app takes beyond a bare one, beside the room that there is for it, in bytes."""
    if not Path("/proc/self/status").exists():
        raise LeftOutError("there is no /proc/PID/status to read a process's memory from here")
    ours, bare = index_of_many(place), shown(place, program(place, BARE_APP))
    return Pair(product=lambda: resident(ours.pid) - resident(bare.pid), floor=lambda: float(_ROOM))


def resident(pid: int) -> float:
    """The bytes of a process that are in memory."""
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmRSS:"))
    return 1024 * float(line.split()[1])


ROWS = (
    Benchmark("key", 2.0, key_in_browse, runs=7, at_most=0.05),
    Benchmark("key-index-100000", 2.0, key_in_index, runs=7, at_most=0.05),
    Benchmark("memory-app", 1.0, memory, runs=1),
)

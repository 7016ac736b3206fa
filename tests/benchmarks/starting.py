"""Rows of the app: how soon a command answers, the screen is painted, and a key shows."""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial

from tests.benchmarks import stores
from tests.benchmarks.measuring import Benchmark, Cost, Pair, Place, seconds
from tests.benchmarks.terminal import Terminal, running
from wenchang.storage.filesystem import FilesystemStorage

BARE_APP = """
from textual.app import App
from textual.containers import Horizontal
from textual.widgets import DataTable, Footer, Tree

class Bare(App):
    BINDINGS = [("q", "quit", "quit")]

    def compose(self):
        with Horizontal():
            yield Tree("store")
            yield DataTable()
        yield Footer()

Bare().run()
"""

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
        self.virtual_size = Size(100, 10_000)

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

DOWN, TAB = b"\x1b[B", b"\t"
_KEYS = 20


def wenchang(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "wenchang_tui", *arguments]


def command(arguments: Sequence[str]) -> Cost:
    return seconds(lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL))


def asked(option: str, _: Place) -> Pair:
    return Pair(product=command(wenchang(option)), floor=command([sys.executable, "-c", "pass"]))


def tree(place: Place) -> Pair:
    root = stores.folder_store(place.folder / "store", place.size(500, 10))
    scan = f"from tests.benchmarks import bare; bare.index({str(root)!r})"
    return Pair(product=command(wenchang("tree", str(root))), floor=command([sys.executable, "-c", scan]))


def paint(place: Place) -> Pair:
    program = place.folder / "bare.py"
    program.write_text(BARE_APP)

    def painted(arguments: list[str]) -> float:
        with running(arguments) as terminal:
            return terminal.first_paint()

    return Pair(product=partial(painted, wenchang("--demo")), floor=partial(painted, [sys.executable, str(program)]))


def key_in_browse(place: Place) -> Pair:
    """One step down in the list of an area of 10,000 files, beside one in a bare list of as many lines."""
    root = place.folder / "store"
    storage = FilesystemStorage(root, durable=False)
    for number, (_, data, values) in enumerate(stores.memories(place.size(10_000, 30))):
        storage.put(f"user/alice/facts/{number:05}.md", data, values)
    program = place.folder / "lines.py"
    program.write_text(BARE_LINES)
    ours = place.cleanup.enter_context(running(wenchang(str(root))))
    bare = place.cleanup.enter_context(running([sys.executable, str(program)]))
    for terminal in (ours, bare):
        terminal.first_paint()
        terminal.settle(2.0)
    ours.key(TAB)  # from the tree, which stands on the whole store, to its files
    keys = place.size(_KEYS, 1)

    def step(terminal: Terminal) -> float:
        return sum(terminal.key(DOWN) for _ in range(keys)) / keys

    return Pair(product=partial(step, ours), floor=partial(step, bare))


ROWS = (
    Benchmark("version", 4.0, partial(asked, "--version"), runs=15),
    Benchmark("help", 4.0, partial(asked, "--help"), runs=15),
    Benchmark("tree", 2.5, tree, runs=15),
    Benchmark("paint", 1.3, paint, runs=7),
    Benchmark("key", 2.0, key_in_browse, runs=7, at_most=0.05),
)

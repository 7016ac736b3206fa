"""Rows of a start: how soon a command answers, and the screen is painted."""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial

from tests.benchmarks import stores
from tests.benchmarks.measuring import Benchmark, Cost, Pair, Place, seconds
from tests.benchmarks.terminal import ENVIRONMENT, running

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


def wenchang(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "wenchang_tui", *arguments]


def command(arguments: Sequence[str]) -> Cost:
    return seconds(lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT))


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
        with running(["env", f"TMPDIR={place.folder}", *arguments]) as terminal:  # what is killed leaves its demo there
            return terminal.first_paint()

    return Pair(product=partial(painted, wenchang("--demo")), floor=partial(painted, [sys.executable, str(program)]))


ROWS = (
    Benchmark("version", 4.0, partial(asked, "--version"), runs=15),
    Benchmark("help", 4.0, partial(asked, "--help"), runs=15),
    Benchmark("tree", 2.5, tree, runs=15),
    Benchmark("paint", 1.3, paint, runs=7),
)

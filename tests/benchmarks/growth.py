"""How cost grows with the store: `python -m tests.benchmarks.growth [--small]` draws `screenshots/growth.svg`."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from tests.benchmarks import stores
from tests.benchmarks.local import age, fresh_store
from tests.benchmarks.starting import wenchang
from tests.benchmarks.terminal import running

SIZES = (100, 1_000, 10_000, 100_000)
PICTURE = Path(__file__).parents[2] / "screenshots" / "growth.svg"
MEMORY = "memory of the app"

Figures = Mapping[str, Sequence[float]]
"""For each kind of work, its cost in the store of each size: seconds, and MiB for the memory."""

_MIB = 1 << 20


def measure(sizes: Sequence[int], folder: Path, runs: int) -> dict[str, list[float]]:
    """All costs, in a store that grows."""
    found: dict[str, list[float]] = {}
    for size in sizes:
        root = stores.folder_store(folder / str(size), size)
        age(root)
        for work, cost in costs(root, runs).items():
            found.setdefault(work, []).append(cost)
    return found


def costs(root: Path, runs: int) -> dict[str, float]:
    """What each kind of work costs on a store whose files are in the system's cache: the median of a few runs."""
    tree = wenchang("tree", str(root))
    started = [app(root) for _ in range(runs)]
    page = timed(lambda: fresh_store(root).list_prefix(f"user/alice/{stores.AREAS[0]}/"), runs)
    index = timed(lambda: fresh_store(root).get_memory_index(stores.GRANTS), runs)
    store = fresh_store(root)
    store.get_memory_index(stores.GRANTS)
    return {
        "index": index,
        "index again": timed(lambda: store.get_memory_index(stores.GRANTS), runs),
        "page of an area": page,
        "wenchang tree": timed(lambda: subprocess.run(tree, check=True, capture_output=True), runs),
        "first paint": median(painted for painted, _ in started),
        MEMORY: median(memory for _, memory in started),
    }


def timed(work: Callable[[], object], runs: int) -> float:
    """Seconds."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return median(taken)


def app(root: Path) -> tuple[float, float]:
    """When the app first paints, in seconds, and what it holds of memory once all is quiet, in MiB."""
    with running(wenchang(str(root))) as terminal:
        painted = terminal.first_paint()
        terminal.settle(1.0)
        pages = int(Path(f"/proc/{terminal.pid}/statm").read_text().split()[1])
        return painted, pages * resource.getpagesize() / _MIB


def draw(sizes: Sequence[int], figures: Figures, picture: Path) -> None:
    """Seconds above, memory below, both over the number of files."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.hashsalt": "wenchang", "font.size": 10, "axes.spines.right": False, "axes.spines.top": False}
    )
    from matplotlib import pyplot as plt

    drawing, (seconds, memory) = plt.subplots(2, 1, figsize=(8, 7), height_ratios=(3, 1), sharex=True)
    for work, taken in figures.items():
        axes = memory if work == MEMORY else seconds
        axes.plot(sizes, taken, marker="o", markersize=4)
        axes.annotate(f" {work}", (sizes[-1], taken[-1]), va="center", annotation_clip=False)
    seconds.set(xscale="log", yscale="log", ylabel="seconds")
    memory.set(ylim=(0, None), xlabel="files in the store", ylabel="MiB")
    memory.set_xticks(sizes, [f"{size:,}" for size in sizes])
    for axes in (seconds, memory):
        axes.grid(visible=True, alpha=0.3)
        axes.minorticks_off()
    drawing.subplots_adjust(left=0.1, right=0.8, top=0.97, bottom=0.08, hspace=0.1)
    drawing.savefig(picture, metadata={"Date": None})
    plt.close(drawing)


def main(arguments: Sequence[str]) -> int:
    """Measure, print the figures, and draw them."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument("--small", action="store_true", help="with a few files: to see that it works")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE, help="the picture (default: %(default)s)")
    options = parser.parse_args(arguments)
    sizes, runs = ((3, 6), 1) if options.small else (SIZES, 5)
    with tempfile.TemporaryDirectory(prefix="wenchang-") as folder:
        figures = measure(sizes, Path(folder), runs)
    print(json.dumps({"files": sizes, **figures}))  # noqa: T201
    draw(sizes, figures, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

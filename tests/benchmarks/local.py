"""Rows on a local disk: the index, one page of it, a read and a write, and many processes at once."""

import multiprocessing
import os
import random
from collections.abc import Callable
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path

from tests.benchmarks import bare, stores
from tests.benchmarks.measuring import Benchmark, Cost, LeftOutError, Pair, Place, peak_bytes, seconds
from wenchang import file_format
from wenchang.core import MemoryStore
from wenchang.storage import _folder_scan
from wenchang.storage.filesystem import FilesystemStorage

_DROP_CACHES = "/proc/sys/vm/drop_caches"
_AREA = "user/alice/facts"
_PAGE = 100
_READS = 200
_WRITERS = 8


def forget() -> None:
    """Forget what a process remembers of folders and texts, as if it had just started."""
    _folder_scan._kept_scan.cache_clear()
    file_format._read_texts.cache_clear()
    file_format._render_texts.cache_clear()


def fresh_store(root: Path) -> MemoryStore:
    forget()
    return MemoryStore(FilesystemStorage(root))


def index_fresh(count: int, place: Place) -> Pair:
    root = stores.folder_store(place.folder, place.size(count, 20))
    return Pair(
        product=seconds(lambda: fresh_store(root).get_memory_index(stores.GRANTS)),
        floor=seconds(lambda: bare.index(str(root))),
    )


def index_again(place: Place) -> Pair:
    root = stores.folder_store(place.folder, place.size(10_000, 20))
    age(root)
    store = fresh_store(root)
    store.get_memory_index(stores.GRANTS)
    return Pair(
        product=seconds(lambda: store.get_memory_index(stores.GRANTS)), floor=seconds(lambda: bare.index(str(root)))
    )


def index_memory(place: Place) -> Pair:
    root = stores.folder_store(place.folder, place.size(10_000, 200))
    return Pair(
        product=peak_bytes(lambda: fresh_store(root).get_memory_index(stores.GRANTS)),
        floor=peak_bytes(lambda: bare.entries(str(root))),
    )


def index_cold(place: Place) -> Pair:
    """Both as warm as ever at small size: to drop what is in memory slows down the whole machine."""
    root = stores.folder_store(place.folder, place.size(10_000, 20))
    if not place.is_small and not os.access(_DROP_CACHES, os.W_OK):
        raise LeftOutError(f"{_DROP_CACHES} cannot be written here")
    ours = seconds(lambda: fresh_store(root).get_memory_index(stores.GRANTS))
    floor = seconds(lambda: bare.index(str(root)))
    return Pair(ours, floor) if place.is_small else Pair(cold(ours), cold(floor))


def cold(cost: Cost) -> Cost:
    """The cost with nothing of the disk in memory, which only the administrator of a Linux machine can ask for."""

    def measured() -> float:
        os.sync()
        Path(_DROP_CACHES).write_text("3")
        return cost()

    return measured


def age(root: Path) -> None:
    """Make all folders look as if they had last changed a while ago."""
    for folder, _, _ in os.walk(root):
        moment = os.stat(folder).st_mtime_ns - 60_000_000_123
        os.utime(folder, ns=(moment, moment))


def page(place: Place) -> Pair:
    root = stores.folder_store(place.folder, place.size(10_000, 60))
    return Pair(
        product=seconds(lambda: fresh_store(root).list_prefix(f"{_AREA}/"), 5),
        floor=seconds(lambda: bare.page(str(root / _AREA), _PAGE), 5),
    )


def page_in_larger_store(place: Place) -> Pair:
    """The same area alone, and with 100,000 files beside it: the floor is the product on the smaller store."""
    alone, beside = place.folder / "alone", place.folder / "beside"
    for root in (alone, beside):
        storage = FilesystemStorage(root, durable=False)
        for key, data, values in stores.memories(place.size(10_000, 60)):
            if root is beside or key.startswith(f"{_AREA}/"):
                storage.put(key, data, values)
        age(root)
    return Pair(
        product=seconds(lambda: fresh_store(beside).list_prefix(f"{_AREA}/"), 5),
        floor=seconds(lambda: fresh_store(alone).list_prefix(f"{_AREA}/"), 5),
    )


def read(place: Place) -> Pair:
    root = stores.folder_store(place.folder, place.size(_READS, 5))
    paths = [key for key, _, _ in stores.memories(place.size(_READS, 5))]
    store = MemoryStore(FilesystemStorage(root))
    return Pair(
        product=seconds(lambda: [store.read_file(path) for path in paths]),
        floor=seconds(lambda: [bare.memory(f"{root}/{path}") for path in paths]),
    )


def ours(root: Path, entity: str) -> Callable[[], object]:
    """Overwrites one memory file, again and again."""
    store = MemoryStore(FilesystemStorage(root))
    choice = random.Random(1)
    text, values = stores.body(choice), stores.metadata(choice, 1)
    path = f"user/{entity}/facts/m.md"
    last = store.write_file(path, text, values, None, source="benchmark")

    def write() -> None:
        nonlocal last
        last = store.write_file(path, text, values, last.version, source="benchmark")

    return write


def bare_writer(root: Path, entity: str) -> Callable[[], object]:
    choice = random.Random(1)
    ours(root, entity)()
    folder = root / f"user/{entity}/facts"
    sidecar = (folder / "m.md%meta").read_bytes()
    return bare.Writer(folder, stores.body(choice).encode(), sidecar).write


def write(place: Place) -> Pair:
    times = place.size(10, 1)
    return Pair(
        product=seconds(ours(place.folder / "ours", "alice"), times),
        floor=seconds(bare_writer(place.folder / "bare", "alice"), times),
    )


def write_by_many(place: Place) -> Pair:
    times = place.size(25, 1)
    return Pair(
        product=Crowd(place, partial(ours, place.folder / "ours"), times).cost,
        floor=Crowd(place, partial(bare_writer, place.folder / "bare"), times).cost,
    )


class Crowd:
    """Processes that write at the same time, each for an entity of its own."""

    def __init__(self, place: Place, writer: Callable[[str], Callable[[], object]], times: int) -> None:
        context = multiprocessing.get_context("fork")
        self._gate = context.Barrier(_WRITERS + 1)
        for number in range(_WRITERS):
            process = context.Process(target=_write_on_signal, args=(self._gate, writer, f"entity-{number}", times))
            process.start()
            place.cleanup.callback(process.join)
            place.cleanup.callback(process.terminate)
        self.cost = seconds(self._both_gates)

    def _both_gates(self) -> None:
        self._gate.wait(60)
        self._gate.wait(60)


def _write_on_signal(gate: Barrier, writer: Callable[[str], Callable[[], object]], entity: str, times: int) -> None:
    write = writer(entity)
    while True:
        gate.wait()
        for _ in range(times):
            write()
        gate.wait()


ROWS = (
    Benchmark("index-500", 1.6, partial(index_fresh, 500), runs=31),
    Benchmark("index-10000", 1.6, partial(index_fresh, 10_000)),
    Benchmark("index-cold", 0.5, index_cold, runs=5),
    Benchmark("index-again", 0.1, index_again),
    Benchmark("memory-index", 3.0, index_memory, runs=3),
    Benchmark("page", 2.0, page, runs=15),
    Benchmark("page-flat", 1.2, page_in_larger_store, runs=15),
    Benchmark("write", 1.4, write, runs=21),
    Benchmark("write-8-processes", 1.5, write_by_many),
    Benchmark("read", 2.0, read, runs=15),
)

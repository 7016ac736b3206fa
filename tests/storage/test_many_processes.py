"""Programs that share a folder lose nothing of one another's: what one reports as written is there, once.

Every worker is a process of its own. It appends, rewrites and counts in files that all others write to as well; when it
is told of a conflict it merges and tries again, as an agent would.
"""

import multiprocessing
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import BrokenBarrierError

from wenchang.core import MemoryFile, MemoryStore
from wenchang.errors import VersionConflictError
from wenchang.file_format import FileMetadata
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.version_token import VersionToken

FILES = ("user/one/notes/a.md", "user/one/notes/b.md", "user/two/notes/a.md")
CONTESTED = "user/one/notes/contested.md"
METADATA = FileMetadata("Shared.", (), frozenset(), datetime(2026, 1, 1, tzinfo=UTC))

_together: Barrier


@dataclass(slots=True)
class Told:
    """What a worker was told: the marks it wrote, the versions it got for them, and how often it lost."""

    marks: list[str] = field(default_factory=list)
    versions: list[VersionToken] = field(default_factory=list)
    conflicts: int = 0
    created: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """What a worker is to do."""

    root: Path
    durable: bool
    name: str
    rounds: int


def test_eight_processes_lose_nothing(tmp_path: Path) -> None:
    check_that_nothing_is_lost(tmp_path / "memory", durable=False, workers=8, rounds=200)


def test_processes_that_wait_for_the_disk_lose_nothing(tmp_path: Path) -> None:
    check_that_nothing_is_lost(tmp_path / "memory", durable=True, workers=4, rounds=20)


def check_that_nothing_is_lost(root: Path, *, durable: bool, workers: int, rounds: int) -> None:
    store = open_store(root, durable=durable)
    for path in FILES:
        store.write_file(path, "- [system] count 0\n", METADATA, None, source="test")
    told = run([Task(root, durable, f"w{number}", rounds) for number in range(workers)])

    ended = [store.read_file(path) for path in FILES]
    lines = Counter(line for file in ended for line in file.content.splitlines())
    marks = [mark for worker in told for mark in worker.marks]
    counted = sum(int(file.content.partition("\n")[0].removeprefix("- [system] count ")) for file in ended)
    assert len(marks) == workers * rounds
    assert {mark: lines[f"- [stated] {mark}"] for mark in marks} == dict.fromkeys(marks, 1)
    assert lines.total() == len(marks) + len(FILES)
    assert counted == workers * rounds

    versions = [version for worker in told for version in worker.versions]
    assert len(set(versions)) == len(versions)
    assert {file.version for file in ended} <= set(versions)
    assert sum(worker.created for worker in told) == 1
    assert sum(worker.conflicts for worker in told) >= workers - 1


def open_store(root: Path, *, durable: bool) -> MemoryStore:
    return MemoryStore(FilesystemStorage(root, durable=durable), max_file_bytes=1_000_000)


def run(tasks: list[Task]) -> list[Told]:
    """Do each task in a process of its own, all at the same time."""
    spawn = multiprocessing.get_context("spawn")
    together = spawn.Barrier(len(tasks))
    with ProcessPoolExecutor(len(tasks), spawn, initializer=_take_place, initargs=(together,)) as pool:
        return list(pool.map(_work, tasks))


def _take_place(together: Barrier) -> None:
    global _together
    _together = together


def _work(task: Task) -> Told:
    told, store = Told(), open_store(task.root, durable=task.durable)
    try:
        _together.wait(60)
    except BrokenBarrierError as error:
        raise RuntimeError("not every worker came up") from error
    _create(store, told)
    for number in range(task.rounds):
        path, mark = FILES[number % len(FILES)], f"{task.name} round {number}"
        line = f"- [stated] {mark}\n"
        if number % 2:
            _until_accepted(told, store.read_file(path), _append(store, path, line))
        else:
            _until_accepted(told, store.read_file(path), _rewrite(store, path, line))
        told.marks.append(mark)
        _until_accepted(told, store.read_file(path), _count(store, path))
    return told


def _create(store: MemoryStore, told: Told) -> None:
    try:
        store.write_file(CONTESTED, "", METADATA, None, source="test")
        told.created += 1
    except VersionConflictError:
        told.conflicts += 1


Write = Callable[[str, VersionToken], MemoryFile]


def _append(store: MemoryStore, path: str, line: str) -> Write:
    return lambda content, version: store.append_line(path, line.rstrip("\n"), version, source="test")


def _rewrite(store: MemoryStore, path: str, line: str) -> Write:
    return lambda content, version: store.write_file(path, content + line, METADATA, version, source="test")


def _count(store: MemoryStore, path: str) -> Write:
    def write(content: str, version: VersionToken) -> MemoryFile:
        old = content.partition("\n")[0]
        new = f"- [system] count {int(old.removeprefix('- [system] count ')) + 1}"
        return store.replace_fact(path, f"{old}\n", f"{new}\n", version, source="test")

    return write


def _until_accepted(told: Told, seen: MemoryFile, write: Write) -> None:
    content, version = seen.content, seen.version
    while True:
        try:
            told.versions.append(write(content, version).version)
        except VersionConflictError as error:
            told.conflicts += 1
            content, version = error.content, error.version
        else:
            return

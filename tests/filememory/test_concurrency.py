"""Threads, processes and providers on one folder: the index lists what is there, and no file is ever half one."""

import fcntl
import multiprocessing
import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.filememory.helpers import DictSession, Memory, files
from wenchang.filememory import FileMemoryError, FileMemoryProvider, Session, State, locks
from wenchang.filememory.changes import fresh_index
from wenchang.filememory.directory import Directory


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def check_index(root: Path) -> None:
    with Directory.open(root) as directory:
        assert (root / "memories.md").read_text() == fresh_index(directory)
    assert list((root / ".wenchang-staging").iterdir()) == []


def content(writer: int, turn: int) -> str:
    return f"{writer}:{turn}\n" * (1 + turn % 9)


def check_whole(text: str) -> None:
    assert re.fullmatch(r"((\d+:\d+)\n(?:\2\n)*)?", text), f"torn: {text[:80]!r}"


def test_fifty_writes_side_by_side_are_all_in_the_index(memory: Memory) -> None:
    names = [f"m-{number:02}.md" for number in range(50)]
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda name: memory.write(name, name * 100, f"about {name}"), names))
    assert results == [f'File "{name}" written with description.' for name in names]
    assert memory.index == "# Memory Index\n\n" + "".join(f"- **{name}**: about {name}\n" for name in names)
    assert all(memory.read(name) == name * 100 for name in names)
    check_index(memory.root)


def work(memory: Memory, writer: int, turns: int) -> None:
    """Everything that changes a folder, on names of the writer's own and on one that all share."""
    own = f"own-{writer}.md"
    for turn in range(turns):
        memory.write("shared.md", content(writer, turn), f"by {writer}" if turn % 2 else None)
        memory.write(own, content(writer, turn), f"turn {turn}")
        memory.replace(own, f"{writer}:{turn}", f"{writer}:9", True)
        check_whole(memory.read(own))
        memory.replace_lines(own, (1, ""))
        check_whole(memory.read("shared.md"))
        memory.ls()
        memory.grep(f"{writer}:")
        if turn % 3 == 2:
            memory.delete(own)
        memory.write(f"kept-{writer}-{turn}.md", content(writer, turn))


def test_eight_threads_leave_the_index_right(memory: Memory) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda writer: work(memory, writer, 6), range(8)))
    assert {f"kept-{writer}-{turn}.md" for writer in range(8) for turn in range(6)} <= set(memory.names())
    check_index(memory.root)


def run_in_processes(target: Callable[..., None], arguments: list[tuple[object, ...]]) -> list[int | None]:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=target, args=args) for args in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


def work_alone(root: Path, writer: int, turns: int) -> None:
    with FileMemoryProvider(root) as provider:
        work(Memory(provider, root), writer, turns)


def test_four_processes_leave_the_index_right(root: Path) -> None:
    assert run_in_processes(work_alone, [(root, writer, 10) for writer in range(4)]) == [0] * 4
    assert {f"kept-{writer}-{turn}.md" for writer in range(4) for turn in range(10)} <= files(root)
    check_index(root)


def count_up(root: Path, turns: int) -> None:
    with FileMemoryProvider(root) as provider, ThreadPoolExecutor(2) as pool:
        memory = Memory(provider, root)
        for _ in range(2):
            pool.submit(put_marks, memory, turns)


def put_marks(memory: Memory, turns: int) -> None:
    for _ in range(turns):
        while not put_a_mark(memory):
            pass


def put_a_mark(memory: Memory) -> bool:
    """Whether nobody changed the file between reading and writing it."""
    seen = memory.read("marks")
    try:
        memory.replace("marks", seen, f"x{seen}")
    except FileMemoryError:
        return False
    return True


def test_no_edit_of_several_processes_and_threads_is_lost(root: Path) -> None:
    Memory(FileMemoryProvider(root), root).write("marks", ".")
    assert run_in_processes(count_up, [(root, 10)] * 3) == [0] * 3
    assert (root / "marks").read_text() == "x" * 60 + "."


@contextmanager
def held(path: Path) -> Iterator[None]:
    """The lock of a folder or file in other hands."""
    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


def test_a_lock_that_is_never_let_go_is_an_error_and_reading_goes_on(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write("a.md", "x")
    monkeypatch.setattr(locks, "_LOCK_SECONDS", 0.05)
    with held(memory.root):
        with pytest.raises(FileMemoryError, match="another process is writing"):
            memory.write("a.md", "y")
        assert memory.read("a.md") == "x"
        assert memory.names() == ["a.md"]
        memory.provider.invoking()
        FileMemoryProvider(memory.root).close()
    memory.write("a.md", "z")
    assert memory.read("a.md") == "z"


def test_a_file_system_without_locks_is_written_all_the_same(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(fd: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    memory.write("a.md", "x")
    assert memory.read("a.md") == "x"


def test_opening_removes_what_the_dead_left_and_nothing_of_the_living(root: Path) -> None:
    staging = root / ".wenchang-staging"
    staging.mkdir()
    for name in ("dead", "living"):
        (staging / name).write_text("half")
    (staging / "folder").mkdir()
    (staging / "link").symlink_to("../kept.md")
    (root / "kept.md").write_text("kept")
    with held(staging / "living"):
        FileMemoryProvider(root).close()
        assert files(root) == {".wenchang-staging/living", ".wenchang-staging/link", "kept.md"}
    FileMemoryProvider(root).close()
    assert files(root) == {".wenchang-staging/link", "kept.md"}


def test_a_provider_that_opens_in_the_middle_of_a_write_does_not_disturb_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace
    opened = []

    def open_another_first(*args: object, **kwargs: object) -> None:
        opened.append(FileMemoryProvider(memory.root))
        real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", open_another_first)
    memory.write("a.md", "x", "d")
    assert len(opened) == 3
    assert memory.ls() == [{"name": "a.md", "type": "file", "description": "d"}]


def test_closing_waits_for_the_change_that_runs(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real, reached, go_on = os.replace, threading.Event(), threading.Event()

    def pause(*args: object, **kwargs: object) -> None:
        reached.set()
        assert go_on.wait(60)
        real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", pause)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(memory.write, "a.md", "x")
        assert reached.wait(60)
        closing = pool.submit(memory.provider.close)
        assert not closing.done()
        go_on.set()
        assert writing.result(60) == 'File "a.md" written.'
        closing.result(60)
    assert (memory.root / "memories.md").read_text() == "# Memory Index\n\n- **a.md**\n"


def test_calls_of_a_new_session_side_by_side_agree_on_its_folder(root: Path) -> None:
    session = DictSession()
    chosen: list[State] = []
    start = threading.Barrier(8)

    def choose(_: Session | None) -> State:
        chosen.append(State(f"folder-{len(chosen)}"))
        return chosen[-1]

    provider = FileMemoryProvider(root, state_initializer=choose)

    def write(number: int) -> str:
        start.wait(60)
        return provider.call("file_memory_write", {"file_name": f"{number}", "content": ""}, session)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert chosen == [State("folder-0")]
    assert len(files(root / "folder-0")) == 9

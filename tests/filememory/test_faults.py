"""What a folder holds after a process was killed, or the system refused, at any point of any tool."""

import ctypes
import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryError, FileMemoryProvider, State

CALLS = ("open", "close", "write", "fsync", "replace", "unlink", "mkdir", "fchmod", "scandir", "ftruncate")
FOLDER = "work/folder"


@dataclass(frozen=True)
class Operation:
    """One tool on a folder with some files; `memory` and `description` are what may stand before, then after."""

    before: dict[str, str]
    run: Callable[[Memory], object]
    memory: tuple[str | None, str | None]
    description: tuple[str | None, str | None]


OLD = {"a.md": "old text", "a.md_description.md": "old", "b.md": "neighbour", "memories.md": "# Memory Index\n\n"}
LEGACY = {"a.md": "old text", "a_description.md": "old", "b.md": "neighbour"}
OPERATIONS = {
    "write into nothing": Operation(
        {}, lambda m: m.write("a.md", "new text", "new"), (None, "new text"), (None, "new")
    ),
    "write over": Operation(
        OLD, lambda m: m.write("a.md", "new text", "new"), ("old text", "new text"), ("old", "new")
    ),
    "write over without description": Operation(
        OLD, lambda m: m.write("a.md", "new text"), ("old text", "new text"), ("old", None)
    ),
    "write over a legacy one": Operation(
        LEGACY, lambda m: m.write("a.md", "new text", "new"), ("old text", "new text"), ("old", "new")
    ),
    "delete": Operation(OLD, lambda m: m.delete("a.md"), ("old text", None), ("old", None)),
    "replace": Operation(OLD, lambda m: m.replace("a.md", "old", "new"), ("old text", "new text"), ("old", "old")),
    "replace lines": Operation(
        OLD, lambda m: m.replace_lines("a.md", (1, "new text")), ("old text", "new text"), ("old", "old")
    ),
}


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a kill nor a refusal can tell the difference; each flush is still a step at which they may come."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def prepared(root: Path, operation: Operation) -> Memory:
    folder = root / FOLDER
    if operation.before:
        folder.mkdir(parents=True)
    for name, text in operation.before.items():
        (folder / name).write_text(text)
    return opened(root)


def opened(root: Path) -> Memory:
    return Memory(FileMemoryProvider(root, state_initializer=lambda _: State(FOLDER)), root)


@contextmanager
def interrupted(strike: Callable[[str, tuple[object, ...]], None]) -> Iterator[None]:
    """Call `strike` with its name and arguments before every call on the system that changes or opens anything."""
    real = {name: getattr(os, name) for name in CALLS}

    def watched(name: str) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            strike(name, args)
            return real[name](*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, watched(name))
    # What may be opened relative to a folder was settled at the start, by the real functions.
    try:
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def in_a_child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process; its wait status."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def write_half(fd: int, data: bytes) -> None:
    half = bytes(data[: len(data) // 2])
    ctypes.CDLL(None).write(fd, half, len(half))


def check_whole(root: Path, operation: Operation) -> bool:
    """Every file is wholly old or wholly new, nothing is left over, and the folder works on. Whether memory is new."""
    memory = opened(root)
    found = memory.read("a.md")
    text = None if found.endswith("not found.") else found
    assert text in operation.memory
    rows = {row["name"]: row.get("description") for row in memory.ls()}
    assert rows.get("a.md") in (*operation.description, None)
    known = {"a.md", "a.md_description.md", "a_description.md", "b.md", "memories.md"}
    assert {path.removeprefix(f"{FOLDER}/") for path in files(root)} <= known
    if "b.md" in operation.before:
        assert memory.read("b.md") == "neighbour"
    index = root / FOLDER / "memories.md"
    assert not index.exists() or index.read_text().startswith("# Memory Index\n\n")
    memory.write("a.md", "later", "later on")
    assert memory.read("a.md") == "later"
    assert "- **a.md**: later on\n" in index.read_text()
    return text == operation.memory[1]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_kill_at_any_step_leaves_every_file_whole_and_no_stray_one(tmp_path: Path, operation: Operation) -> None:
    outcomes: list[bool] = []
    for step in range(1, 300):
        root = tmp_path / "root"
        memory = prepared(root, operation)
        countdown = [step]

        def strike(name: str, args: tuple[object, ...], countdown: list[int] = countdown) -> None:
            countdown[0] -= 1
            if countdown[0] == 0:
                if name == "write":
                    write_half(*args)  # type: ignore[arg-type]
                os.kill(os.getpid(), signal.SIGKILL)

        def work(memory: Memory = memory, strike: Callable[..., None] = strike) -> None:
            with interrupted(strike):
                operation.run(memory)

        status = in_a_child(work)
        memory.provider.close()
        outcomes.append(check_whole(root, operation))
        shutil.rmtree(root)
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert len(outcomes) > 10
    assert outcomes == sorted(outcomes), "once there, always there"
    assert outcomes[-1]
    assert not outcomes[0]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_refusal_at_any_step_is_told_and_leaves_every_file_whole(tmp_path: Path, operation: Operation) -> None:
    """A full disk: met once at each step, and from each step on."""
    refused = set()
    for once in (True, False):
        for step in range(1, 300):
            root = tmp_path / "root"
            memory = prepared(root, operation)
            countdown = [step]

            def strike(name: str, args: tuple[object, ...], once: bool = once, left: list[int] = countdown) -> None:
                if name in ("close", "unlink"):
                    return
                left[0] -= 1
                if left[0] == 0 or (left[0] < 0 and not once):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *args[:1])

            with interrupted(strike):
                try:
                    operation.run(memory)
                except FileMemoryError as error:
                    refused.add(str(error))
            assert [name for name in files(root) if "staging" in name] == []
            memory.provider.close()
            check_whole(root, operation)
            shutil.rmtree(root)
            if countdown[0] > 0:
                break
    assert refused == {"the memory folder cannot be used: No space left on device"}


def test_a_folder_on_another_file_system_is_written_in_place(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "replace", refuse)
    memory.write("a.md", "a longer text than the next", "d")
    (memory.root / "a.md").chmod(0o640)
    memory.write("a.md", "short", "d")
    assert memory.read("a.md") == "short"
    assert memory.index == "# Memory Index\n\n- **a.md**: d\n"
    assert (memory.root / "a.md").stat().st_mode & 0o777 == 0o640
    assert (memory.root / "memories.md").stat().st_mode & 0o777 == 0o600
    assert list((memory.root / ".wenchang-staging").iterdir()) == []


def test_a_full_disk_refuses_the_write_and_keeps_the_old_text(memory: Memory, tmp_path: Path) -> None:
    """The real refusal of the kernel, by the limit on the size of a file."""
    import resource

    memory.write("a.md", "old", "d")
    report = tmp_path / "report"

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            memory.write("a.md", "x" * 5000)
        except FileMemoryError as error:
            report.write_text(str(error))

    assert in_a_child(work) == 0
    assert report.read_text() == "the memory folder cannot be used: File too large"
    assert memory.read("a.md") == "old"
    assert memory.ls()[0]["description"] == "d"
    assert list((memory.root / ".wenchang-staging").iterdir()) == []


def test_a_folder_that_may_not_be_read_is_an_error_not_an_empty_one(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write("a.md", "x")

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "x")

    monkeypatch.setattr(os, "scandir", refuse)
    for use in (memory.ls, lambda: memory.grep("x"), lambda: memory.write("b.md")):
        with pytest.raises(FileMemoryError, match="Permission denied"):
            use()

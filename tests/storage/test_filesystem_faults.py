"""What a folder holds after a process was killed, or the system refused, at any point of any operation."""

import errno
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from wenchang.storage import StoredObject
from wenchang.storage.filesystem import FilesystemStorage

KEY = "user/u-1/notes/a.md"
NEIGHBOUR = "user/u-1/notes/b.md"
FILE_CALLS = ("open", "close", "write", "fsync", "replace", "unlink", "utime", "chmod")
CALLS = (*FILE_CALLS, "rmdir", "mkdir", "scandir", "listdir")


@dataclass(frozen=True)
class Operation:
    """One operation on a store that `prepare` made; `after` is what stands at `KEY` when it is done."""

    prepare: Callable[[FilesystemStorage, Path], None]
    run: Callable[[FilesystemStorage], object]
    after: tuple[bytes, dict[str, str]] | None


def nothing(storage: FilesystemStorage, root: Path) -> None:
    pass


def one_object(storage: FilesystemStorage, root: Path) -> None:
    storage.put(KEY, b"old body", {"is": "old"})


def a_neighbour(storage: FilesystemStorage, root: Path) -> None:
    storage.put(NEIGHBOUR, b"neighbour", {})


def two_objects(storage: FilesystemStorage, root: Path) -> None:
    one_object(storage, root)
    a_neighbour(storage, root)


def an_edited_object(storage: FilesystemStorage, root: Path) -> None:
    one_object(storage, root)
    (root / "user/u-1/notes/a.md%obj").write_bytes(b"edited by hand")


def delete(storage: FilesystemStorage) -> None:
    found = storage.get(KEY)
    assert found is not None
    storage.delete_if_version(KEY, found.version)


NEW = (b"new body, a longer one", {"is": "new"})
OPERATIONS = {
    "create in an empty store": Operation(nothing, lambda s: s.put_if_version(KEY, *NEW, None), NEW),
    "create beside another": Operation(a_neighbour, lambda s: s.put(KEY, *NEW), NEW),
    "replace": Operation(one_object, lambda s: s.put(KEY, *NEW), NEW),
    "replace metadata alone": Operation(
        one_object, lambda s: s.put(KEY, b"old body", {"is": "new"}), (b"old body", {"is": "new"})
    ),
    "replace an edited body": Operation(an_edited_object, lambda s: s.put(KEY, *NEW), NEW),
    "delete the last object": Operation(one_object, delete, None),
    "delete one of two": Operation(two_objects, delete, None),
}


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


def state(found: StoredObject | None) -> tuple[bytes, dict[str, str]] | None:
    return None if found is None else (found.data, dict(found.metadata))


def check_whole(root: Path, before: StoredObject | None, operation: Operation) -> bool:
    """The object is wholly old or wholly new, list and get agree, and the store works on. Whether it is new."""
    storage = FilesystemStorage(root, durable=False)
    found = storage.get(KEY)
    assert state(found) in (state(before), operation.after)
    if before is not None and found is not None:
        assert (found.version == before.version) == (state(found) == state(before))
    listed = {row.key: row for row in storage.list_page("", None, 10)}
    assert (KEY in listed) == (found is not None)
    if found is not None:
        assert (listed[KEY].metadata, listed[KEY].version) == (found.metadata, found.version)
        assert listed[KEY].size == len(found.data)
    if NEIGHBOUR in listed:
        assert storage.get(NEIGHBOUR) is not None
    is_new = state(found) == operation.after
    version = storage.put_if_version(KEY, b"later", {"is": "later"}, found.version if found else None)
    assert state(storage.get(KEY)) == (b"later", {"is": "later"})
    storage.delete_if_version(KEY, version)
    assert storage.get(KEY) is None
    for row in storage.list_page("", None, 10):
        storage.delete_if_version(row.key, row.version)
    left = [path.name for path in root.rglob("*") if path.is_file()]
    assert [name for name in left if name.endswith("%lock") or name == "a.md%obj"] == left
    return is_new


def prepared(root: Path, operation: Operation) -> StoredObject | None:
    storage = FilesystemStorage(root)
    operation.prepare(storage, root)
    return storage.get(KEY)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_kill_at_any_step_leaves_the_object_wholly_old_or_wholly_new(tmp_path: Path, operation: Operation) -> None:
    outcomes: list[bool] = []
    for step in range(1, 200):
        root = tmp_path / str(step)
        before = prepared(root, operation)
        countdown = [step]

        def strike(name: str, args: tuple[object, ...], countdown: list[int] = countdown) -> None:
            countdown[0] -= 1
            if countdown[0] == 0:
                if name == "write":
                    _write_half(*args)
                os.kill(os.getpid(), signal.SIGKILL)

        def work(root: Path = root, strike: Callable[..., None] = strike) -> None:
            with interrupted(strike):
                operation.run(FilesystemStorage(root))

        status = in_a_child(work)
        outcomes.append(check_whole(root, before, operation))
        if status == 0:
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert len(outcomes) > 10
    assert outcomes == sorted(outcomes), "once committed, always committed"
    assert outcomes[-1]
    assert not outcomes[0]


def _write_half(*args: object) -> None:
    import ctypes

    fd, data = args
    assert isinstance(fd, int)
    half = bytes(data[: len(data) // 2])  # type: ignore[index, arg-type]
    ctypes.CDLL(None).write(fd, half, len(half))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_refusal_at_any_step_leaves_the_object_whole_and_no_temporary_file(
    tmp_path: Path, operation: Operation, code: int
) -> None:
    """A full disk, a failing one, a missing permission: met once at each step, and from each step on."""
    for once in (True, False):
        for step in range(1, 200):
            root = tmp_path / f"{once}-{step}"
            before = prepared(root, operation)
            countdown = [step]

            def strike(
                name: str, args: tuple[object, ...], countdown: list[int] = countdown, once: bool = once
            ) -> None:
                if name in ("close", "unlink", "rmdir"):
                    return
                countdown[0] -= 1
                if countdown[0] == 0 or (countdown[0] < 0 and not once):
                    raise OSError(code, os.strerror(code), *args[:1])

            refused = False
            with interrupted(strike):
                try:
                    operation.run(FilesystemStorage(root))
                except OSError as error:
                    refused = error.errno == code
            leftovers = [path.name for path in root.rglob("*") if "%tmp" in path.name] if root.exists() else []
            assert leftovers == []
            check_whole(root, before, operation)
            if countdown[0] > 0:
                break
            assert refused or not once or step > 1


def test_a_full_disk_refuses_the_write_and_keeps_the_old_object(tmp_path: Path) -> None:
    """The real refusal of the kernel, by the limit on the size of a file."""
    import resource

    root = tmp_path / "store"
    storage = FilesystemStorage(root)
    version = storage.put(KEY, b"old", {"is": "old"})
    report = tmp_path / "report"

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            FilesystemStorage(root).put(KEY, b"x" * 5000, {"is": "new"})
        except OSError as error:
            report.write_text(str(error.errno))

    assert in_a_child(work) == 0
    assert report.read_text() == str(errno.EFBIG)
    found = storage.get(KEY)
    assert found is not None
    assert (found.data, found.metadata, found.version) == (b"old", {"is": "old"}, version)
    assert list(root.rglob("%tmp*")) == []


def body_and_metadata(writer: int, turn: int) -> tuple[bytes, dict[str, str]]:
    """A body that belongs to its metadata and to no other; every third turn leaves the body as it was."""
    text = f"{writer}:{turn - turn % 3}"
    return text.encode() * (1 + turn % 7), {"text": text, "times": str(1 + turn % 7)}


def check_belong_together(found: StoredObject) -> None:
    assert found.data == found.metadata["text"].encode() * int(found.metadata["times"])


@pytest.mark.parametrize("durable", [True, False])
def test_killed_at_random_moments_hundreds_of_times_nothing_is_torn(tmp_path: Path, durable: bool) -> None:
    root = tmp_path / "store"
    chance = random.Random(20260101)
    keys = [f"user/u-{entity}/notes/{name}.md" for entity in (1, 2) for name in "ab"]

    def write_for_ever(writer: int) -> None:
        storage = FilesystemStorage(root, durable=durable)
        dice = random.Random(writer)
        for turn in range(1_000_000):
            key = dice.choice(keys)
            if dice.random() < 0.2:
                found = storage.get(key)
                if found is not None:
                    storage.delete_if_version(key, found.version)
            else:
                storage.put(key, *body_and_metadata(writer, turn))

    reader = FilesystemStorage(root, durable=False)
    for round_ in range(150):
        child = os.fork()
        if child == 0:
            write_for_ever(round_)
            os._exit(1)
        time.sleep(chance.uniform(0.001, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        listed = {row.key: row for row in reader.list_page("", None, 10)}
        for key in keys:
            found = reader.get(key)
            assert (found is not None) == (key in listed)
            if found is not None:
                check_belong_together(found)
                assert found.version == listed[key].version
    for row in reader.list_page("", None, 10):
        reader.delete_if_version(row.key, row.version)
    assert reader.list_page("", None, 10) == []


def test_readers_beside_busy_writers_never_see_a_torn_object(tmp_path: Path) -> None:
    root = tmp_path / "store"
    FilesystemStorage(root, durable=False).put(KEY, *body_and_metadata(0, 0))

    def write(writer: int) -> None:
        storage = FilesystemStorage(root, durable=False)
        for turn in range(400):
            storage.put(KEY, *body_and_metadata(writer, turn))

    children = []
    for writer in (1, 2):
        child = os.fork()
        if child == 0:
            write(writer)
            os._exit(0)
        children.append(child)
    reader = FilesystemStorage(root, durable=False)
    seen: set[str] = set()
    while children:
        found, listed = reader.get(KEY), reader.list_page("", None, 2)
        assert found is not None
        check_belong_together(found)
        assert [row.key for row in listed] == [KEY]
        assert listed[0].size == len(listed[0].metadata["text"]) * int(listed[0].metadata["times"])
        assert "." not in found.version, "a write half done was taken for an edit from outside"
        seen.add(found.version)
        children = [child for child in children if os.waitpid(child, os.WNOHANG) == (0, 0)]
    assert len(seen) > 1

"""Which calls on the system a folder storage makes, in which order, and what it makes of their refusals."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wenchang.storage._files import replace
from wenchang.storage.filesystem import FilesystemStorage

KEY = "user/u-1/notes/a.md"
FOLDER = "user/u-1/notes"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, str]]:
    """Every file that is opened, flushed, renamed (under its new name) or listed from now on, as it happens."""
    made: list[tuple[str, str]] = []
    names: dict[int, str] = {}

    def note(call: str, name: object) -> None:
        made.append((call, str(name).removeprefix(f"{tmp_path}/")))

    def watch(name: str, after: Callable[[tuple[object, ...], object], object]) -> None:
        real = getattr(os, name)

        def watched(*args: object, **kwargs: object) -> object:
            result = real(*args, **kwargs)
            after(args, result)
            return result

        monkeypatch.setattr(os, name, watched)

    def opened(args: tuple[object, ...], fd: object) -> None:
        assert isinstance(fd, int)
        names[fd] = str(args[0])
        note("open", args[0])

    watch("open", opened)
    watch("fsync", lambda args, _: note("flush", names[int(str(args[0]))]))
    watch("replace", lambda args, _: note("rename", args[1]))
    watch("listdir", lambda args, _: note("list", args[0]))
    return made


def flushes_and_renames(calls: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of the calls those that make a write last; which temporary file it is does not matter."""
    return [(call, "temporary" if "%tmp" in name else name) for call, name in calls if call in ("flush", "rename")]


RENAMES = [("rename", f"{FOLDER}/a.md{suffix}") for suffix in ("%next", "%obj", "%meta")]


def test_body_and_sidecar_are_flushed_before_they_are_renamed_and_the_folder_after(
    tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    storage = FilesystemStorage(tmp_path)
    storage.put(KEY, b"old", {})
    calls.clear()
    version = storage.put(KEY, b"new", {})
    assert flushes_and_renames(calls) == [("flush", "temporary")] * 2 + RENAMES + [("flush", FOLDER)]
    calls.clear()
    storage.delete_if_version(KEY, version)
    assert flushes_and_renames(calls) == [("flush", FOLDER)]


def test_folders_that_a_write_makes_are_flushed_into_those_above(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    FilesystemStorage(tmp_path).put(KEY, b"new", {})
    flushed = [name for call, name in flushes_and_renames(calls) if call == "flush"]
    assert flushed == [str(tmp_path), "user", "user/u-1", "temporary", "temporary", FOLDER]


def test_what_need_not_last_is_flushed_nowhere(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    version = storage.put(KEY, b"new", {})
    storage.delete_if_version(KEY, version)
    assert flushes_and_renames(calls) == RENAMES


def test_every_write_has_temporary_names_of_its_own(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    for storage in (FilesystemStorage(tmp_path, durable=False), FilesystemStorage(tmp_path, durable=False)):
        for _ in range(5):
            storage.put(KEY, b"new", {})
    temporary = [name for call, name in calls if call == "open" and "%tmp" in name]
    assert len(set(temporary)) == len(temporary) == 20


def test_a_body_bears_a_moment_that_no_clock_gives_an_edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tick = 1_800_000_000_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: tick)
    storage, moments = FilesystemStorage(tmp_path, durable=False), set()
    for _ in range(5):
        storage.put(KEY, b"same", {})
        moments.add((tmp_path / f"{FOLDER}/a.md%obj").stat().st_mtime_ns)
    assert len(moments) == 5
    assert all(0 <= tick - moment < 1_000_000 for moment in moments)


def test_a_listing_opens_no_body_and_a_write_looks_at_no_other_object(
    tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    for number in range(20):
        storage.put(f"{FOLDER}/{number:02}.md", b"body", {"n": str(number)})
    calls.clear()
    assert len(storage.list_page("", None, 100)) == 20
    assert [name for call, name in calls if call == "open" and name.endswith("%obj")] == []
    assert len(calls) < 2 * 20
    calls.clear()
    storage.put(f"{FOLDER}/07.md", b"again", {})
    others = [name for _, name in calls if "07.md" not in name and "%tmp" not in name]
    assert others == ["user/u-1%lock"]


class Held:
    """A rename that a reader holds up, as on Windows, for so many tries."""

    def __init__(self, tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = tries
        self.made = 0
        self.pauses: list[float] = []
        self.rename = os.replace
        monkeypatch.setattr(os, "replace", self)
        monkeypatch.setattr("time.sleep", self.pauses.append)

    def __call__(self, source: str, target: str) -> None:
        self.made += 1
        self.left -= 1
        if self.left >= 0:
            raise PermissionError(errno.EACCES, "Permission denied", source)
        self.rename(source, target)


def test_a_rename_that_a_reader_holds_up_is_tried_again_where_readers_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = str(tmp_path / "new"), str(tmp_path / "old")
    for path in (source, target):
        Path(path).write_text(path)
    with monkeypatch.context() as patch:
        held = Held(3, patch)
        patch.setattr(os, "name", "nt")
        replace(source, target)
    assert (held.made, len(held.pauses)) == (4, 3)
    assert Path(target).read_text() == source


def test_a_rename_that_is_denied_for_good_is_given_up_in_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = str(tmp_path / "new"), str(tmp_path / "old")
    for path in (source, target):
        Path(path).write_text(path)
    with monkeypatch.context() as patch:
        held = Held(1_000, patch)
        patch.setattr(os, "name", "nt")
        with pytest.raises(PermissionError):
            replace(source, target)
    assert 0.1 < sum(held.pauses) < 1
    assert Path(target).read_text() == target
    with monkeypatch.context() as patch:
        held = Held(1_000, patch)
        with pytest.raises(PermissionError):
            replace(source, target)
    assert (held.made, held.pauses) == (1, [])


def test_a_disk_without_locks_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    storage.put(KEY, b"old", {})

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        storage.put(KEY, b"new", {})
    found = storage.get(KEY)
    assert found is not None
    assert found.data == b"old"
    assert list(tmp_path.rglob("%tmp*")) == []

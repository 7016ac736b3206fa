"""Scans and indexes that are kept as long as nothing changed, and not a moment longer."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.test_filesystem import KEY
from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage._folder_scan import FolderScan, folder_state, scan_folder
from wenchang.storage.filesystem import FilesystemStorage

WRITE_ON_COMMAND = """
import sys
from wenchang.storage.filesystem import FilesystemStorage
storage = FilesystemStorage(sys.argv[1], durable=False)
for line in sys.stdin:
    print(storage.put(sys.argv[2], line.encode(), {"turn": line.strip()}), flush=True)
"""


def settle(root: Path) -> None:
    """Make every folder look as if it had last changed a minute ago, to the nanosecond no clock gives."""
    for folder in [root, *root.rglob("*")]:
        if folder.is_dir():
            moment = folder.stat().st_mtime_ns - 60_000_000_123
            os.utime(folder, ns=(moment, moment))


def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the folders that are scanned from now on."""
    seen: list[str] = []
    real = os.listdir

    def listdir(path: str) -> list[str]:
        seen.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    return seen


def test_an_unchanged_folder_is_scanned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    for area in ("a", "b"):
        storage.put(f"user/u/{area}/x.md", b"", {})
    settle(tmp_path)
    seen = scans(monkeypatch)
    for _ in range(3):
        assert len(storage.list_page("user/u/", None, 10)) == 2
    assert sorted(seen) == ["a", "b", "u"]
    storage.put("user/u/b/y.md", b"", {})
    seen.clear()
    assert [row.key for row in storage.list_page("user/u/", None, 10)] == [
        "user/u/a/x.md",
        "user/u/b/x.md",
        "user/u/b/y.md",
    ]
    assert seen == ["b"]


def test_a_folder_that_just_changed_is_not_trusted(tmp_path: Path) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    storage.put(KEY, b"", {})
    state = folder_state(str(tmp_path / "user/u-1/notes"))
    assert state is not None
    assert not state.is_settled
    assert storage.listing_state("user/u-1/") is None


def test_a_clock_of_whole_seconds_is_trusted_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("folder").mkdir()
    monkeypatch.setattr("time.time_ns", lambda: 1_000_000_000_000)
    verdicts = []
    for age in (10_000_001, 60_000_001, 1_000_000_000, 3_000_000_000):
        moment = 1_000_000_000_000 - age
        os.utime(tmp_path / "folder", ns=(moment, moment))
        state = folder_state(str(tmp_path / "folder"))
        assert state is not None
        verdicts.append(state.is_settled)
    assert verdicts == [False, True, False, True]


def test_a_write_by_another_process_is_never_missed(tmp_path: Path) -> None:
    """Looked for at once, over and over, so that writes and looks share clock ticks in every order."""
    storage = FilesystemStorage(tmp_path, durable=False)
    command = [sys.executable, "-c", WRITE_ON_COMMAND, str(tmp_path), KEY]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        before = None
        for turn in range(300):
            print(turn, file=writer.stdin, flush=True)
            version = writer.stdout.readline().strip()
            for _ in range(turn % 3 + 1):
                state = storage.listing_state("user/")
                (row,) = storage.list_page("user/", None, 10)
                assert (row.version, row.metadata) == (version, {"turn": str(turn)})
            assert state is None or state != before
            before = state
        writer.stdin.close()


_AWARE = datetime(2026, 1, 1, tzinfo=UTC)


def write(store: MemoryStore, name: str) -> None:
    metadata = FileMetadata(name, (), frozenset(), _AWARE)
    store.write_file(f"user/u/notes/{name}.md", "", metadata, None, source="test")


def index(store: MemoryStore) -> list[str]:
    return [entry.metadata.description for entry in store.get_memory_index({"user": "u", "project": "p"}).entries]


def test_an_index_is_kept_until_something_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    store, other = MemoryStore(FilesystemStorage(tmp_path)), MemoryStore(FilesystemStorage(tmp_path))
    write(store, "one")
    settle(tmp_path)
    first = store.get_memory_index({"user": "u"})
    assert store.get_memory_index({"user": "u"}) is first
    write(other, "two")
    assert index(store) == ["two", "one"]
    settle(tmp_path)
    assert store.get_memory_index({"user": "u"}) is store.get_memory_index({"user": "u"})
    other.delete_file("user/u/notes/two.md", other.read_file("user/u/notes/two.md").version)
    assert index(store) == ["one"]


def test_an_edit_in_place_reaches_the_index_within_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    store = MemoryStore(FilesystemStorage(tmp_path))
    write(store, "one")
    settle(tmp_path)
    before = store.get_memory_index({"user": "u"}).entries[0].version
    (tmp_path / "user/u/notes/one.md%obj").write_bytes(b"edited")
    now[0] += 2.0
    after = store.get_memory_index({"user": "u"}).entries[0].version
    assert before != after == store.read_file("user/u/notes/one.md").version


segments = st.text("ab-/0", max_size=3).map(lambda text: text.replace("/", ""))
texts = st.lists(st.tuples(segments, st.sampled_from(["", "/"])).map("".join), unique=True, max_size=12)


@given(texts, st.text("ab-/0", max_size=4), st.one_of(st.none(), st.text("ab-/0", max_size=5)))
def test_what_can_hold_a_wanted_key_is_found(found: list[str], prefix: str, after: str | None) -> None:
    def may_hold(text: str) -> bool:
        greatest = text + "\U0010ffff" * 9 if text.endswith("/") else text
        return after is None or greatest > after

    prefix = prefix.replace("/", "")
    ordered = tuple(sorted(found))
    scan = FolderScan(ordered, ordered, ())
    assert [ordered[place] for place in scan.starting_with(prefix, after)] == [
        text for text in ordered if text.startswith(prefix) and may_hold(text)
    ]


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    assert scan_folder(str(tmp_path / "none")) == FolderScan((), (), ())
    (tmp_path / "file").write_bytes(b"")
    assert scan_folder(str(tmp_path / "file")) == FolderScan((), (), ())

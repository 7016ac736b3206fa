"""What an exported file looks like, and that it appears wholly or not at all."""

import hashlib
import io
import json
import stat
import zipfile
from pathlib import Path

import pytest

from tests.tui.model.entities import ODD_KEYS, fill, fill_oddly
from wenchang.core import MemoryStore
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.archive import ArchiveError, Totals, new_file, write_archive


def archive_of(storage: InMemoryStorage) -> tuple[zipfile.ZipFile, Totals]:
    file = io.BytesIO()
    totals = write_archive(file, MemoryStore(storage).iter_export("user", "u"))
    return zipfile.ZipFile(file), totals


def manifest(archive: zipfile.ZipFile) -> list[dict[str, object]]:
    return [json.loads(line) for line in archive.read("manifest.jsonl").split(b"\n") if line]


def test_a_member_is_named_by_the_key_and_holds_the_body() -> None:
    storage = InMemoryStorage()
    fill(storage)
    archive, totals = archive_of(storage)
    assert totals == Totals(5, 21)
    assert archive.namelist() == [
        "user/u/notes/a.md",
        "user/u/notes/b.md",
        "user/u/notes/corrupt.md",
        "user/u/stray",
        "user/u/system/s.md",
        "manifest.jsonl",
    ]
    assert archive.read("user/u/notes/corrupt.md") == b"\xff\x00"
    assert archive.testzip() is None


def test_the_manifest_tells_key_metadata_version_size_and_hash() -> None:
    storage = InMemoryStorage()
    storage.put("user/u/notes/é.md", b"bb", {"description": "d"})
    (line,) = manifest(archive_of(storage)[0])
    assert line == {
        "key": "user/u/notes/é.md",
        "metadata": {"description": "d"},
        "version": "1",
        "size": 2,
        "sha256": hashlib.sha256(b"bb").hexdigest(),
    }


def test_a_key_that_no_member_can_be_named_by_has_a_numbered_one() -> None:
    storage = InMemoryStorage()
    fill_oddly(storage)
    archive, _ = archive_of(storage)
    lines = manifest(archive)
    assert [line["key"] for line in lines] == sorted(ODD_KEYS)
    named = [line["key"] for line in lines if "member" not in line]
    assert named == ["user/u/manifest.jsonl", "user/u/object-000001", "user/u/😀.md"]
    for line in lines:
        member = str(line.get("member", line["key"]))
        assert archive.read(member) == str(ODD_KEYS.index(str(line["key"]))).encode()
    assert not any(part in ("", ".", "..") for name in archive.namelist() for part in name.split("/"))


def test_an_entity_that_has_not_changed_gives_the_same_bytes() -> None:
    storage = InMemoryStorage()
    fill(storage)
    first, second = io.BytesIO(), io.BytesIO()
    for file in (first, second):
        write_archive(file, MemoryStore(storage).iter_export("user", "u"))
    assert first.getvalue() == second.getvalue()


# The file


def test_a_new_file_appears_when_it_is_done_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "u.zip"
    with new_file(path, force=False) as file:
        file.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path, kind: type[BaseException]) -> None:
    path = tmp_path / "u.zip"
    path.write_bytes(b"old")

    def fail_midway() -> None:
        with new_file(path, force=True) as file:
            file.write(b"half")
            raise kind

    with pytest.raises(kind):
        fail_midway()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_replaced_by_force_alone(tmp_path: Path) -> None:
    path = tmp_path / "u.zip"
    path.write_bytes(b"old")
    with pytest.raises(ArchiveError, match="--force"), new_file(path, force=False):
        pass
    with new_file(path, force=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "u.zip"
    with pytest.raises(ArchiveError, match="exists"), new_file(path, force=False):
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(("place", "words"), [("", "no ordinary file"), ("absent/u.zip", "there is no folder")])
def test_a_place_for_no_file_is_refused(tmp_path: Path, place: str, words: str, force: bool) -> None:
    with pytest.raises(ArchiveError, match=words), new_file(tmp_path / place, force=force):
        pass


def test_a_device_is_never_replaced() -> None:
    with pytest.raises(ArchiveError, match="no ordinary file"), new_file(Path("/dev/null"), force=True):
        pass

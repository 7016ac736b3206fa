import os
import time
from pathlib import Path

import pytest

from tests.tui.model.curation import NOW
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.curation_log import CurationLog, Done, Stopped
from wenchang_tui.model.folder_health import check_folder
from wenchang_tui.model.health import Checkup, Finding, Kind
from wenchang_tui.model.repairs import Removed, apply, propose
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder

KEY = "user/u/notes/a.md"
GOOD = {"description": "Salt roads", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    FilesystemStorage(tmp_path, durable=False).put(KEY, b"x", GOOD)
    return open_folder(tmp_path, Settings(source="person"))


@pytest.fixture
def area(tmp_path: Path) -> Path:
    return tmp_path / "user" / "u" / "notes"


def old(path: Path, data: bytes = b"x") -> Path:
    path.write_bytes(data)
    hours_ago = time.time() - 7_200
    os.utime(path, (hours_ago, hours_ago))
    return path


def only(here: Workspace) -> Finding:
    (finding,) = Checkup(here).findings()
    return finding


def mend(here: Workspace, which: int = 0) -> Done | Stopped | Removed:
    return apply(here, CurationLog(here.storage, here.store), propose(here, only(here), lambda: NOW)[which])


def test_a_sound_folder_with_foreign_files_has_nothing_wrong(here: Workspace, area: Path) -> None:
    for name in ("README.md", ".DS_Store", "100%", "%tmp-0123", "notes.txt"):
        (area / name).write_bytes(b"x")
    assert here.root is not None
    assert list(check_folder(here.root)) == []
    assert list(Checkup(here).findings()) == []


def test_a_body_without_its_sidecar_can_be_adopted(here: Workspace, area: Path) -> None:
    (area / "b%20c.md%obj").write_bytes(b"- [stated] Lost and found.\r\n")
    finding = only(here)
    assert (finding.kind, finding.key) == (Kind.LONE_BODY, "user/u/notes/b%20c.md%obj")
    assert isinstance(mend(here), Done)
    file = here.store.read_file("user/u/notes/b c.md")
    assert (file.content, file.metadata.description) == ("- [stated] Lost and found.\r\n", "Lost and found.\r".strip())
    assert list(Checkup(here).findings()) == []


def test_a_body_without_its_sidecar_can_be_removed(here: Workspace, area: Path) -> None:
    (area / "b.md%obj").write_bytes(b"x")
    assert mend(here, 1) == Removed(area / "b.md%obj")
    assert not (area / "b.md%obj").exists()


@pytest.mark.parametrize("name", ["%tmp-0123456789abcdef", "b.md%meta", "b c.md%obj", "b.md%next"])
def test_leftovers_are_found_and_removed(here: Workspace, area: Path, name: str) -> None:
    old(area / name)
    finding = only(here)
    assert (finding.kind, finding.key) == (Kind.LEFTOVER, f"user/u/notes/{name}")
    assert isinstance(mend(here), Removed)
    assert list(Checkup(here).findings()) == []
    assert here.store.read_file(KEY).content == "x"


@pytest.mark.parametrize(
    "name",
    [
        "a.sync-conflict-20260101-120000-ABCDEFG.md%obj",
        "a (Lin's conflicted copy 2026-01-01).md%meta",
        "a.md%obj (1)",
        "a.md%obj.sync-conflict-20260101-120000-ABCDEFG",
    ],
)
def test_copies_of_sync_programs_are_flagged_and_the_file_is_unaffected(here: Workspace, area: Path, name: str) -> None:
    (area / name).write_bytes(b"y")
    finding = only(here)
    assert (finding.kind, finding.key) == (Kind.SYNC_CONFLICT, f"user/u/notes/{name}")
    assert here.store.read_file(KEY).content == "x"


def test_the_record_that_holds_an_object_together_is_never_removed(here: Workspace, area: Path) -> None:
    (area / "a.md%meta").rename(area / "a.md%next")
    hours_ago = time.time() - 7_200
    os.utime(area / "a.md%next", (hours_ago, hours_ago))
    assert here.store.read_file(KEY).content == "x"
    assert only(here).kind is Kind.LEFTOVER
    assert isinstance(mend(here), Done)
    assert here.store.read_file(KEY).content == "x"
    assert sorted(path.name for path in area.iterdir()) == ["a.md%meta", "a.md%obj"]


def test_a_file_that_changed_after_the_preview_is_not_removed(here: Workspace, area: Path) -> None:
    path = old(area / "b.md%meta")
    (proposal,) = propose(here, only(here), lambda: NOW)
    path.write_bytes(b"something new")
    log = CurationLog(here.storage, here.store)
    assert isinstance(apply(here, log, proposal), Stopped)
    assert path.read_bytes() == b"something new"
    path.unlink()
    assert isinstance(apply(here, log, proposal), Stopped)


def test_a_read_only_folder_is_left_as_it_is(here: Workspace, area: Path) -> None:
    path = old(area / "b.md%meta")
    assert here.root is not None
    read_only = open_folder(here.root, Settings(read_only=True))
    assert isinstance(mend(read_only), Stopped)
    assert path.exists()


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_no_link_is_followed(here: Workspace, area: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "b.md%obj").write_bytes(b"secret")
    (area / "link").symlink_to(outside)
    (area / "loop").symlink_to(area)
    assert list(Checkup(here).findings()) == []

"""The commands that change a store, or look through all of it, over a bucket."""

from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from tests.gcs.proxy import Fault, Proxy
from tests.tui.cli.conftest import Cli
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.gcs import GcsStorage
from wenchang_tui.model.operations import FORMER_VERSIONS, UnfinishedError, purge_entity
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target

FILES = 40
PREFIX = "user/u/"


def contents(storage: Storage, prefix: str = PREFIX) -> dict[str, tuple[bytes, dict[str, str]]]:
    found = {}
    for row in storage.list_page(prefix, None, 1000):
        stored = storage.get(row.key)
        assert stored is not None
        found[row.key] = (stored.data, dict(stored.metadata))
    return found


@pytest.fixture
def filled(storage: GcsStorage) -> dict[str, tuple[bytes, dict[str, str]]]:
    """What an entity holds: files, an empty one, one that is malformed, and keys that are no memory paths."""
    moment = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
    metadata = {"description": "é\n乔 % %41", "aliases": "[]", "sources": "[]", "last-updated": moment}
    for number in range(FILES):
        storage.put(f"user/u/notes/{number}.md", b"body" * number, metadata)
    storage.put("user/u/notes/bytes.md", b"\xff\r\n\x00", {"x": "y"})
    storage.put("user/u/stray", b"stray", {})
    storage.put("user/u/system/名 %.md", "é".encode(), metadata)
    storage.put("user/u2/notes/other.md", b"other", metadata)
    return contents(storage)


def test_an_entity_goes_out_and_comes_back(
    cli: Cli, target: str, storage: GcsStorage, filled: dict[str, tuple[bytes, dict[str, str]]], tmp_path: Path
) -> None:
    file = str(tmp_path / "u.zip")
    assert cli("export", target, "user/u", "-o", file, "--json").json["objects"] == len(filled)
    cli("restore", target, file).failed(3)
    purged = cli("purge", target, "user/u", "--yes", "user/u", "--json")
    assert purged.json == {"deleted": len(filled)}
    assert purged.err == f"{FORMER_VERSIONS}\n", "what a purge does not reach is said"
    assert contents(storage) == {}
    assert list(contents(storage, "user/u2/")) == ["user/u2/notes/other.md"]
    assert cli("restore", target, file, "--json").json["objects"] == len(filled)
    assert contents(storage) == filled


def test_an_entity_moves_from_a_bucket_to_a_folder(
    cli: Cli, target: str, filled: dict[str, tuple[bytes, dict[str, str]]], tmp_path: Path
) -> None:
    file, folder = str(tmp_path / "u.zip"), tmp_path / "memory"
    assert cli("export", target, "user/u", "-o", file).code == 0
    assert cli("restore", str(folder), file, "--create").code == 0
    assert contents(FilesystemStorage(folder)) == filled


@pytest.mark.usefixtures("filled")
def test_a_purge_costs_a_request_for_each_object_and_few_more(cli: Cli, target: str, proxy: Proxy) -> None:
    proxy.seen.clear()
    assert cli("purge", target, "user/u", "--yes", "user/u").code == 0
    kinds = proxy.kinds()
    assert kinds.count("delete") == FILES + 3
    assert len(kinds) == FILES + 3 + 4, "opening, whether there is anything, one listing, and one to see it empty"


@pytest.mark.usefixtures("filled")
def test_a_check_finds_in_a_bucket_what_it_finds_in_a_folder(cli: Cli, target: str, tmp_path: Path) -> None:
    file, folder = str(tmp_path / "u.zip"), str(tmp_path / "memory")
    cli("export", target, "user/u", "-o", file)
    cli("restore", folder, file, "--create")
    cli("purge", target, "user/u2", "--yes", "user/u2")
    found, expected = cli("check", target, "--json"), cli("check", folder, "--json")
    assert (found.code, expected.code) == (1, 1)
    assert found.json == expected.json


def test_curated_files_are_seeded_once(cli: Cli, target: str, storage: GcsStorage, tmp_path: Path) -> None:
    (tmp_path / "rule.md").write_text("---\ndescription: A rule\naliases: []\n---\nbody\n")
    first = cli("seed", target, "user/u", str(tmp_path), "--json").json
    assert (first["created"], first["unchanged"]) == (["rule"], [])
    assert contents(storage)["user/u/system/rule.md"][0] == b"body\n"
    again = cli("seed", target, "user/u", str(tmp_path), "--json").json
    assert (again["created"], again["unchanged"]) == ([], ["rule"])


@pytest.mark.usefixtures("filled")
def test_a_read_only_bucket_is_left_alone(cli: Cli, target: str, storage: GcsStorage) -> None:
    before = contents(storage)
    cli("purge", target, "user/u", "--yes", "user/u", "--read-only").failed(3, "read-only")
    assert contents(storage) == before


def test_trouble_that_passes_in_the_middle_leaves_no_trace(
    cli: Cli, target: str, proxy: Proxy, filled: dict[str, tuple[bytes, dict[str, str]]], tmp_path: Path
) -> None:
    file = str(tmp_path / "u.zip")
    passing = (Fault("media", status=503), Fault("media", "half"), Fault("media", before=True))
    proxy.faults = [*[Fault("media", "answer")] * 10, *passing]
    assert cli("export", target, "user/u", "-o", file, "--json").json["objects"] == len(filled)
    landed = (Fault("delete"), Fault("delete", status=429), Fault("delete", before=True))
    proxy.faults = [*[Fault("delete", "answer")] * 10, *landed]
    assert cli("purge", target, "user/u", "--yes", "user/u", "--json").json == {"deleted": len(filled)}
    proxy.faults = [*[Fault("upload", "answer")] * 10, Fault("upload"), Fault("upload", status=502)]
    assert cli("restore", target, file, "--json").json["objects"] == len(filled)
    assert proxy.faults == []
    assert contents(open_target(target, Settings()).storage) == filled


def test_an_end_in_the_middle_is_told_as_far_as_it_came_and_can_be_gone_on_from(
    cli: Cli, target: str, proxy: Proxy, filled: dict[str, tuple[bytes, dict[str, str]]], tmp_path: Path
) -> None:
    file = tmp_path / "u.zip"
    proxy.faults = [*[Fault("media", "answer")] * 10, Fault("media", status=403)]
    cli("export", target, "user/u", "-o", str(file)).failed(3, "No permission")
    assert list(tmp_path.iterdir()) == []
    proxy.faults = [*[Fault("delete", "answer")] * 10, Fault("delete", status=403)]
    ended = cli("purge", target, "user/u", "--yes", "user/u")
    left = len(contents(open_target(target, Settings()).storage))
    assert 0 < left <= len(filled) - 10
    ended.failed(3, "No permission", f"{len(filled) - left} of {len(filled)} objects were deleted; purge again")
    assert cli("purge", target, "user/u", "--yes", "user/u", "--json").json == {"deleted": left}


def test_a_purge_that_is_cancelled_has_deleted_what_it_says(
    target: str, filled: dict[str, tuple[bytes, dict[str, str]]]
) -> None:
    workspace, asked = open_target(target, Settings()), count()
    enough = len(filled) + 5  # it is asked for each object that is listed, too
    with pytest.raises(UnfinishedError) as ended:
        purge_entity(workspace, "user", "u", is_cancelled=lambda: next(asked) >= enough)
    assert ended.value.was_cancelled
    left = contents(workspace.storage)
    assert len(left) == len(filled) - ended.value.done
    assert 0 < ended.value.done <= 5
    assert left.items() <= filled.items()

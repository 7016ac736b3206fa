from datetime import UTC, datetime
from pathlib import Path

from tests.tui.cli.conftest import Cli
from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage.filesystem import FilesystemStorage

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_the_whole_store_as_json(cli: Cli, tmp_path: Path, store: MemoryStore) -> None:
    metadata = FileMetadata("A note", ("b", "a"), frozenset({"z"}), EPOCH)
    written = store.write_file("user/u 1/notes/n é.md", "x\n", metadata, None, source="me")
    store.write_file("user/u 1/system/rules.md", "y\n", metadata, None, source="me")
    storage = FilesystemStorage(tmp_path)
    storage.put("user/u 1/notes/bad.md", b"", {})
    storage.put("stray.txt", b"", {})
    ended = cli("tree", str(tmp_path), "--json")
    assert (ended.code, ended.err) == (0, "")
    document = ended.json
    assert list(document) == ["target", "scopes", "problems"]
    assert document["target"] == str(tmp_path)
    assert document["problems"] == 2
    (scope,) = document["scopes"]
    (entity,) = scope["entities"]
    assert (scope["scope"], entity["entity"]) == ("user", "u 1")
    assert [(area["area"], area["system"]) for area in entity["areas"]] == [("system", True), ("notes", False)]
    assert entity["areas"][1]["files"] == [
        {
            "name": "n é",
            "description": "A note",
            "aliases": ["b", "a"],
            "sources": ["me", "z"],
            "last_updated": written.metadata.last_updated.isoformat().replace("+00:00", "Z"),
            "version": written.version,
        }
    ]


def test_a_person_sees_counts_sizes_and_what_is_broken(cli: Cli, demo_folder: Path) -> None:
    ended = cli("tree", str(demo_folder))
    assert ended.code == 0
    assert f"{demo_folder}  49 files, 27,576 bytes, 1 cannot be read\n" in ended.out
    assert "    ! abandoned-draft  aliases: missing required key\n" in ended.out
    assert "    system/  1 file, 249 bytes  read-only for agents\n" in ended.out


def test_options_narrow_the_tree(cli: Cli, demo_folder: Path) -> None:
    document = cli("tree", str(demo_folder), "--json", "--area", "system", "--scope", "user").json
    (scope,) = document["scopes"]
    assert scope["scope"] == "user"
    assert [area["area"] for area in scope["entities"][0]["areas"]] == ["system"]
    document = cli("tree", "--entity", "p-river-of-salt", str(demo_folder), "--json").json
    assert [scope["scope"] for scope in document["scopes"]] == ["project"]
    assert document["problems"] == 1


def test_a_place_that_is_not_there_is_named(cli: Cli, demo_folder: Path) -> None:
    cli("tree", str(demo_folder), "--scope", "nobody").failed(1, "nobody/*/*")


def test_an_empty_folder_is_an_empty_tree(cli: Cli, tmp_path: Path) -> None:
    assert cli("tree", str(tmp_path), "--json").json == {"target": str(tmp_path), "scopes": [], "problems": 0}
    assert cli("tree", str(tmp_path)).out == f"{tmp_path}  0 files, 0 bytes\n"

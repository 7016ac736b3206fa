import json
from pathlib import Path

from tests.tui.cli.conftest import Cli
from wenchang.core import MemoryStore
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.demo import DEMO_IDENTITY, MALFORMED_KEY

GRANTS = [f"--grant={scope}={grant.entity_id}" for scope, grant in DEMO_IDENTITY.grants.items()]


def sized(folder: Path, entry: dict[str, str]) -> int:
    """The sizing rule of Core, section 8.3, from the files as they lie on disk."""
    key = f"{entry['scope']}/{entry['entity']}/{entry['area']}/{entry['name']}.md"
    stored = FilesystemStorage(folder).get(key)
    assert stored is not None
    return sum(len(text.encode()) for text in (key, stored.version, *stored.metadata, *stored.metadata.values()))


def test_the_sums_are_those_of_the_sizing_rule(cli: Cli, demo_folder: Path) -> None:
    document = cli("index", str(demo_folder), *GRANTS, "--index-bytes", "4096", "--json").json
    assert list(document) == ["limit", "used", "total", "entries", "capped"]
    running = 0
    for entry in document["entries"]:
        assert entry["bytes"] == sized(demo_folder, entry)
        running += entry["bytes"]
        assert entry["running"] == running
        assert entry["included"] == (running <= 4096)
    assert document["limit"] == 4096
    assert document["total"] == running > 4096
    assert document["used"] == max(entry["running"] for entry in document["entries"] if entry["included"])
    cut = [entry for entry in document["entries"] if not entry["included"]]
    assert sum(row["omitted"] for row in document["capped"]) == len(cut) > 20
    assert {"scope": "project", "area": "characters", "omitted": 12} in document["capped"]


def test_the_demo_is_the_same_through_its_option(cli: Cli, demo_folder: Path) -> None:
    demo = cli("index", "--demo", "--index-bytes=4096", "--json").json
    folder = cli("index", str(demo_folder), *GRANTS, "--index-bytes=4096", "--json").json
    for document in (demo, folder):
        for entry in document["entries"]:
            del entry["version"]
    assert demo == folder


def test_a_person_sees_the_cut(cli: Cli) -> None:
    ended = cli("index", "--demo", "--index-bytes", "4096")
    assert ended.out.startswith("demo  3,819 of 4,096 bytes used, 10,960 in all\n")
    assert "-- cut: 31 entries, 7,141 bytes left out --\n" in ended.out
    assert "capped  project/characters  12 left out\n" in ended.out


def test_priority_and_restrictions_are_heard(cli: Cli) -> None:
    document = cli("index", "--demo", "--priority", "organization,user", "--json").json
    places = [(entry["area"] == "system", entry["scope"]) for entry in document["entries"]]
    first_ordinary = next(scope for is_system, scope in places if not is_system)
    assert first_ordinary == "organization"


def test_the_payload_is_the_text_that_the_agent_receives(cli: Cli, demo_folder: Path) -> None:
    ended = cli("index", str(demo_folder), *GRANTS, "--index-bytes", "1000", "--payload")
    answer = json.loads(ended.out)
    assert ended.out == json.dumps(answer) + "\n"
    store = MemoryStore(FilesystemStorage(demo_folder), index_max_bytes=1000)
    index = store.get_memory_index(DEMO_IDENTITY.scope_map)
    assert [entry["name"] for entry in answer["entries"]] == [
        entry.path.split("/")[-1].removesuffix(".md") for entry in index.entries
    ]


def test_an_object_that_breaks_the_index_is_named(cli: Cli) -> None:
    arguments = ("index", "--demo", "--grant", "project=p-river-of-salt")
    cli(*arguments).failed(1, MALFORMED_KEY, "aliases: missing required key")
    cli(*arguments, "--json").failed(1, MALFORMED_KEY)
    ended = cli(*arguments, "--payload")
    assert ended.code == 1
    assert ended.json["error"] == "MetadataFormatError"


def test_an_identity_in_doubt_lists_what_was_found(cli: Cli, demo_folder: Path) -> None:
    cli("index", str(demo_folder)).failed(2, "p-ninth-examination, p-river-of-salt", "--grant")


def test_one_entity_in_each_scope_needs_no_grant(cli: Cli, tmp_path: Path) -> None:
    assert cli("index", str(tmp_path), "--json").json["entries"] == []
    stored = {"description": "", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}
    FilesystemStorage(tmp_path).put("user/u/a/n.md", b"", stored)
    (entry,) = cli("index", str(tmp_path), "--json").json["entries"]
    assert (entry["entity"], entry["last_updated"]) == ("u", "2026-01-01T00:00:00Z")

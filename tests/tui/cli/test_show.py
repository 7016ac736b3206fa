from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli
from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage.filesystem import FilesystemStorage

METADATA = FileMetadata("d\x1b[31m\u202e", ("one", "two"), frozenset(), datetime(1970, 1, 1, tzinfo=UTC))


def test_a_file_as_json(cli: Cli, tmp_path: Path, store: MemoryStore) -> None:
    file = store.write_file("user/u/notes/b.md.md", "- [stated] é\x1b\n", METADATA, None, source="me")
    ended = cli("show", str(tmp_path), "user/u/notes/b.md.md", "--json")
    assert ended.code == 0
    assert list(ended.json) == [
        "scope", "entity", "area", "name", "content", "version", "description", "aliases", "sources", "last_updated",
        "bytes",
    ]  # fmt: skip
    assert ended.json["name"] == "b.md"
    assert ended.json["content"] == file.content
    assert ended.json["bytes"] == len(file.content.encode())
    assert ended.json["version"] == file.version


def test_what_is_shown_is_safe(cli: Cli, tmp_path: Path, store: MemoryStore) -> None:
    store.write_file("user/u/notes/n.md", "- [stated] a\x1b]0;t\x07\u200bb\n\tplain\n", METADATA, None, source="me")
    ended = cli("show", str(tmp_path), "user/u/notes/n")
    assert "- [stated] a␛]0;t␇\ufffdb\n    plain\n" in ended.out
    assert "aliases       one, two\n" in ended.out
    assert "d␛[31m\ufffd" in ended.out
    assert not any(character in ended.out for character in "\x1b\x07\u202e\u200b")


@pytest.mark.parametrize("name", ["-dash", "a b", "100%", "日本 👩‍🎓", "x.md", ".md"])
def test_names_of_all_kinds_work_as_arguments(cli: Cli, tmp_path: Path, store: MemoryStore, name: str) -> None:
    store.write_file(f"user/u/notes/{name}.md", "x", METADATA, None, source="me")
    assert cli("show", "--json", "--", str(tmp_path), f"user/u/notes/{name}.md").json["name"] == name


def test_an_absent_file_is_a_finding(cli: Cli, tmp_path: Path) -> None:
    cli("show", str(tmp_path), "user/u/notes/n").failed(1, "user/u/notes/n", "wenchang tree")


@pytest.mark.parametrize("words", ["", "user/u/notes", "user/u/notes/", "user//notes/n", "a/b/c/d/e", "user/u/../n"])
def test_what_is_no_path_is_a_usage_error(cli: Cli, tmp_path: Path, words: str) -> None:
    cli("show", str(tmp_path), words).failed(2, "SCOPE/ENTITY/AREA/NAME")


def test_a_damaged_file_is_shown_as_far_as_it_reads(cli: Cli, tmp_path: Path) -> None:
    FilesystemStorage(tmp_path).put("user/u/notes/n.md", b"caf\xe9", {"description": "half"})
    ended = cli("show", str(tmp_path), "user/u/notes/n")
    assert ended.code == 1
    assert "caf\ufffd\n" in ended.out
    assert "description   half\n" in ended.out
    assert "aliases: missing required key" in ended.err
    cli("show", str(tmp_path), "user/u/notes/n", "--json").failed(1, "aliases: missing required key")

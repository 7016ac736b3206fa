from pathlib import Path

from tests.tui.cli.conftest import Cli
from tests.tui.cli.test_show import METADATA
from wenchang.core import MemoryStore
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.demo import MALFORMED_KEY


def test_findings_as_json(cli: Cli, demo_folder: Path) -> None:
    ended = cli("check", str(demo_folder), "--json")
    assert (ended.code, ended.err) == (1, "")
    (finding,) = ended.json["findings"]
    assert ended.json["checked"] == 49
    assert list(finding) == ["kind", "severity", "key", "detail", "breaks", "repair"]
    assert (finding["kind"], finding["severity"], finding["key"]) == ("malformed-metadata", "error", MALFORMED_KEY)
    assert all(isinstance(text, str) and text for text in finding.values())


def test_findings_as_lines(cli: Cli, demo_folder: Path) -> None:
    ended = cli("check", str(demo_folder))
    assert ended.code == 1
    assert f"error   {MALFORMED_KEY}  malformed-metadata\n" in ended.out
    assert "get_memory_index fails for every agent of p-river-of-salt" in ended.out
    assert ended.out.endswith("49 objects checked, 1 finding\n")


def test_a_sound_store_ends_well(cli: Cli, tmp_path: Path, store: MemoryStore) -> None:
    store.write_file("user/u/notes/n.md", "x", METADATA, None, source="me")
    assert cli("check", str(tmp_path), "--json").json == {"checked": 1, "findings": []}
    ended = cli("check", str(tmp_path))
    assert (ended.code, ended.out) == (0, "1 object checked, 0 findings\n")


def test_limits_are_those_of_the_options(cli: Cli, tmp_path: Path, store: MemoryStore) -> None:
    store.write_file("user/u/notes/n.md", "12345", METADATA, None, source="me")
    ended = cli("check", str(tmp_path), "--json", "--max-file-bytes", "4", "--max-files", "1")
    assert [finding["kind"] for finding in ended.json["findings"]] == ["too-large", "file-cap"]


def test_what_is_printed_is_safe_and_nothing_is_changed(cli: Cli, tmp_path: Path) -> None:
    storage = FilesystemStorage(tmp_path)
    storage.put("user/u/\x1b[31m\u202e", b"x", {})
    before = storage.list_page("", None, 9)
    ended = cli("check", str(tmp_path))
    assert ended.code == 1
    assert "user/u/␛[31m\ufffd" in ended.out
    assert storage.list_page("", None, 9) == before
    assert cli("check", str(tmp_path), "--json").json["findings"][0]["key"] == "user/u/\x1b[31m\u202e"


def test_a_target_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    cli("check", str(tmp_path / "none")).failed(3, "none")

"""The commands on a file memory: what they print, what they refuse."""

import json
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli, cli
from wenchang.filememory import FileMemoryProvider
from wenchang_tui.model.flat_memory import INDEX_CAP

__all__ = ["cli"]


@pytest.fixture
def target(demo_folder: Path) -> str:
    return f"filememory:{demo_folder}"


def test_tree_lists_every_file_with_its_standing(cli: Cli, target: str) -> None:
    document = cli("tree", target, "--json").json
    assert set(document) == {"target", "files"}
    assert document["target"] == target
    assert len(document["files"]) == 57
    assert document["files"][0] == {
        "name": "budget.csv",
        "description": "Money, by stage, in coins of the day",
        "bytes": 94,
        "in_index": True,
    }
    assert sum(file["in_index"] for file in document["files"]) == INDEX_CAP


def test_tree_for_a_person(cli: Cli, target: str, demo_folder: Path) -> None:
    ended = cli("tree", str(demo_folder))
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == f"{demo_folder}  57 files, 7,811 bytes, 50 in the index, which holds 50"
    assert "  clipping.txt    40 bytes  not in the index yet, is not UTF-8 text" in lines
    assert "! mule.md_description.md  describes a file that is not there" in lines
    assert lines[-1] == "1 working folder below: letters"


def test_an_empty_file_memory_is_listed(cli: Cli, tmp_path: Path) -> None:
    assert cli("tree", f"filememory:{tmp_path}", "--json").json["files"] == []
    assert cli("index", f"filememory:{tmp_path}", "--payload").out == ""


def test_a_file_memory_without_a_folder_is_not_the_folder_one_is_in(cli: Cli) -> None:
    cli("tree", "filememory:").failed(2, "filememory: names no folder; write filememory:PATH")


def test_stored_text_is_made_safe(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a\u202eb.md").write_bytes(b"\x1b]52;c;eA==\x07\n")
    for arguments in (("tree", str(tmp_path)), ("show", str(tmp_path), "a\u202eb.md"), ("index", str(tmp_path))):
        ended = cli(*arguments)
        assert ended.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(ended.out)
    assert cli("show", str(tmp_path), "a\u202eb.md", "--json").json["content"] == "\x1b]52;c;eA==\x07\n"


def test_show_prints_one_file(cli: Cli, target: str) -> None:
    document = cli("show", target, "packing.md", "--json").json
    assert document["content"].startswith("Bag: nine kilograms")
    assert (document["name"], document["bytes"], document["in_index"]) == ("packing.md", 256, True)
    assert document["modified"] == "2026-03-02T08:05:00+00:00"
    shown = cli("show", target, "walk-plan.md").out.splitlines()
    assert shown[0] == "walk-plan.md"
    assert "index         beyond the index" in shown
    assert "- [x] Maps of 1892, scanned" in shown


def test_show_takes_the_name_as_it_stands(cli: Cli, target: str) -> None:
    cli("show", target, "packing").failed(1, "there is no file packing in", "wenchang tree")
    cli("show", target, "memories.md").failed(1, "there is no file memories.md")
    cli("show", target, "../walk/packing.md").failed(1, "there is no file")
    cli("show", target, "clipping.txt").failed(1, "clipping.txt is not UTF-8 text")


def test_index_prints_what_the_agent_gets(cli: Cli, target: str, demo_folder: Path) -> None:
    lines = cli("index", target).out.splitlines()
    assert lines[0] == (
        f"{target}  50 of 50 entries used, 57 files in all; the index is out of date until the next write or delete"
    )
    assert "-- not in the index yet: 1 file --" in lines
    assert lines[-7] == "-- beyond the index: 6 files --"
    assert [line.split()[0] for line in lines[-2:]] == ["walk-plan.md", "weather-lore.md"]
    document = cli("index", target, "--json").json
    assert (document["limit"], document["used"], document["total"], document["state"]) == (50, 50, 57, "stale")
    assert document["text"].startswith("# Memory Index\r\n\r\n- **budget.csv**")
    assert next(entry["name"] for entry in document["entries"] if not entry["in_index"]) == "clipping.txt"


def test_the_payload_is_exactly_the_message(cli: Cli, target: str, demo_folder: Path) -> None:
    with FileMemoryProvider(demo_folder) as provider:
        (message,) = provider.invoking().messages
    assert cli("index", target, "--payload").out == message.text


def test_check_finds_and_ends_with_1(cli: Cli, target: str, tmp_path: Path) -> None:
    ended = cli("check", target, "--json")
    assert ended.code == 1
    assert ended.json["checked"] == 57
    assert [found["kind"] for found in ended.json["findings"]][:2] == ["stale-index", "beyond-index"]
    (tmp_path / "sound").mkdir()
    with FileMemoryProvider(tmp_path / "sound") as provider:
        provider.call("file_memory_write", {"file_name": "a.md", "content": "x"})
    assert cli("check", f"filememory:{tmp_path / 'sound'}").code == 0


@pytest.mark.parametrize(
    "words",
    [("export", "s/e", "-o", "x.zip"), ("restore", "x.zip"), ("purge", "s/e", "--yes", "s/e")],
    ids=lambda words: str(words[0]),
)
def test_what_is_for_stores_says_so(cli: Cli, target: str, words: tuple[str, ...]) -> None:
    cli(words[0], target, *words[1:]).failed(2, "is a file memory", "tree, show, index, check, serve")


def test_options_of_stores_are_refused(cli: Cli, target: str) -> None:
    cli("tree", target, "--area", "a").failed(2, "has no scopes")


def test_the_demo_stands_in_the_place_of_a_target(cli: Cli) -> None:
    assert len(json.loads(cli("tree", "--demo-filememory", "--json").out)["files"]) == 57
    cli("tree", "x", "--demo-filememory").failed(2, "--demo-filememory stands in the place of TARGET")
    cli("tree", "--demo", "--demo-filememory").failed(2, "exclude each other")


def test_what_cannot_be_opened_is_code_3(cli: Cli, tmp_path: Path) -> None:
    cli("tree", f"filememory:{tmp_path / 'absent'}").failed(3, "does not exist")


def test_the_app_needs_a_terminal_here_too(cli: Cli, target: str) -> None:
    cli(target).failed(2, "tree", "terminal")

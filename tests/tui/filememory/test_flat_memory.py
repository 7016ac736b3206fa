"""What the model says of a file memory: standing in the index, filter, search, check-up, and the demo itself."""

import os
from pathlib import Path

import pytest

from wenchang.filememory import FileMemoryError, FileMemoryProvider
from wenchang_tui.model.flat_demo import build_flat_demo, open_flat_demo
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_health import FlatCheckup, findings_of
from wenchang_tui.model.flat_memory import (
    FlatHit,
    IndexState,
    Mark,
    Standing,
    find_row,
    matches,
    read_listing,
    read_text,
    search,
)
from wenchang_tui.model.settings import Settings

BEYOND = [*(f"station-{number}.md" for number in (45, 46, 47, 48)), "walk-plan.md", "weather-lore.md"]


def test_the_demo_holds_what_it_shall_show(demo_flat: FlatFolder) -> None:
    listing = read_listing(demo_flat)
    assert len(listing.rows) == 57
    assert [row.name for row in listing.rows if row.standing is Standing.BEYOND] == BEYOND
    assert [row.name for row in listing.rows if row.standing is Standing.UNLISTED] == ["clipping.txt"]
    assert [(row.name, set(row.memory.marks)) for row in listing.rows if row.memory.marks] == [
        ("clipping.txt", {Mark.NOT_TEXT})
    ]
    assert [(found.name, found.mark) for found in listing.findings] == [
        ("mule.md_description.md", Mark.ORPHAN_DESCRIPTION),
        ("old-maps_description.md", Mark.LEGACY_DESCRIPTION),
    ]
    assert (
        (demo_flat.root / "memories.md")
        .read_bytes()
        .startswith(b"\xef\xbb\xbf# Memory Index\r\n\r\n- **budget.csv**: ")
    )
    assert (listing.index_state, listing.folders) == (IndexState.STALE, ("", "letters"))
    legacy = find_row(demo_flat, "old-maps.txt")
    assert legacy is not None
    assert legacy.memory.description == "Which sheet shows what"


def test_the_demo_is_the_same_every_time(tmp_path: Path) -> None:
    seen = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        build_flat_demo(folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        seen.append([(path.relative_to(folder), path.read_bytes(), path.stat().st_mtime) for path in files])
        assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert seen[0] == seen[1]


def test_the_demo_goes_unless_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    registered: list[object] = []
    monkeypatch.setattr("atexit.register", lambda _, root, **__: registered.append(root))
    kept, passing = open_flat_demo(Settings(), keep=True), open_flat_demo(Settings())
    assert registered == [passing.root.parent]
    assert kept.root.parent not in registered
    assert (kept.target, kept.kind) == ("demo-filememory", "demo")


def test_the_agent_is_told_what_its_provider_tells(demo_flat: FlatFolder) -> None:
    with FileMemoryProvider(demo_flat.root) as provider:
        (message,) = provider.invoking().messages
    assert read_listing(demo_flat).agent_text == message.text


def test_without_an_index_the_agent_is_told_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    listing = read_listing(FlatFolder("t", "filememory", tmp_path, Settings()))
    assert (listing.index_state, listing.agent_text) == (IndexState.MISSING, "")
    assert [row.standing for row in listing.rows] == [Standing.UNLISTED]


def test_a_search_finds_what_the_agents_search_finds(demo_flat: FlatFolder) -> None:
    found = list(search(demo_flat, "KETTLE|mule$", "*.md"))
    assert found == [FlatHit("packing.md", 5, "- The small kettle.", 12, 18)]
    assert list(search(demo_flat, "kettle", "*.csv")) == []
    assert {hit.name for hit in search(demo_flat, "late chapter", folder="letters")} == set()
    assert {hit.name for hit in search(demo_flat, "chapter", folder="letters")} == {"draft-to-diya.md"}


def test_matches_are_pointed_at_in_characters(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("夢😀x\r\nx夢\n".encode())
    flat = FlatFolder("t", "filememory", tmp_path, Settings())
    assert list(search(flat, "x")) == [FlatHit("a.md", 1, "夢😀x", 2, 3), FlatHit("a.md", 2, "x夢", 0, 1)]


def test_a_pattern_that_the_agent_would_be_refused_is_refused(demo_flat: FlatFolder) -> None:
    with pytest.raises(FileMemoryError, match="error parsing regexp: missing closing"):
        list(search(demo_flat, "("))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("WEATHER", ["weather-lore.md"]),
        ("letter owed", ["people-on-the-road.md"]),
        ("station !day", []),
        ("walk !stage", []),
        ("maps", ["old-maps.txt"]),
        ("", None),
        ("!", None),
    ],
)
def test_a_filter_looks_at_names_and_descriptions(demo_flat: FlatFolder, typed: str, found: list[str] | None) -> None:
    rows = read_listing(demo_flat).rows
    names = [row.name for row in rows if matches(row, typed)]
    assert names == ([row.name for row in rows] if found is None else found)


def test_the_check_up_of_the_demo(demo_flat: FlatFolder) -> None:
    checkup = FlatCheckup(demo_flat)
    assert [(found.kind.value, found.severity.value, found.key) for found in checkup.findings()] == [
        ("stale-index", "warning", "memories.md"),
        ("beyond-index", "note", "memories.md"),
        ("not-utf8", "warning", "clipping.txt"),
        ("orphan-description", "warning", "mule.md_description.md"),
        ("legacy-description", "note", "old-maps_description.md"),
    ]
    assert checkup.checked == 57


def test_every_oddity_has_its_finding(tmp_path: Path) -> None:
    (tmp_path / "memories.md").write_bytes(b"\xff")
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbfx")
    (tmp_path / "open.md").write_bytes(b"x")
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "a.txt").write_bytes(b"x")
    (tmp_path / "a_description.md").write_bytes(b"whose?")
    (tmp_path / "link.md").symlink_to("a.md")
    (tmp_path / "a\nb").touch()
    for name in ("bom.md", "a.md", "a.txt"):
        os.chmod(tmp_path / name, 0o600)
    os.chmod(tmp_path / "open.md", 0o644)
    found = findings_of(read_listing(FlatFolder("t", "filememory", tmp_path, Settings())))
    assert [(each.kind.value, each.key) for each in found] == [
        ("unreadable-index", "memories.md"),
        ("byte-order-mark", "bom.md"),
        ("open-to-others", "open.md"),
        ("unreachable-name", "a\nb"),
        ("ambiguous-description", "a_description.md"),
        ("link-or-special-file", "link.md"),
    ]


def test_an_empty_folder_is_in_order(tmp_path: Path) -> None:
    assert list(FlatCheckup(FlatFolder("t", "filememory", tmp_path, Settings())).findings()) == []


def test_the_folder_is_followed_when_it_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.md").write_text("old")
    flat = FlatFolder("t", "filememory", root, Settings())
    assert read_text(flat, "a.md") == "old"
    root.rename(tmp_path / "away")
    root.mkdir()
    (root / "a.md").write_text("new")
    assert read_text(flat, "a.md") == "new"

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryClosedError, FileMemoryError
from wenchang.filememory.survey import Finding, IndexState, Mark
from wenchang.filememory.view import FolderView


@pytest.fixture
def odd_root(root: Path) -> Path:
    """One of everything that is odd."""
    for name in ("plain.md", "both.md", "both.json", "older.md", "now.md"):
        (root / name).write_text(f"text of {name}\n")
    (root / "bom.md").write_bytes(b"\xef\xbb\xbfmarked")
    (root / "latin.md").write_bytes(b"caf\xe9")
    (root / "wide.md").write_text("x")
    for path in root.iterdir():
        path.chmod(0o600)
    (root / "wide.md").chmod(0o640)
    (root / "now.md_description.md").write_text("Now")
    (root / "older_description.md").write_text("Older")
    (root / "both_description.md").write_text("Whose?")
    (root / "gone.md_description.md").write_text("Gone")
    (root / "link.md").symlink_to("plain.md")
    os.mkfifo(root / "pipe")
    (root / "a\nb.md").write_text("x")
    (root / "c:x_description.md").symlink_to("plain.md")
    for folder in ("users/alice", "users/bob", "empty", ".wenchang-staging", "users/indexed"):
        (root / folder).mkdir(parents=True)
    (root / "users/alice/x.md").write_text("x")
    (root / "users/bob/x_description.md").write_text("x")
    (root / "users/indexed/memories.md").write_text("# Memory Index\n\n")
    (root / ".wenchang-staging/half").write_text("x")
    (root / "users/loop").symlink_to("../users")
    return root


def test_a_survey_tells_what_is_odd(odd_root: Path) -> None:
    with FolderView(odd_root) as view:
        survey = view.survey()
    assert {row.name: (row.description, set(row.marks)) for row in survey.memories} == {
        "bom.md": ("", {Mark.BYTE_ORDER_MARK}),
        "both.json": ("", set()),
        "both.md": ("", set()),
        "latin.md": ("", {Mark.NOT_TEXT}),
        "now.md": ("Now", set()),
        "older.md": ("Older", set()),
        "plain.md": ("", set()),
        "wide.md": ("", {Mark.WIDE_MODE}),
    }
    assert survey.findings == (
        Finding("a\nb.md", Mark.UNREACHABLE_NAME),
        Finding("both_description.md", Mark.AMBIGUOUS_DESCRIPTION),
        Finding("c:x_description.md", Mark.SKIPPED),
        Finding("gone.md_description.md", Mark.ORPHAN_DESCRIPTION),
        Finding("link.md", Mark.SKIPPED),
        Finding("older_description.md", Mark.LEGACY_DESCRIPTION),
        Finding("pipe", Mark.SKIPPED),
    )
    assert (survey.index_state, survey.index_text) == (IndexState.MISSING, "")


def test_looking_changes_nothing(odd_root: Path) -> None:
    before = {path: os.lstat(path) for path in odd_root.rglob("*")}
    with FolderView(odd_root) as view:
        for folder in view.working_folders():
            view.survey(folder)
            view.search("x", "*", folder)
        view.text("plain.md")
    after = {path: os.lstat(path) for path in odd_root.rglob("*")}
    assert {path: (s.st_ino, s.st_mtime_ns) for path, s in after.items()} == {
        path: (s.st_ino, s.st_mtime_ns) for path, s in before.items()
    }


def test_working_folders_are_those_that_hold_something(odd_root: Path) -> None:
    with FolderView(odd_root) as view:
        assert view.working_folders() == ("", "users/alice", "users/indexed")
        assert [row.name for row in view.survey("users/alice").memories] == ["x.md"]


def test_rows_tell_size_time_and_place_in_the_index(memory: Memory) -> None:
    for number in range(51):
        (memory.root / f"m-{number:02}.md").write_text("é\n")
    memory.write("m-51.md", "z")
    os.utime(memory.root / "m-00.md", (86400, 86400))
    (memory.root / "m-000.md").write_text("after the index")
    with FolderView(memory.root) as view:
        survey = view.survey()
    assert survey.index_state is IndexState.STALE
    assert survey.index_text == memory.index
    rows = {row.name: row for row in survey.memories}
    assert [name for name, row in rows.items() if not row.is_indexed] == ["m-000.md", "m-50.md", "m-51.md"]
    assert (rows["m-00.md"].size, rows["m-00.md"].modified) == (3, datetime(1970, 1, 2, tzinfo=UTC))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_an_index_is_current_if_it_is_what_a_write_would_make(memory: Memory, ending: str) -> None:
    memory.write("a.md", "x", "d: e")
    (memory.root / "memories.md").write_bytes(memory.index.replace("\n", ending).encode())
    with FolderView(memory.root) as view:
        survey = view.survey()
    assert survey.index_state is (IndexState.CURRENT if ending == "\n" else IndexState.STALE)
    assert [row.is_indexed for row in survey.memories] == [True]


def test_an_index_that_cannot_be_read_is_said_to_be_so(root: Path) -> None:
    (root / "memories.md").write_bytes(b"\xff")
    with FolderView(root) as view:
        assert view.survey().index_state is IndexState.UNREADABLE


def test_people_search_and_read_as_agents_do(memory: Memory) -> None:
    memory.write("a.md", "needle\n", "d")
    with FolderView(memory.root) as view:
        (match,) = view.search("NEEDLE", "*.md")
        assert (match.file_name, match.matching_lines[0].line) == ("a.md", "needle\n")
        assert view.text("a.md") == "needle\n"
        for name in ("missing", "memories.md", "a.md_description.md", "../root/a.md"):
            with pytest.raises(FileMemoryError, match="there is no memory"):
                view.text(name)
        with pytest.raises(FileMemoryError, match="error parsing regexp"):
            view.search("(")
        with pytest.raises(FileMemoryError, match="there is no folder"):
            view.survey("missing")
        with pytest.raises(FileMemoryError, match="invalid path"):
            view.survey("..")
    with pytest.raises(FileMemoryClosedError):
        view.survey()


def test_a_view_makes_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FolderView(tmp_path / "missing")
    assert files(tmp_path) == set()

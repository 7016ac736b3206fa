from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryError
from wenchang.filememory.curator import Curator
from wenchang.filememory.errors import FileChangedError
from wenchang.filememory.survey import IndexState

INDEX = "# Memory Index\n\n"


@pytest.fixture
def curator(root: Path) -> Iterator[Curator]:
    with Curator(root) as opened:
        yield opened


def version(curator: Curator, name: str, folder: str = "") -> str:
    return next(row.version for row in curator.survey(folder).memories if row.name == name)


def test_editing_content_keeps_the_description_and_the_mark(memory: Memory, curator: Curator) -> None:
    memory.write("a.md", "x", "d")
    (memory.root / "a.md").write_bytes(b"\xef\xbb\xbfold")
    curator.edit("a.md", "new\r\n", version(curator, "a.md"))
    assert (memory.root / "a.md").read_bytes() == b"\xef\xbb\xbfnew\r\n"
    assert memory.ls() == [{"name": "a.md", "type": "file", "description": "d"}]


def test_a_description_is_edited_alone(memory: Memory, curator: Curator) -> None:
    memory.write("a.md", "x")
    curator.describe("a.md", "about a", version(curator, "a.md"))
    assert memory.index == INDEX + "- **a.md**: about a\n"
    assert memory.read("a.md") == "x"
    curator.describe("a.md", " ", version(curator, "a.md"))
    assert files(memory.root) == {"a.md", "memories.md"}
    assert memory.index == INDEX + "- **a.md**\n"


def test_deleting_takes_the_description_along(memory: Memory, curator: Curator) -> None:
    memory.write("a.md", "x", "d")
    curator.delete("a.md", version(curator, "a.md"))
    assert files(memory.root) == {"memories.md"}
    assert memory.index == INDEX


@pytest.mark.parametrize("companion", ["a.md_description.md", "a_description.md"])
@pytest.mark.parametrize("target", ["b.md", "a.txt", "A.md", "a"])
def test_renaming_takes_the_description_along(root: Path, curator: Curator, companion: str, target: str) -> None:
    (root / "a.md").write_text("x")
    (root / companion).write_text("d")
    curator.rename("a.md", target, version(curator, "a.md"))
    assert files(root) == {target, f"{target}_description.md", "memories.md"}
    assert (root / "memories.md").read_text() == f"{INDEX}- **{target}**: d\n"


def test_renaming_does_not_adopt_a_description_that_was_left_over(root: Path, curator: Curator) -> None:
    (root / "a.md").write_text("x")
    (root / "b.md_description.md").write_text("of something else")
    curator.rename("a.md", "b.md", version(curator, "a.md"))
    assert files(root) == {"b.md", "memories.md"}


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("a.md", 'there is already a file "a.md"'),
        ("b.md", 'there is already a file "b.md"'),
        ("folder", 'there is already a file "folder"'),
        ("memories.md", "reserved"),
        ("x/y", "subdirectory"),
        ("", "must not be empty"),
    ],
)
def test_a_name_that_is_taken_or_no_name_is_no_target(
    memory: Memory, curator: Curator, target: str, error: str
) -> None:
    memory.write("a.md", "a", "of a")
    memory.write("b.md", "b")
    (memory.root / "folder").mkdir()
    before = files(memory.root)
    with pytest.raises(FileMemoryError, match=error):
        curator.rename("a.md", target, version(curator, "a.md"))
    assert files(memory.root) == before
    assert (memory.read("a.md"), memory.read("b.md")) == ("a", "b")


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.write("a.md", "agent"),
        lambda memory: memory.write("a.md", "x", "agent"),
        lambda memory: memory.replace("a.md", "x", "y"),
        lambda memory: memory.delete("a.md"),
    ],
    ids=["content", "description", "edit", "delete"],
)
def test_what_an_agent_changed_meanwhile_is_not_overwritten(
    memory: Memory, curator: Curator, change: Callable[[Memory], str]
) -> None:
    memory.write("a.md", "x", "d")
    seen = version(curator, "a.md")
    change(memory)
    before = {name: (memory.root / name).read_bytes() for name in files(memory.root)}
    uses: list[Callable[[], None]] = [
        lambda: curator.edit("a.md", "mine", seen),
        lambda: curator.describe("a.md", "mine", seen),
        lambda: curator.rename("a.md", "mine.md", seen),
        lambda: curator.delete("a.md", seen),
    ]
    for use in uses:
        with pytest.raises(FileChangedError, match=r'"a.md" changed since it was read'):
            use()
    assert {name: (memory.root / name).read_bytes() for name in files(memory.root)} == before


def test_a_file_that_is_no_text_can_be_deleted_or_renamed_but_not_edited(root: Path, curator: Curator) -> None:
    (root / "a.md").write_bytes(b"\xff")
    with pytest.raises(FileMemoryError, match="is not UTF-8 text"):
        curator.edit("a.md", "x", version(curator, "a.md"))
    curator.rename("a.md", "b.md", version(curator, "a.md"))
    assert (root / "b.md").read_bytes() == b"\xff"
    curator.delete("b.md", version(curator, "b.md"))
    assert files(root) == {"memories.md"}


def test_older_descriptions_move_to_the_names_of_today(root: Path, curator: Curator) -> None:
    for name in ("a.md", "b.md", "c.md", "c.json"):
        (root / name).write_text("x")
    (root / "a_description.md").write_bytes(b"\xef\xbb\xbfof a")
    (root / "b.md_description.md").write_text("of b")
    (root / "c_description.md").write_text("of c?")
    assert curator.migrate_descriptions() == ("a.md",)
    assert (root / "a.md_description.md").read_text() == "of a"
    assert not (root / "a_description.md").exists()
    assert (root / "c_description.md").read_text() == "of c?"
    assert curator.survey().index_state is IndexState.CURRENT
    assert curator.migrate_descriptions() == ()


def test_only_descriptions_that_are_still_orphans_are_removed(memory: Memory, curator: Curator) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (memory.root / f"{name}_description.md").write_text("d")
    (memory.root / "b.md").write_text("came back")
    names = ("a.md_description.md", "b.md_description.md", "b.md", "missing")
    assert curator.remove_orphans(names) == ("a.md_description.md",)
    assert files(memory.root) == {"b.md", "b.md_description.md", "c.md_description.md"}


def test_changes_happen_in_the_folder_they_name(root: Path, curator: Curator) -> None:
    (root / "users/alice").mkdir(parents=True)
    (root / "users/alice/a.md").write_text("x")
    curator.edit("a.md", "y", version(curator, "a.md", "users/alice"), "users/alice")
    curator.rebuild_index("users/alice")
    assert (root / "users/alice/a.md").read_text() == "y"
    assert (root / "users/alice/memories.md").read_text() == INDEX + "- **a.md**\n"
    with pytest.raises(FileMemoryError, match="there is no folder"):
        curator.rebuild_index("users/bob")

"""Folders as the .NET, Python and Go providers leave them: opened, understood, and worked on."""

from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryProvider, State

BOM = b"\xef\xbb\xbf"


def as_dotnet_writes(folder: Path, name: str, content: str, description: str | None) -> None:
    """A mark before every file, the description in place of the extension, CRLF in the index of Windows."""
    (folder / name).write_bytes(BOM + content.encode())
    stem = name.rpartition(".")[0] or name
    if description is not None:
        (folder / f"{stem}_description.md").write_bytes(BOM + description.encode())
    line = f"- **{name}**: {description}\r\n" if description else f"- **{name}**\r\n"
    (folder / "memories.md").write_bytes(BOM + b"# Memory Index\r\n\r\n" + line.encode())


def as_python_writes(folder: Path, name: str, content: str, description: str) -> None:
    """No mark, LF, the description in place of the extension, files for all to read."""
    stem = name.rpartition(".")[0] or name
    index = f"# Memory Index\n\n- **{name}**: {description}\n"
    for file, text in ((name, content), (f"{stem}_description.md", description), ("memories.md", index)):
        (folder / file).write_bytes(text.encode())
        (folder / file).chmod(0o644)


def test_a_folder_of_dotnet_is_understood_and_edited_in_its_own_encoding(root: Path) -> None:
    as_dotnet_writes(root, "plan.md", "step one\r\nstep two\r\n", "The plan")
    memory = Memory(FileMemoryProvider(root), root)
    (message,) = memory.provider.invoking().messages
    assert message.text.endswith("\n\n# Memory Index\r\n\r\n- **plan.md**: The plan\r\n")
    assert memory.read("plan.md") == "step one\r\nstep two\r\n"
    assert memory.ls() == [{"name": "plan.md", "type": "file", "description": "The plan"}]
    assert memory.grep("^step one$")[0]["matchingLines"] == [{"lineNumber": 1, "line": "step one\r\n"}]
    memory.replace("plan.md", "two", "2")
    memory.replace_lines("plan.md", (1, "step 1\r\n"))
    assert (root / "plan.md").read_bytes() == BOM + b"step 1\r\nstep 2\r\n"
    assert (root / "memories.md").read_bytes().startswith(BOM)
    memory.write("other.md")
    assert (root / "memories.md").read_bytes() == b"# Memory Index\n\n- **other.md**\n- **plan.md**: The plan\n"
    memory.write("plan.md", "new", "New plan")
    assert (root / "plan.md").read_bytes() == b"new"
    assert files(root) == {"plan.md", "plan.md_description.md", "other.md", "memories.md"}


def test_a_folder_of_python_is_taken_over_and_keeps_its_modes(root: Path) -> None:
    as_python_writes(root, "plan.md", "a", "The plan")
    memory = Memory(FileMemoryProvider(root), root)
    memory.write("plan.md", "b")
    assert files(root) == {"plan.md", "memories.md"}
    assert {path.stat().st_mode & 0o777 for path in root.iterdir() if path.is_file()} == {0o644}


def test_the_folder_of_another_program_is_chosen_by_the_initializer(root: Path) -> None:
    folder = root / "20260807_101500_5f0c"
    folder.mkdir()
    as_dotnet_writes(folder, "a", "x", None)
    memory = Memory(FileMemoryProvider(root, state_initializer=lambda _: State(folder.name)), root)
    assert memory.names() == ["a"]


def test_a_shared_legacy_description_belongs_to_no_one(root: Path) -> None:
    as_python_writes(root, "plan.md", "a", "The plan")
    memory = Memory(FileMemoryProvider(root), root)
    assert memory.ls()[0]["description"] == "The plan"
    memory.write("plan.json", "{}")
    assert memory.ls() == [{"name": "plan.json", "type": "file"}, {"name": "plan.md", "type": "file"}]
    memory.write("plan.json", "{}", "Own")
    memory.delete("plan.json")
    assert (root / "plan_description.md").exists()
    assert memory.ls() == [{"name": "plan.md", "type": "file", "description": "The plan"}]
    memory.delete("plan.md")
    assert files(root) == {"memories.md"}


def test_the_description_of_a_file_without_extension_is_its_own_alone(root: Path) -> None:
    as_python_writes(root, "plan", "a", "Of plan")
    memory = Memory(FileMemoryProvider(root), root)
    memory.write("plan.md", "b")
    assert memory.ls() == [
        {"name": "plan", "type": "file", "description": "Of plan"},
        {"name": "plan.md", "type": "file"},
    ]
    memory.delete("plan.md")
    assert memory.ls() == [{"name": "plan", "type": "file", "description": "Of plan"}]


@pytest.mark.parametrize("own", [b"", b"Own"])
def test_a_description_of_today_hides_the_legacy_one(root: Path, own: bytes) -> None:
    as_python_writes(root, "plan.md", "a", "Legacy")
    (root / "plan.md_description.md").write_bytes(own)
    memory = Memory(FileMemoryProvider(root), root)
    assert memory.ls()[0].get("description", "") == own.decode()


def test_what_we_write_is_what_the_others_hide_or_list(root: Path) -> None:
    """The rule they share: every file is a memory but the index and what ends in the suffix."""
    memory = Memory(FileMemoryProvider(root), root)
    memory.write("a.md", "x", "d")
    memory.write("b", "y")
    memory.replace("b", "y", "z")
    memory.delete("missing")
    visible = {n for n in files(root) if n.lower() != "memories.md" and not n.lower().endswith("_description.md")}
    assert visible == {"a.md", "b"}

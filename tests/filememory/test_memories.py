"""What the tools do to a folder, told by the folder."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryError

INDEX = "# Memory Index\n\n"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_write_makes_memory_description_and_index_for_the_owner_alone(memory: Memory) -> None:
    assert memory.write("notes.md", "remember this", "Short note") == 'File "notes.md" written with description.'
    made = {"notes.md", "notes.md_description.md", "memories.md"}
    assert files(memory.root) == made
    assert {mode(memory.root / name) for name in made} == {0o600}
    assert (memory.root / "notes.md").read_bytes() == b"remember this"
    assert (memory.root / "notes.md_description.md").read_bytes() == b"Short note"
    assert memory.index == "# Memory Index\n\n- **notes.md**: Short note\n"


def test_writing_again_without_a_description_removes_it(memory: Memory) -> None:
    for blank in (None, "", " \n"):
        memory.write("notes.md", "1", "Short note")
        assert memory.write("notes.md", "2", blank) == 'File "notes.md" written.'
        assert files(memory.root) == {"notes.md", "memories.md"}
        assert memory.index == INDEX + "- **notes.md**\n"
        assert memory.read("notes.md") == "2"


def test_names_that_share_a_stem_have_their_own_descriptions(memory: Memory) -> None:
    memory.write("notes.md", "", "m")
    memory.write("notes.json", "")
    assert memory.ls() == [
        {"name": "notes.json", "type": "file"},
        {"name": "notes.md", "type": "file", "description": "m"},
    ]
    assert memory.index == INDEX + "- **notes.json**\n- **notes.md**: m\n"


def test_content_is_kept_byte_for_byte(memory: Memory) -> None:
    content = "\r\n a\u2028\x00\x1b\n\n é 😀\r"
    memory.write("a", content, " x\r\n")
    assert (memory.root / "a").read_bytes() == content.encode()
    assert (memory.root / "a_description.md").read_bytes() == b" x\r\n"
    assert memory.read("a") == content
    memory.write("a", "")
    assert memory.read("a") == ""


def test_order_ignores_case_except_between_names_that_are_otherwise_the_same(memory: Memory) -> None:
    for name in ("b.md", "c.md", "A.md", "a.md", "_.md", "Z"):
        memory.write(name)
    expected = ["_.md", "A.md", "a.md", "b.md", "c.md", "Z"]
    assert memory.names() == expected
    assert memory.index == INDEX + "".join(f"- **{name}**\n" for name in expected)
    assert [row["fileName"] for row in memory.grep("^$")] == []


def test_the_index_holds_fifty_and_the_listing_all(memory: Memory) -> None:
    for number in range(54):
        (memory.root / f"m-{number:03}.md").write_text("x")
    memory.write("m-054.md")
    lines = memory.index.removeprefix(INDEX).splitlines()
    assert len(lines) == 50
    assert lines[-1] == "- **m-049.md**"
    assert [len(memory.ls(glob)) for glob in ("*.MD", "*.*", "sub/*", "?-000.md")] == [55, 55, 0, 0]
    assert len(memory.grep("", "m-05*")) == 4


def test_a_description_of_several_lines_is_one_line_in_the_index_only(memory: Memory) -> None:
    memory.write("a.md", "", " one\r\n\ttwo \u2028three ")
    assert memory.index == INDEX + "- **a.md**: one two three\n"
    assert memory.ls()[0]["description"] == " one\r\n\ttwo \u2028three "


def test_names_stand_in_the_index_as_they_are(memory: Memory) -> None:
    memory.write("*_[a]_*.md", "", "**b** <x>")
    assert memory.index == INDEX + "- ***_[a]_*.md**: **b** <x>\n"


def test_what_is_not_there_is_an_answer_not_an_error(memory: Memory) -> None:
    missing = 'File "x.md" not found.'
    assert memory.read("x.md") == missing
    assert memory.replace("x.md", "", "") == missing
    assert memory.replace_lines("x.md") == missing
    assert memory.ls() == memory.grep("x") == []
    assert files(memory.root) == set()


def test_deleting_what_is_not_there_still_writes_the_index_anew(memory: Memory) -> None:
    (memory.root / "notes.md").write_text("by hand")
    (memory.root / "x.md_description.md").write_text("left over")
    assert memory.delete("x.md") == 'File "x.md" not found.'
    assert files(memory.root) == {"notes.md", "memories.md"}
    assert memory.index == INDEX + "- **notes.md**\n"


def test_deleting_the_last_memory_leaves_an_index_that_is_still_told(memory: Memory) -> None:
    memory.write("a.md", "x", "y")
    assert memory.delete("a.md") == 'File "a.md" deleted.'
    assert files(memory.root) == {"memories.md"}
    assert memory.index == INDEX
    (message,) = memory.provider.invoking().messages
    assert message.text.endswith("\n\n" + INDEX)


def test_edits_leave_description_and_index_alone(memory: Memory) -> None:
    memory.write("a.md", "foo bar foo", "d")
    (memory.root / "memories.md").write_text("stale")
    with pytest.raises(FileMemoryError, match=r"^old_string occurs 2 times; "):
        memory.replace("a.md", "foo", "baz")
    assert memory.read("a.md") == "foo bar foo"
    assert memory.replace("a.md", "foo", "baz", True) == 'Replaced 2 occurrence(s) in "a.md".'
    assert memory.replace_lines("a.md", (1, "x\ny\n")) == 'Replaced 1 line(s) in "a.md".'
    assert memory.read("a.md") == "x\ny\n"
    assert memory.index == "stale"
    assert memory.ls()[0]["description"] == "d"


def test_line_edits_keep_the_terminators_of_other_lines(memory: Memory) -> None:
    memory.write("a.md", "a\r\nb\rc\nd")
    assert memory.replace_lines("a.md", (2, "B\r"), (4, "")) == 'Replaced 2 line(s) in "a.md".'
    assert (memory.root / "a.md").read_bytes() == b"a\r\nB\rc\n"


def test_a_refused_edit_changes_nothing(memory: Memory) -> None:
    memory.write("a.md", "one\ntwo\n")
    for edits in ([(1, "x"), (3, "y")], [(1, "x"), (1, "y")], []):
        with pytest.raises(FileMemoryError):
            memory.replace_lines("a.md", *edits)
    assert memory.read("a.md") == "one\ntwo\n"


def test_a_name_is_told_back_as_given(memory: Memory) -> None:
    assert memory.write('say "hi"\\', "x") == 'File "say \\"hi\\"\\\\" written.'
    assert memory.names() == ['say "hi"']
    assert memory.read('no "hi"/') == 'File "no \\"hi\\"/" not found.'


@pytest.mark.parametrize("name", ["Memories.MD", "q_DESCRIPTION.md", "a.md_description.md", ".WENCHANG-staging"])
@pytest.mark.parametrize(
    "use",
    [
        lambda memory, name: memory.write(name, "x"),
        lambda memory, name: memory.read(name),
        lambda memory, name: memory.delete(name),
        lambda memory, name: memory.replace(name, "a", "b"),
        lambda memory, name: memory.replace_lines(name, (1, "x")),
    ],
    ids=["write", "read", "delete", "replace", "replace_lines"],
)
def test_no_tool_reaches_the_files_of_the_system(memory: Memory, name: str, use: Callable[[Memory, str], str]) -> None:
    with pytest.raises(FileMemoryError) as caught:
        use(memory, name)
    assert str(caught.value) == "the provided file name is reserved by the system for internal use"
    assert files(memory.root) == set()


def test_descriptions_and_index_are_neither_searched_nor_listed(memory: Memory) -> None:
    memory.write("a.md", "text", "secret word")
    assert memory.grep("secret|Index") == []
    assert memory.names("*description*") == memory.names("memories.md") == []


def test_a_refused_name_leaves_nothing_on_the_disk(memory: Memory, tmp_path: Path) -> None:
    for name in ("notes/plan.md", "notes\\plan.md", "../x.md", "/x.md", "..", "c:x.md", "a\nb.md", "a" * 245):
        with pytest.raises(FileMemoryError):
            memory.write(name, "x")
    assert list(memory.root.iterdir()) == []
    assert list(tmp_path.iterdir()) == [memory.root]


def test_the_longest_name_has_room_for_its_description(memory: Memory) -> None:
    name = "é" * 120
    memory.write(name, "x", "d")
    assert memory.ls() == [{"name": name, "type": "file", "description": "d"}]


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_nothing_new_is_open_to_others_even_without_a_umask(no_umask: None, memory: Memory) -> None:
    memory.write("a.md", "x", "d")
    memory.replace("a.md", "x", "y")
    assert {mode(path) for path in memory.root.iterdir() if path.is_file()} == {0o600}
    assert mode(memory.root / ".wenchang-staging") == 0o700


def test_a_file_that_exists_keeps_its_mode(memory: Memory) -> None:
    for name in ("a.md", "a.md_description.md", "memories.md"):
        (memory.root / name).write_text("old")
        (memory.root / name).chmod(0o644)
    memory.write("a.md", "new", "new")
    assert memory.read("a.md") == "new"
    assert {mode(memory.root / n) for n in ("a.md", "a.md_description.md", "memories.md")} == {0o644}
    memory.replace("a.md", "new", "newer")
    assert mode(memory.root / "a.md") == 0o644


def test_search_and_listing_agree_on_the_pattern(memory: Memory) -> None:
    memory.write("a.md", "x")
    memory.write("b.txt", "x")
    assert memory.names("**/*.MD") == ["a.md"]
    assert memory.grep("X", "*.TXT") == [
        {"fileName": "b.txt", "snippet": "x", "matchingLines": [{"lineNumber": 1, "line": "x"}]}
    ]


def test_rows_are_compact_json_in_the_order_of_their_keys(memory: Memory) -> None:
    memory.write("é.md", "É\n", "d")
    memory.write("f.md", "x")
    assert memory.call("ls") == ('[{"name":"f.md","type":"file"},{"name":"é.md","type":"file","description":"d"}]')
    assert memory.call("grep", regex_pattern="é") == (
        '[{"fileName":"é.md","snippet":"É\\n","matchingLines":[{"lineNumber":1,"line":"É\\n"}]}]'
    )


def test_the_index_is_rebuilt_for_people_too(memory: Memory) -> None:
    (memory.root / "by hand.md").write_text("x")
    memory.provider.rebuild_index()
    assert memory.index == INDEX + "- **by hand.md**\n"

"""What lies in a folder, or happens to it, that the tools must not follow, touch, or stumble over."""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryError, FileMemoryProvider, State
from wenchang.filememory import directory as directory_module


@pytest.fixture(params=["by handle", "by path"])
def memory(root: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Also as on a system that cannot open relative to a folder."""
    if request.param == "by path":
        monkeypatch.setattr(directory_module, "RELATIVE_OPENS", False)
    with FileMemoryProvider(root) as provider:
        assert (provider._root._handle.fd is None) == (request.param == "by path")
        yield Memory(provider, root)


def make_link(path: Path) -> None:
    (path.parent.parent / "outside.md").write_text("outside")
    path.symlink_to("../outside.md")


def make_inner_link(path: Path) -> None:
    (path.parent / "inside.md").write_text("inside")
    path.symlink_to("inside.md")


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(path.parent)  # such a name may not be long
        try:
            bound.bind(path.name)
        finally:
            os.chdir(here)


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "within.md").write_text("within")


FOREIGN: dict[str, Callable[[Path], None]] = {
    "link": make_link,
    "inner link": make_inner_link,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "pipe": os.mkfifo,
    "socket": make_socket,
    "folder": make_folder,
}


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_regular_file_is_no_memory(memory: Memory, make: Callable[[Path], None]) -> None:
    path = memory.root / "odd.md"
    make(path)
    memory.write("a.md", "inside outside within")
    before = os.lstat(path).st_ino
    assert "odd.md" not in memory.names()
    assert "within.md" not in memory.names()
    assert "odd.md" not in memory.index
    assert "odd.md" not in {row["fileName"] for row in memory.grep("")}
    uses: list[Callable[[], str]] = [
        lambda: memory.read("odd.md"),
        lambda: memory.write("odd.md", "x"),
        lambda: memory.delete("odd.md"),
        lambda: memory.replace("odd.md", "o", "x"),
        lambda: memory.replace_lines("odd.md", (1, "x")),
    ]
    for use in uses:
        with pytest.raises(FileMemoryError) as caught:
            use()
        assert str(caught.value) == 'file "odd.md" is not a regular file'
        assert isinstance(caught.value.__cause__, OSError)
    assert os.lstat(path).st_ino == before
    if make is make_link:
        assert (memory.root.parent / "outside.md").read_text() == "outside"


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_regular_file_describes_nothing(memory: Memory, make: Callable[[Path], None]) -> None:
    companion = memory.root / "a.md_description.md"
    make(companion)
    memory.write("a.md", "x")
    assert [row for row in memory.ls() if row["name"] == "a.md"] == [{"name": "a.md", "type": "file"}]
    assert "- **a.md**\n" in memory.index
    assert memory.grep("outside|within") == []
    with pytest.raises(FileMemoryError, match="is not a regular file"):
        memory.write("a.md", "the memory comes first", "d")
    assert memory.read("a.md") == "the memory comes first"
    memory.delete("a.md")
    assert os.path.lexists(companion)


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_regular_file_is_no_index(memory: Memory, make: Callable[[Path], None]) -> None:
    make(memory.root / "memories.md")
    assert memory.provider.invoking().messages == ()
    with pytest.raises(FileMemoryError, match=r'"memories.md" is not a regular file'):
        memory.write("a.md", "x")
    assert memory.read("a.md") == "x"


@pytest.mark.parametrize("place", ["users", "users/alice"])
@pytest.mark.parametrize("kind", ["link out", "link in", "file", "pipe"])
def test_a_working_folder_is_not_reached_through_anything_but_folders(
    root: Path, tmp_path: Path, place: str, kind: str
) -> None:
    target = tmp_path / "elsewhere" if kind == "link out" else root / "elsewhere"
    (target / "alice").mkdir(parents=True)
    (target / "x.md").write_text("secret")
    odd = root / place
    odd.parent.mkdir(exist_ok=True)
    if kind == "file":
        odd.write_text("")
    elif kind == "pipe":
        os.mkfifo(odd)
    else:
        odd.symlink_to(target)
    memory = Memory(FileMemoryProvider(root, state_initializer=lambda _: State("users/alice")), root)
    before = files(tmp_path)
    for use in (
        lambda: memory.provider.invoking(),
        lambda: memory.ls(),
        lambda: memory.grep("x"),
        lambda: memory.read("x.md"),
        lambda: memory.write("x.md", "x"),
        lambda: memory.delete("x.md"),
        lambda: memory.provider.rebuild_index(),
    ):
        with pytest.raises(FileMemoryError, match="is not a folder") as caught:
            use()
        assert str(tmp_path) not in str(caught.value)
    assert files(tmp_path) == before


def test_the_staging_folder_is_not_reached_through_a_link(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x").write_text("theirs")
    (memory.root / ".wenchang-staging").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileMemoryError, match=r'".wenchang-staging" is not a folder'):
        memory.write("a.md", "x")
    FileMemoryProvider(memory.root).close()
    assert files(tmp_path / "elsewhere") == {"x"}


def test_the_provider_stays_with_its_folder_when_the_path_is_renamed_or_replaced(root: Path, tmp_path: Path) -> None:
    memory = Memory(FileMemoryProvider(root), root)
    memory.write("a.md", "old place")
    root.rename(tmp_path / "moved")
    root.symlink_to(tmp_path / "decoy")
    (tmp_path / "decoy").mkdir()
    assert memory.read("a.md") == "old place"
    memory.write("b.md", "x")
    assert (tmp_path / "moved" / "b.md").read_text() == "x"
    assert list((tmp_path / "decoy").iterdir()) == []


def test_a_write_to_a_root_that_is_gone_is_an_error_without_its_path(root: Path) -> None:
    memory = Memory(FileMemoryProvider(root), root)
    shutil.rmtree(root)
    with pytest.raises(FileMemoryError, match="cannot be used: No such file or directory") as caught:
        memory.write("a.md")
    assert str(root) not in str(caught.value)
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    assert not root.exists()


@pytest.mark.parametrize(
    "name", [b"\xff.md", b"a\nb.md", b"c:x.md", b"a" * 241, b"a\\b.md", b" ", b"\xc2\x85", b"- **x**\r"]
)
def test_a_file_that_no_tool_can_address_is_passed_over_and_kept(memory: Memory, name: bytes) -> None:
    path = os.fsencode(memory.root) + b"/" + name
    with open(path, "wb") as file:
        file.write(b"needle")
    memory.write("a.md", "x")
    assert memory.names() == ["a.md"]
    assert memory.grep("needle") == []
    assert memory.index == "# Memory Index\n\n- **a.md**\n"
    with open(path, "rb") as file:
        assert file.read() == b"needle"


@pytest.mark.parametrize("data", [b"\xff", b"a\xed\xa0\x80", b"\xc3", b"\xfe\xff\x00a", b"caf\xe9 needle\n"])
def test_a_file_that_is_not_utf8_is_listed_but_never_read_or_changed(memory: Memory, data: bytes) -> None:
    (memory.root / "b.md").write_bytes(data)
    memory.write("a.md", "needle")
    memory.write("c.md", "needle")
    assert memory.names() == ["a.md", "b.md", "c.md"]
    assert [row["fileName"] for row in memory.grep("needle")] == ["a.md", "c.md"]
    uses: list[Callable[[], str]] = [
        lambda: memory.read("b.md/"),
        lambda: memory.replace("b.md/", "", "x"),
        lambda: memory.replace_lines("b.md/"),
    ]
    for use in uses:
        with pytest.raises(FileMemoryError) as caught:
            use()
        assert str(caught.value) == 'file "b.md/" is not UTF-8 text'
    assert (memory.root / "b.md").read_bytes() == data
    assert memory.write("b.md", "replaced") == 'File "b.md" written.'
    assert memory.delete("b.md") == 'File "b.md" deleted.'


def test_a_description_that_is_not_utf8_is_none(memory: Memory) -> None:
    memory.write("a.md", "x")
    (memory.root / "a.md_description.md").write_bytes(b"\xff")
    (memory.root / "a_description.md").write_bytes(b"the older one is not asked then")
    assert memory.ls() == [{"name": "a.md", "type": "file"}]


def test_a_folder_works_the_same_by_path(memory: Memory) -> None:
    assert memory.write("a.md", "one\ntwo\n", "d") == 'File "a.md" written with description.'
    assert memory.replace_lines("a.md", (1, "1\n")) == 'Replaced 1 line(s) in "a.md".'
    assert memory.read("a.md") == "1\ntwo\n"
    assert memory.ls() == [{"name": "a.md", "type": "file", "description": "d"}]
    assert memory.delete("a.md") == 'File "a.md" deleted.'
    assert files(memory.root) == {"memories.md"}

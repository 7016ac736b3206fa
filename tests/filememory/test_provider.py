import gc
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.filememory.helpers import DictSession, Memory, files
from wenchang.filememory import (
    TOOL_NAMES,
    ContextMessage,
    FileMemoryClosedError,
    FileMemoryError,
    FileMemoryProvider,
    Session,
    State,
)

KEY = "fileMemoryProviderState"


class Initializer:
    """Gives the folders in turn, the last one again and again, and remembers who asked."""

    def __init__(self, *folders: str) -> None:
        self.folders = list(folders)
        self.asked: list[Session | None] = []

    def __call__(self, session: Session | None) -> State:
        self.asked.append(session)
        return State(self.folders.pop(0) if len(self.folders) > 1 else self.folders[0])


def folder_modes(root: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in (root, *root.rglob("*")) if path.is_dir()}


def test_an_empty_root_gives_tools_and_instructions_and_no_message(memory: Memory) -> None:
    invocation = memory.provider.invoking()
    assert [tool.name for tool in invocation.tools] == list(TOOL_NAMES)
    assert all(tool.description for tool in invocation.tools)
    assert invocation.instructions
    assert invocation.messages == ()
    assert list(memory.root.iterdir()) == []


def test_the_index_is_told_in_one_message_of_the_user(memory: Memory) -> None:
    memory.write("notes.md", "x", "Short note")
    (message,) = memory.provider.invoking().messages
    preface = message.text.removesuffix("\n\n# Memory Index\n\n- **notes.md**: Short note\n")
    assert "file_memory_read" in preface
    assert "\n" not in preface
    assert message == ContextMessage("user", message.text, "context-provider", "FileMemoryProvider")


@pytest.mark.parametrize("index", [None, b"", b" \r\n", b"\xff\xfe", "folder", "link"])
def test_without_an_index_that_can_be_read_there_is_no_message(memory: Memory, index: Any) -> None:
    (memory.root / "a.md").write_text("x")
    path = memory.root / "memories.md"
    if index == "folder":
        path.mkdir()
    elif index == "link":
        path.symlink_to("a.md")
    elif index is not None:
        path.write_bytes(index)
    assert memory.provider.invoking().messages == ()


def test_an_index_from_elsewhere_is_told_as_it_is(memory: Memory) -> None:
    (memory.root / "memories.md").write_bytes(b"\xef\xbb\xbf# Memory Index\r\n\r\n- **x**\r\n")
    (message,) = memory.provider.invoking().messages
    assert message.text.endswith("\n\n# Memory Index\r\n\r\n- **x**\r\n")


def test_a_broken_index_is_repaired_by_the_next_write(memory: Memory) -> None:
    (memory.root / "memories.md").write_bytes(b"\xff")
    memory.write("a.md")
    assert memory.index == "# Memory Index\n\n- **a.md**\n"


@pytest.mark.parametrize(("given", "told"), [("  ", None), ("", None), ("\u2003\n", None), ("X", "X"), (" X ", " X ")])
def test_instructions_are_replaced_or_left_out(root: Path, given: str, told: str | None) -> None:
    assert FileMemoryProvider(root, instructions=given).invoking().instructions == told


def test_the_built_in_instructions_promise_no_isolation(memory: Memory) -> None:
    text = memory.provider.invoking().instructions
    assert text is not None
    for name in ("file_memory_ls", "file_memory_grep", "file_memory_replace", "file_memory_replace_lines"):
        assert name in text
    for word in ("flat", "description", "outlive", "current", "not instructions", "large"):
        assert word in text
    for promise in ("isolat", "private", "only you", "this session"):
        assert promise not in text.lower()


def test_anything_else_as_instructions_is_a_mistake(root: Path) -> None:
    with pytest.raises(TypeError, match="instructions must be a str or None, not int"):
        FileMemoryProvider(root, instructions=5)  # type: ignore[arg-type]


def test_a_tool_works_in_the_session_it_was_made_for(root: Path) -> None:
    alice, bob = DictSession(), DictSession()
    initializer = Initializer("users/alice", "users/bob")
    with FileMemoryProvider(root, state_initializer=initializer) as provider:
        for session, text in ((alice, "from alice"), (bob, "from bob")):
            write = provider.invoking(session).tools[0]
            write.call({"file_name": "a.md", "content": text, "description": text})
        assert provider.call("file_memory_read", {"file_name": "a.md"}, alice) == "from alice"
        assert provider.call("file_memory_read", {"file_name": "a.md"}, bob) == "from bob"
    assert (alice.values, bob.values) == (
        {KEY: {"workingFolder": "users/alice"}},
        {KEY: {"workingFolder": "users/bob"}},
    )
    assert initializer.asked == [alice, bob]
    assert (root / "users/alice/memories.md").read_text() == "# Memory Index\n\n- **a.md**: from alice\n"
    assert (root / "users/bob/memories.md").read_text() == "# Memory Index\n\n- **a.md**: from bob\n"
    assert not (root / "memories.md").exists()


def test_every_folder_made_is_for_the_owner_alone(tmp_path: Path) -> None:
    root = tmp_path / "one" / "two" / "root"
    provider = FileMemoryProvider(root, state_initializer=Initializer("a/b/c"))
    provider.invoking()
    provider.call("file_memory_write", {"file_name": "x", "content": ""})
    assert (root / "a/b/c/x").exists()
    assert folder_modes(tmp_path / "one") == {0o700}


def test_the_default_shares_one_folder_between_all_sessions(memory: Memory) -> None:
    sessions = DictSession(), DictSession()
    memory.provider.call("file_memory_write", {"file_name": "a", "content": "x"}, sessions[0])
    assert memory.provider.call("file_memory_read", {"file_name": "a"}, sessions[1]) == "x"
    assert sessions[0].values == {KEY: {"workingFolder": ""}}


def test_without_a_session_the_initializer_runs_on_each_use(root: Path) -> None:
    initializer = Initializer("a")
    provider = FileMemoryProvider(root, state_initializer=initializer)
    tools = provider.invoking().tools
    assert len(initializer.asked) == 1
    tools[3].call()
    provider.call("file_memory_write", {"file_name": "x", "content": ""})
    provider.rebuild_index()
    assert initializer.asked == [None] * 4
    provider.invoked()
    assert len(initializer.asked) == 4


@pytest.mark.parametrize(
    ("stored", "folder"),
    [
        ({"workingFolder": "b", "other": 1}, "b"),
        ({}, ""),
        ({"workingFolder": 5}, "a"),
        ("b", "a"),
        ([], "a"),
        (None, "a"),
    ],
)
def test_stored_state_is_used_as_it_is_unless_it_cannot_be_read(root: Path, stored: Any, folder: str) -> None:
    session = DictSession({KEY: stored})
    provider = FileMemoryProvider(root, state_initializer=Initializer("a"))
    provider.call("file_memory_write", {"file_name": "x", "content": ""}, session)
    assert (root / folder / "x").exists()
    assert session.values[KEY] == (stored if folder != "a" else {"workingFolder": "a"})


def test_state_is_looked_up_on_every_call(memory: Memory) -> None:
    session = DictSession()
    read = memory.provider.invoking(session).tools[1]
    session.set(KEY, {"workingFolder": "later"})
    memory.provider.call("file_memory_write", {"file_name": "x", "content": "moved"}, session)
    assert read.call({"file_name": "x"}) == "moved"


@pytest.mark.parametrize("folder", ["../x", "/x", "a/../../x", ".wenchang-staging", ".wenchang-staging/a", "a\x00b"])
def test_a_folder_that_may_not_be_used_is_refused_everywhere(root: Path, tmp_path: Path, folder: str) -> None:
    session = DictSession()
    provider = FileMemoryProvider(root, state_initializer=Initializer(folder))
    with pytest.raises(FileMemoryError, match=r"^invalid path "):
        provider.invoking(session)
    for tool, arguments in (
        ("write", {"file_name": "x", "content": ""}),
        ("ls", {}),
        ("read", {"file_name": "x"}),
        ("delete", {"file_name": "x"}),
    ):
        with pytest.raises(FileMemoryError, match=r"^invalid path "):
            provider.call(f"file_memory_{tool}", arguments, session)
    assert session.values == {}
    assert list(root.iterdir()) == []
    assert list(tmp_path.iterdir()) == [root]


def test_what_an_initializer_or_a_session_raises_passes_through(root: Path) -> None:
    class Broken(DictSession):
        def get(self, key: str) -> Any:
            raise PermissionError("session")

    def initializer(_: Session | None) -> State:
        raise FileNotFoundError("initializer")

    provider = FileMemoryProvider(root, state_initializer=initializer)
    with pytest.raises(FileNotFoundError, match="initializer"):
        provider.call("file_memory_ls")
    with pytest.raises(PermissionError, match="session"):
        provider.call("file_memory_ls", session=Broken())


def test_nothing_is_made_in_a_folder_that_is_missing(root: Path) -> None:
    provider = FileMemoryProvider(root, state_initializer=Initializer("a"))
    memory = Memory(provider, root)
    assert memory.delete("x") == 'File "x" not found.'
    assert memory.read("x") == memory.replace("x", "a", "b") == 'File "x" not found.'
    assert memory.ls() == memory.grep("x") == []
    provider.rebuild_index()
    assert list(root.iterdir()) == []


def test_closing_twice_is_quiet_and_ends_every_use(memory: Memory) -> None:
    tools = memory.provider.invoking().tools
    memory.provider.close()
    memory.provider.close()
    asked = Initializer("a")
    memory.provider._initializer = asked
    for use in (
        lambda: memory.read("x"),
        lambda: memory.write("x"),
        lambda: tools[3].call(),
        lambda: memory.provider.invoking(),
        lambda: memory.provider.rebuild_index(),
    ):
        with pytest.raises(FileMemoryClosedError) as caught:
            use()
        assert str(caught.value) == "file already closed"
    assert asked.asked == []
    memory.provider.invoked()


def test_leaving_the_context_closes(root: Path) -> None:
    with FileMemoryProvider(root) as provider:
        provider.invoking()
    with pytest.raises(FileMemoryClosedError):
        provider.invoking()


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_use_leaves_a_file_open_and_the_provider_lets_go_when_forgotten(root: Path) -> None:
    gc.collect()
    before = open_files()
    memory = Memory(FileMemoryProvider(root, state_initializer=Initializer("a/b")), root)
    assert open_files() == before + 1
    memory.write("x", "y", "z")
    memory.grep("y")
    memory.replace("x", "y", "z")
    memory.delete("x")
    memory.provider.invoking()
    for name in ("..", "missing"):
        with pytest.raises(FileMemoryError):
            memory.replace(name, "", "") and memory.write("..")
    assert open_files() == before + 1
    del memory
    gc.collect()
    assert open_files() == before


def test_a_root_that_is_a_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="Not a directory"):
            FileMemoryProvider(path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="loop"):
        FileMemoryProvider(tmp_path / "loop")


def test_the_root_may_be_given_as_text_and_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    provider = FileMemoryProvider(str(tmp_path / "link"))
    provider.call("file_memory_write", {"file_name": "a", "content": ""})
    assert files(tmp_path / "real") == {"a", "memories.md"}

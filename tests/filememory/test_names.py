import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.filememory import FileMemoryError
from wenchang.filememory.names import LegacyCompanions, checked_name, companion_of, folder_segments, is_memory_name

EMPTY = "file_name must not be empty"
NESTED = "memory files must not be written into a subdirectory; choose a flat file name without path separators"
RESERVED = "the provided file name is reserved by the system for internal use"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("notes.md", "notes.md"),
        ("notes.md/", "notes.md"),
        ("notes.md\\", "notes.md"),
        ("notes..md", "notes..md"),
        (".env", ".env"),
        ("a b.md", "a b.md"),
        (" a ", " a "),
        ("日本.md", "日本.md"),
        ("1:x", "1:x"),
        ("é:x", "é:x"),
        ("ab:x", "ab:x"),
        ("memories.md.bak", "memories.md.bak"),
        ("_deſcription.md", "_deſcription.md"),
        ("a" * 240, "a" * 240),
    ],
)
def test_a_flat_name_is_taken(raw: str, name: str) -> None:
    assert checked_name(raw) == name


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ("", EMPTY),
        (" \t\xa0", EMPTY),
        ("/", EMPTY),
        ("\\/", EMPTY),
        ("a/b", NESTED),
        ("a\\b", NESTED),
        ("../x", NESTED),
        ("/a/b", NESTED),
        ("sub/memories.md", NESTED),
        (".", 'invalid file_name "."'),
        ("..", 'invalid file_name ".."'),
        ("../", 'invalid file_name "../"'),
        ("/x.md", 'invalid file_name "/x.md"'),
        ("\\x.md", 'invalid file_name "\\\\x.md"'),
        ("/memories.md", 'invalid file_name "/memories.md"'),
        ("c:x.md", 'invalid file_name "c:x.md"'),
        ("Z:", 'invalid file_name "Z:"'),
        ("a\nb.md", 'invalid file_name "a\\nb.md"'),
        ("a\x00", 'invalid file_name "a\\x00"'),
        ("a\x7f", 'invalid file_name "a\\x7f"'),
        ("a\u2028", 'invalid file_name "a\\u2028"'),
        ("\nmemories.md", 'invalid file_name "\\nmemories.md"'),
        ("memories.md", RESERVED),
        ("Memories.MD/", RESERVED),
        ("_description.md", RESERVED),
        ("x_description.md", RESERVED),
        ("q_DESCRIPTION.md", RESERVED),
        (".wenchang-staging", RESERVED),
        ("a" * 241, f'invalid file_name "{"a" * 241}"'),
        ("é" * 121, f'invalid file_name "{"é" * 121}"'),
    ],
)
def test_the_first_rule_that_a_name_breaks_decides_the_error(raw: str, error: str) -> None:
    with pytest.raises(FileMemoryError) as caught:
        checked_name(raw)
    assert str(caught.value) == error


@given(st.text(max_size=20))
def test_a_name_on_disk_is_a_memory_exactly_if_a_tool_reaches_it(name: str) -> None:
    try:
        reachable = checked_name(name) == name
    except (FileMemoryError, UnicodeEncodeError):
        reachable = False
    assert is_memory_name(name) == reachable


def test_a_companion_is_named_after_the_whole_name() -> None:
    assert companion_of("notes.md") == "notes.md_description.md"
    assert companion_of("noext") == "noext_description.md"
    assert companion_of(".env") == ".env_description.md"


@pytest.mark.parametrize(
    ("name", "others", "companion"),
    [
        ("plan.md", [], "plan_description.md"),
        ("plan.v2.md", [], "plan.v2_description.md"),
        ("plan.md", ["plan.json"], None),
        ("plan.md", ["plan"], None),
        ("plan", [], None),
        (".env", [], None),
        (".env.local", [], ".env_description.md"),
        (".env.local", [".env"], None),
        ("notes.md.bak", ["notes.md"], None),
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_legacy_companion_has_one_possible_owner(
    name: str, others: list[str], companion: str | None, is_there: bool
) -> None:
    assert LegacyCompanions([*others, name] if is_there else others).of(name) == companion


@pytest.mark.parametrize(
    ("folder", "segments"),
    [
        ("", ()),
        (" \n", ()),
        ("users/alice", ("users", "alice")),
        ("users\\alice/", ("users", "alice")),
        ("a//b///c", ("a", "b", "c")),
        ("..a/...", ("..a", "...")),
        ("a/.wenchang-staging", ("a", ".wenchang-staging")),
        ("a\ud800", ("a\ufffd",)),
    ],
)
def test_a_working_folder_is_a_relative_path(folder: str, segments: tuple[str, ...]) -> None:
    assert folder_segments(folder) == segments


RELATIVE = "paths must be relative and must not start with '/', '\\\\', or a drive root"
DOTS = "paths must not contain '.' or '..' segments"


@pytest.mark.parametrize(
    ("folder", "error"),
    [
        ("/x", f'invalid path "/x": {RELATIVE}'),
        ("\\x", f'invalid path "\\\\x": {RELATIVE}'),
        ("c:x", f'invalid path "c:x": {RELATIVE}'),
        ("/../x", f'invalid path "/../x": {RELATIVE}'),
        ("../x", f'invalid path "../x": {DOTS}'),
        ("a\\..\\b", f'invalid path "a\\\\..\\\\b": {DOTS}'),
        ("a/./b", f'invalid path "a/./b": {DOTS}'),
        ("a\x00", 'invalid path "a\\x00": paths must not contain control characters'),
        (
            ".Wenchang-Staging/x",
            'invalid path ".Wenchang-Staging/x": this folder is reserved by the system for internal use',
        ),
    ],
)
def test_a_working_folder_cannot_leave_the_root(folder: str, error: str) -> None:
    with pytest.raises(FileMemoryError) as caught:
        folder_segments(folder)
    assert str(caught.value) == error

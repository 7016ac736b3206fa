"""What an agent may pass, tool by tool, and what is checked before what."""

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.tools.support import QIAO, make_store, make_tools
from wenchang.errors import (
    InvalidArgumentError,
    OversizeWriteError,
    RestrictedScopeError,
    RestrictionReason,
    VersionConflictError,
)
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.identity import Identity
from wenchang.tools import TOOL_NAMES, MemoryTools

VALID: dict[str, Any] = {
    "scope": "user",
    "area": "notes",
    "name": "n",
    "content": "x\n",
    "description": "d",
    "aliases": ["a"],
    "expected_version": "1",
    "line": "- [stated] x",
    "old_string": "x",
    "new_string": "y",
    "cursor": None,
}
WRITES = ("write_file", "append_line", "replace_fact", "delete_file")
LOCATED = ("read_file", *WRITES)


def parameters(tool: str) -> list[str]:
    return [name for name in inspect.signature(getattr(MemoryTools, tool)).parameters if name != "self"]


def taking(argument: str) -> list[str]:
    return [tool for tool in TOOL_NAMES if argument in parameters(tool)]


def call(tools: MemoryTools, tool: str, **changed: Any) -> Any:
    arguments = {name: {**VALID, **changed}[name] for name in parameters(tool)}
    return getattr(tools, tool)(**arguments)


def fresh_tools(identity: Identity = QIAO) -> MemoryTools:
    return make_tools(make_store()[1], identity)


def refused(tool: str, **changed: Any) -> tuple[str, str]:
    """Which argument is refused, and how."""
    with pytest.raises(InvalidArgumentError) as caught:
        call(fresh_tools(), tool, **changed)
    head = f"Argument {caught.value.argument} is invalid: "
    assert caught.value.detail.startswith(head)
    return caught.value.argument, caught.value.detail.removeprefix(head)


class Lying(str):
    def __str__(self) -> str:
        return "lie"

    def encode(self, *_: Any) -> bytes:
        return b""


TEXTS = ("scope", "area", "name", "content", "line", "old_string", "new_string", "description", "expected_version")
NULLABLE = {
    ("list_prefix", "area"),
    ("write_file", "expected_version"),
    ("append_line", "description"),
    ("replace_fact", "description"),
}


@pytest.mark.parametrize("value", [None, 1, b"x", ["x"], {"a": 1}], ids=repr)
@pytest.mark.parametrize("argument", TEXTS)
def test_a_text_is_a_string(argument: str, value: Any) -> None:
    for tool in taking(argument):
        if value is None and (tool, argument) in NULLABLE:
            continue
        detail = f"{argument} must be a string, not {type(value).__name__}"
        assert refused(tool, **{argument: value}) == (argument, detail)


@pytest.mark.parametrize("argument", [text for text in TEXTS if text not in ("old_string", "expected_version")])
def test_a_text_that_is_stored_or_names_a_place_is_utf8(argument: str) -> None:
    value = "- [stated] \ud800" if argument == "line" else "\ud800"
    for tool in taking(argument):
        assert refused(tool, **{argument: value}) == (argument, f"{argument} is not valid UTF-8 text")


@pytest.mark.parametrize("tool", LOCATED)
def test_places_are_checked_by_type_then_by_encoding(tool: str) -> None:
    assert refused(tool, scope="\ud800", area="\ud800", name=1)[1] == "name must be a string, not int"
    assert refused(tool, scope="nowhere", area="\ud800", name="\ud800")[1] == "area is not valid UTF-8 text"


@pytest.mark.parametrize("tool", [*LOCATED, "list_prefix"])
def test_a_scope_without_a_grant_is_told_with_those_that_have_one(tool: str) -> None:
    detail = "scope 'User' is not available in this session; available scopes: press, project, user"
    assert refused(tool, scope="User", area="NO SLUG") == ("scope", detail)


@pytest.mark.parametrize("area", ["", ".", "..", "a/b", "a\\b", "a\n", "\x00"])
@pytest.mark.parametrize("tool", [*LOCATED, "list_prefix"])
def test_an_area_that_is_no_segment_is_told_in_the_words_of_the_path(tool: str, area: str) -> None:
    assert refused(tool, area=area, name="..") == ("area", f"invalid area: {area!r}")


@pytest.mark.parametrize("area", ["A", "Notes", "-a", "_a", "a b", "a.b", "caf\u00e9", "a\u00a0", "\u0661"])
@pytest.mark.parametrize("tool", [*LOCATED, "list_prefix"])
def test_an_area_is_a_lowercase_slug(tool: str, area: str) -> None:
    detail = f"area {area!r} must be a lowercase slug: a-z0-9 first, then a-z0-9, '-' or '_'"
    assert refused(tool, area=area, name="\u200b") == ("area", detail)


@pytest.mark.parametrize("name", ["", ".", "..", "../other", "a/b", "a\\b", "a\tb", "a\x85"])
@pytest.mark.parametrize("tool", LOCATED)
def test_a_name_that_is_no_segment_is_told_in_the_words_of_the_path(tool: str, name: str) -> None:
    assert refused(tool, name=name, area="Not-A-Slug") == ("name", f"invalid name: {name!r}")


@pytest.mark.parametrize(
    ("character", "code"),
    [
        ("\u00ad", "00AD"),
        ("\u200b", "200B"),
        ("\u202e", "202E"),
        ("\u2028", "2028"),
        ("\u2029", "2029"),
        ("\ufeff", "FEFF"),
        ("\ufdd0", "FDD0"),
        ("\ufdef", "FDEF"),
        ("\uffff", "FFFF"),
        ("\U0001fffe", "1FFFE"),
        ("\U0010ffff", "10FFFF"),
        ("\U000e0001", "E0001"),
    ],
)
@pytest.mark.parametrize("tool", LOCATED)
def test_a_name_has_nothing_invisible(tool: str, character: str, code: str) -> None:
    detail = f"name must not contain invisible, separator, or noncharacter U+{code}"
    assert refused(tool, name=f"a{character}b\u200b") == ("name", detail)


@pytest.mark.parametrize(
    "name", ["a b", "caf\u00e9", "乔林", "\U0001f600", "b.md", "v1.2", "-", "\ufdcf", "\ufdf0", "~"]
)
def test_other_names_are_fine(name: str) -> None:
    tools = fresh_tools()
    assert call(tools, "write_file", name=name, expected_version=None).path == f"user/u-qiao/notes/{name}.md"
    assert call(tools, "read_file", name=name).content == "x\n"


BAD_REST = {
    "content": None,
    "description": None,
    "aliases": None,
    "line": None,
    "old_string": None,
    "new_string": None,
    "expected_version": 1,
}


@pytest.mark.parametrize("tool", WRITES)
def test_permission_comes_before_the_remaining_arguments(tool: str) -> None:
    for scope, area, reason in (
        ("user", "system", RestrictionReason.SYSTEM_READ_ONLY),
        ("press", "system", RestrictionReason.SYSTEM_READ_ONLY),
        ("press", "notes", RestrictionReason.ROLE_REQUIRED),
    ):
        with pytest.raises(RestrictedScopeError) as caught:
            call(fresh_tools(), tool, scope=scope, area=area, **BAD_REST)
        assert caught.value.reason is reason


@pytest.mark.parametrize("tool", WRITES)
def test_a_place_comes_before_permission(tool: str) -> None:
    assert refused(tool, scope="press", area="system", name="..")[0] == "name"
    assert refused(tool, scope="press", area="System", name="a")[0] == "area"
    assert refused(tool, scope="press", area="notes", name="\u200b")[0] == "name"


@pytest.mark.parametrize("tool", WRITES)
def test_the_remaining_arguments_are_checked_in_their_order(tool: str) -> None:
    rest = [name for name in parameters(tool) if name not in ("scope", "area", "name")]
    for number, argument in enumerate(rest):
        wrong = dict.fromkeys(rest[number:], 1)
        assert refused(tool, **wrong)[0] == argument


@pytest.mark.parametrize("character", list("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), ids=ascii)
@pytest.mark.parametrize("tool", ["write_file", "append_line", "replace_fact"])
def test_a_description_is_one_line_to_every_reader(tool: str, character: str) -> None:
    assert refused(tool, description=f"a{character}b\n") == ("description", "description must be a single line")


@pytest.mark.parametrize("character", ["\n", "\r"])
@pytest.mark.parametrize("tool", ["write_file", "append_line", "replace_fact"])
def test_a_line_break_in_a_description_is_told_in_the_words_of_metadata(tool: str, character: str) -> None:
    detail = "description must not contain a newline or carriage return"
    assert refused(tool, description=f"a{character}") == ("description", detail)


@pytest.mark.parametrize(
    ("value", "kind"), [("ab", "str"), (b"ab", "bytes"), (bytearray(b"a"), "bytearray"), ({"a"}, "set"), (1, "int")]
)
@pytest.mark.parametrize("tool", ["write_file", "append_line", "replace_fact"])
def test_aliases_are_a_list(tool: str, value: Any, kind: str) -> None:
    assert refused(tool, aliases=value) == ("aliases", f"aliases must be a list of strings, not {kind}")
    assert refused(tool, aliases=["a", 1, "\ud800"]) == ("aliases", "aliases must be a string, not int")
    assert refused(tool, aliases=["a", "\ud800"]) == ("aliases", "aliases is not valid UTF-8 text")


@pytest.mark.parametrize(
    "line", ["", "x", "[stated] x", "- [Stated] x", "- [stated] ", "- [stated] x\n", "- [stated] x\n- [stated] y"]
)
def test_a_line_is_one_fact(line: str) -> None:
    detail = (
        "line must be a single fact line with a [stated], [observed], [inferred], or [system] label and non-empty text"
    )
    assert refused("append_line", line=line) == ("line", detail)


def test_an_old_text_is_not_empty_but_may_be_any_other() -> None:
    assert refused("replace_fact", old_string="") == ("old_string", "old_string must not be empty")
    tools = fresh_tools()
    version = call(tools, "write_file", expected_version=None).version
    with pytest.raises(Exception, match="old_string matched 0 spans"):
        call(tools, "replace_fact", old_string="\ud800", expected_version=version)


def test_subclasses_of_str_count_as_what_they_hold() -> None:
    tools = fresh_tools()
    texts = {name: Lying(value) for name, value in VALID.items() if isinstance(value, str)}
    written = call(tools, "write_file", **{**texts, "expected_version": None, "aliases": [Lying("a")]})
    assert written.path == "user/u-qiao/notes/n.md"
    assert {type(text) for text in (written.path, written.content, *written.metadata.aliases)} == {str}
    assert call(tools, "append_line", **{**texts, "expected_version": written.version}).content.startswith("x\n- [")
    assert refused("write_file", content=Lying("\ud800"))[0] == "content"


# Cursors


def paged(page: int = 1) -> tuple[MemoryTools, Callable[[str], Any]]:
    storage, store = make_store(list_page_size=page)
    tools = make_tools(store)
    for scope, area, name in (("user", "notes", "a"), ("user", "notes", "b"), ("user", "other", "c")):
        call(tools, "write_file", scope=scope, area=area, name=name, expected_version=None)
    return tools, lambda key: storage.put(key, b"x", {})


BAD_CURSOR = "cursor is not valid for this scope and area; list again without a cursor"


def test_pages_follow_each_other() -> None:
    tools, _ = paged()
    first = tools.list_prefix("user", "notes")
    second = tools.list_prefix("user", "notes", first.next_cursor)
    paths = [entry.path for page in (first, second) for entry in page.entries]
    assert paths == ["user/u-qiao/notes/a.md", "user/u-qiao/notes/b.md"]
    assert second.next_cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "!", "\ud800", "\u00e9", Lying("x")], ids=ascii)
def test_a_cursor_from_nowhere_is_refused_without_a_prefix(cursor: str) -> None:
    tools, _ = paged()
    for area in ("notes", None):
        with pytest.raises(InvalidArgumentError) as caught:
            tools.list_prefix("user", area, cursor)
        assert caught.value.argument == "cursor"
        assert caught.value.detail == f"Argument cursor is invalid: {BAD_CURSOR}"
        assert isinstance(caught.value.__cause__, ValueError)


def test_a_cursor_of_another_area_is_refused() -> None:
    tools, _ = paged()
    cursor = tools.list_prefix("user", "notes").next_cursor
    for scope, area in (("user", "other"), ("project", "notes"), ("project", None)):
        with pytest.raises(InvalidArgumentError) as caught:
            tools.list_prefix(scope, area, cursor)
        assert BAD_CURSOR in caught.value.detail


@pytest.mark.parametrize("value", [1, b"x", ["x"]])
def test_a_cursor_is_a_string(value: Any) -> None:
    assert refused("list_prefix", cursor=value) == ("cursor", f"cursor must be a string, not {type(value).__name__}")


def test_damaged_metadata_is_not_the_cursors_fault() -> None:
    tools, put = paged()
    cursor = tools.list_prefix("user", "notes").next_cursor
    put("user/u-qiao/notes/b.md")
    with pytest.raises(MetadataFormatError):
        tools.list_prefix("user", "notes", cursor)


# What the client raises comes through


def test_errors_of_the_client_are_the_agents() -> None:
    storage, store = make_store(max_file_bytes=10)
    tools = make_tools(store)
    with pytest.raises(OversizeWriteError):
        call(tools, "write_file", content="x" * 11, expected_version=None)
    call(tools, "write_file", expected_version=None)
    with pytest.raises(VersionConflictError):
        call(tools, "delete_file", expected_version="7")
    metadata = {"description": "d", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}
    storage.put("user/u-qiao/notes/n.md", b"\xff", metadata)
    with pytest.raises(UnicodeDecodeError):
        call(tools, "read_file")


def test_reading_under_system_is_open() -> None:
    _, store = make_store()
    metadata = FileMetadata("d", (), frozenset(), datetime(2026, 1, 1, tzinfo=UTC))
    store.write_file("press/o-1/system/style.md", "- [system] x\n", metadata, None, source="seed")
    tools = make_tools(store)
    assert tools.read_file("press", "system", "style").content == "- [system] x\n"
    assert len(tools.list_prefix("press", "system").entries) == 1

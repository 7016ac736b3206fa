import json
from types import MappingProxyType
from typing import Any

import pytest

from tests.filememory.helpers import Memory, files
from wenchang import filememory
from wenchang.filememory import TOOL_NAMES, FileMemoryError

NAMES = [
    "file_memory_write",
    "file_memory_read",
    "file_memory_delete",
    "file_memory_ls",
    "file_memory_grep",
    "file_memory_replace",
    "file_memory_replace_lines",
]
EDIT = {"line_number": 1, "new_line": "x"}


def refusal(memory: Memory, tool: str, arguments: object) -> str:
    with pytest.raises(FileMemoryError) as caught:
        memory.provider.call(tool, arguments)  # type: ignore[arg-type]
    return str(caught.value)


def test_the_tools_have_their_names_and_order() -> None:
    constants = ("Write", "ReadFile", "DeleteFile", "Ls", "Grep", "Replace", "ReplaceLines")
    assert list(TOOL_NAMES) == NAMES
    assert [getattr(filememory, f"{name}ToolName") for name in constants] == NAMES


def test_every_schema_is_closed_and_says_what_must_be_given(memory: Memory) -> None:
    schemas = {tool.name: tool.input_schema for tool in memory.provider.invoking().tools}
    shapes = {name: (list(schema["properties"]), schema["required"]) for name, schema in schemas.items()}
    assert shapes == {
        "file_memory_write": (["file_name", "content", "description"], ["file_name", "content"]),
        "file_memory_read": (["file_name"], ["file_name"]),
        "file_memory_delete": (["file_name"], ["file_name"]),
        "file_memory_ls": (["glob_pattern"], []),
        "file_memory_grep": (["regex_pattern", "glob_pattern"], ["regex_pattern"]),
        "file_memory_replace": (
            ["file_name", "old_string", "new_string", "replace_all"],
            ["file_name", "old_string", "new_string"],
        ),
        "file_memory_replace_lines": (["file_name", "edits"], ["file_name", "edits"]),
    }
    item = schemas["file_memory_replace_lines"]["properties"]["edits"]["items"]
    assert item["required"] == ["line_number", "new_line"]
    for schema in (*schemas.values(), item):
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert all(member["description"] and member["type"] for member in schema["properties"].values())


def test_changing_a_schema_changes_no_other(memory: Memory) -> None:
    memory.provider.invoking().tools[0].input_schema["properties"].clear()
    assert memory.provider.invoking().tools[0].input_schema["properties"]


@pytest.mark.parametrize("nothing", [None, {}, "", " \n", "{}"])
def test_no_arguments_is_an_empty_object(memory: Memory, nothing: Any) -> None:
    assert memory.provider.call("file_memory_ls", nothing) == "[]"
    assert "file_name" in refusal(memory, "file_memory_read", nothing)


def test_arguments_may_be_json_text_or_any_mapping(memory: Memory) -> None:
    text = json.dumps({"file_name": "a.md", "content": "\ud83d\ude00"})
    assert memory.provider.call("file_memory_write", text) == 'File "a.md" written.'
    assert memory.provider.call("file_memory_read", MappingProxyType({"file_name": "a.md"})) == "😀"


@pytest.mark.parametrize(
    "arguments", ["[1]", "null", "5", '"x"', "{", "{} x", "[" * 100_000, '{"a": NaN}', [1], 5, b"{}"]
)
def test_anything_but_an_object_is_refused(memory: Memory, arguments: object) -> None:
    assert refusal(memory, "file_memory_ls", arguments).startswith("the arguments must be a JSON object")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("write", {"file_name": "a", "content": "", "desc": "x"}, ["desc", "file_name, content, description"]),
        ("write", {"file_name": "a"}, ["content"]),
        ("write", {"file_name": "a", "content": None}, ["content", "null"]),
        ("write", {"file_name": "a", "content": 5}, ["content", "a number"]),
        ("write", {"file_name": "a", "content": "", "description": []}, ["description", "an array"]),
        ("read", {"file_name": True}, ["file_name", "a boolean"]),
        ("read", {"fileName": "a"}, ["fileName"]),
        ("read", {5: "a", "file_name": "a"}, ["unknown"]),
        ("read", {"\ud800": "a", "file_name": "a"}, ["\ufffd"]),
        ("ls", {"glob_pattern": {}}, ["glob_pattern", "an object"]),
        ("grep", {"regex_pattern": None}, ["regex_pattern"]),
        ("replace", {"file_name": "a", "old_string": "", "new_string": "", "replace_all": "true"}, ["replace_all"]),
        ("replace", {"file_name": "a", "old_string": "", "new_string": "", "replace_all": 1}, ["replace_all"]),
        ("replace_lines", {"file_name": "a"}, ["edits"]),
        ("replace_lines", {"file_name": "a", "edits": "[]"}, ["edits", "a string"]),
        ("replace_lines", {"file_name": "a", "edits": EDIT}, ["edits", "an object"]),
        ("replace_lines", {"file_name": "a", "edits": [5]}, ["edits[0]"]),
        ("replace_lines", {"file_name": "a", "edits": [EDIT, {**EDIT, "x": 1}]}, ["edits[1]", "x"]),
        ("replace_lines", {"file_name": "a", "edits": [{"line_number": 1}]}, ["edits[0]", "new_line"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "line_number": True}]}, ["line_number", "integer"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "line_number": 1.5}]}, ["line_number", "integer"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "line_number": float("inf")}]}, ["integer"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "line_number": 10**5000}]}, ["integer"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "line_number": "1"}]}, ["integer"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "new_line": None}]}, ["new_line"]),
        ("replace_lines", {"file_name": "a", "edits": [{**EDIT, "expected_line": 1}]}, ["expected_line"]),
    ],
)
def test_arguments_of_the_wrong_shape_are_refused_by_name(
    memory: Memory, tool: str, arguments: object, told: list[str]
) -> None:
    message = refusal(memory, f"file_memory_{tool}", arguments)
    message.encode()
    assert all(part in message for part in told), message
    assert files(memory.root) == set()


def test_null_is_absent_where_an_argument_may_be(memory: Memory) -> None:
    memory.write("a.md", "x x", "about")
    memory.call("write", file_name="b.md", content="", description=None)
    assert memory.names(None) == ["a.md", "b.md"]
    assert [row["fileName"] for row in memory.grep("x", None)] == ["a.md"]
    with pytest.raises(FileMemoryError, match="occurs 2 times"):
        memory.replace("a.md", "x", "y", None)
    edits = [{"line_number": 1.0, "new_line": "y", "expected_line": None}]
    assert memory.call("replace_lines", file_name="a.md", edits=edits) == 'Replaced 1 line(s) in "a.md".'
    with pytest.raises(FileMemoryError, match="at least one line edit must be provided"):
        memory.call("replace_lines", file_name="a.md", edits=None)


def test_an_unknown_tool_is_an_error_that_names_the_tools(memory: Memory) -> None:
    assert "file_memory_write" in refusal(memory, "file_memory_append", {})


def test_a_surrogate_in_any_argument_is_replaced(memory: Memory) -> None:
    assert memory.write("a\ud800.md", "b\udfff", "c\ud800") == 'File "a\ufffd.md" written with description.'
    assert memory.read("a\ufffd.md") == "b\ufffd"
    assert memory.ls("A\udc00*") == [{"name": "a\ufffd.md", "type": "file", "description": "c\ufffd"}]
    assert memory.grep("B\udfff")[0]["snippet"] == "b\ufffd"
    memory.replace("a\ufffd.md", "\ud800", "\ud800\ud800")
    memory.replace_lines("a\ufffd.md", (1, "x\ud800"))
    assert memory.read("a\ufffd.md") == "x\ufffd"


def test_the_shape_of_arguments_comes_before_names_and_names_before_patterns(memory: Memory) -> None:
    memory.provider.close()
    assert "content" in refusal(memory, "file_memory_write", {"file_name": ""})
    assert refusal(memory, "file_memory_read", {"file_name": ""}) == "file_name must not be empty"
    assert "reserved" in refusal(memory, "file_memory_read", {"file_name": "memories.md"})
    assert "regexp" in refusal(memory, "file_memory_grep", {"regex_pattern": "("})
    assert refusal(memory, "file_memory_grep", {"regex_pattern": "x"}) == "file already closed"

"""How arguments reach a tool: as they were sent, or not at all."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.mcp.support import PLACE, WRITE, Host, payload_of, text_of
from wenchang.tools import TOOL_NAMES, tool_schemas

JSON_LOOKING = ("null", "[1]", '{"a": 1}', "true", "5", '"quoted"', "1e400", "[" * 2000, "9" * 5000, " null ", "")


def refusal_of(result: CallToolResult) -> str:
    """The framework's text: no structured content, no category."""
    assert result.is_error
    assert result.structured_content is None
    return text_of(result)


@pytest.mark.parametrize("text", JSON_LOOKING, ids=range(len(JSON_LOOKING)))
async def test_texts_arrive_exactly_as_sent(text: str) -> None:
    host = Host()
    written = payload_of(await host.call("write_file", **{**WRITE, "content": text, "description": text}))
    assert (written["content"], written["description"]) == (text, text)
    appended = payload_of(
        await host.call(
            "append_line", **PLACE, line=f"- [stated] {text}x", expected_version="1", description=f"{text}y"
        )
    )
    assert appended["description"] == f"{text}y"
    replaced = payload_of(
        await host.call(
            "replace_fact",
            **PLACE,
            old_string=f"- [stated] {text}x",
            new_string=text,
            expected_version="2",
            description=text,
        )
    )
    assert replaced["description"] == text
    assert replaced["content"].endswith(f"{text}\n")
    assert host.records[-1].arguments["description"] == text


@pytest.mark.parametrize("text", ["null", "[1]", "7"])
async def test_a_text_that_reads_null_is_a_version_or_cursor_like_any_other(text: str) -> None:
    host = Host()
    await host.call("write_file", **WRITE)
    stale = await host.call("delete_file", **PLACE, expected_version=text)
    assert payload_of(stale)["error"] == "VersionConflictError"
    listed = await host.call("list_prefix", scope="user", area="notes", cursor=text)
    assert payload_of(listed)["argument"] == "cursor"
    listed = await host.call("list_prefix", scope="user", area=text)
    assert payload_of(listed).get("argument") == ("area" if text == "[1]" else None)


@pytest.mark.parametrize("version", [None, "null"])
async def test_a_file_is_created_at_null_also_as_text(version: str | None) -> None:
    host = Host()
    created = await host.call("write_file", **{**WRITE, "expected_version": version})
    assert payload_of(created)["version"] == "1"
    assert host.records[0].arguments["expected_version"] is None


@pytest.mark.parametrize("aliases", [["a", "null"], '["a", "null"]', ' [ "a", "null" ] '])
async def test_aliases_may_be_the_json_text_of_a_list(aliases: Any) -> None:
    host = Host()
    assert payload_of(await host.call("write_file", **{**WRITE, "aliases": aliases}))["aliases"] == ["a", "null"]
    added = json.dumps(["b"]) if isinstance(aliases, str) else ["b"]
    appended = await host.call("append_line", **PLACE, line="- [stated] x", expected_version="1", aliases=added)
    assert payload_of(appended)["aliases"] == ["a", "null", "b"]


@pytest.mark.parametrize("aliases", ["a", "", "null", "5", '{"a": 1}', '"a"', "[", "[" * 2000, 5, {"a": 1}, True])
@pytest.mark.parametrize("tool", ["write_file", "append_line"])
async def test_anything_else_for_aliases_is_told_what_to_send(tool: str, aliases: Any) -> None:
    host = Host()
    rest = WRITE if tool == "write_file" else {**PLACE, "line": "- [stated] x", "expected_version": "1"}
    said = refusal_of(await host.call(tool, **{**rest, "aliases": aliases}))
    assert 'aliases\n  Input should be a list of strings, such as ["first", "second"]' in said
    assert host.records == []
    assert list(host.storage.list_page("", None, 1)) == []


async def test_null_for_an_optional_argument_is_its_absence() -> None:
    host = Host()
    await host.call("write_file", **{**WRITE, "aliases": ["a"]})
    appended = await host.call(
        "append_line", **PLACE, line="- [stated] x", expected_version="1", aliases=None, description=None
    )
    assert (payload_of(appended)["aliases"], payload_of(appended)["description"]) == (["a"], "d")
    listed = await host.call("list_prefix", scope="user", area=None, cursor=None)
    assert len(payload_of(listed)["entries"]) == 1


REQUIRED = [(tool, name) for tool, schema in tool_schemas().items() for name in schema["required"]]
FULL: dict[str, Any] = {
    **WRITE,
    "line": "- [stated] x",
    "old_string": "x",
    "new_string": "y",
    "expected_version": "1",
    "cursor": "c",
}


@pytest.mark.parametrize(("tool", "argument"), REQUIRED)
async def test_a_required_argument_that_is_missing_or_null_is_named(tool: str, argument: str) -> None:
    host = Host()
    given = {name: FULL[name] for name in tool_schemas()[tool]["required"]}
    missing = await host.call(tool, **{name: value for name, value in given.items() if name != argument})
    assert f"\n{argument}\n  Field required" in refusal_of(missing)
    if (tool, argument) != ("write_file", "expected_version"):
        assert f"\n{argument}\n  Input should be" in refusal_of(await host.call(tool, **{**given, argument: None}))
    assert host.records == []


@pytest.mark.parametrize("tool", TOOL_NAMES)
async def test_an_unknown_argument_is_refused_with_those_there_are(tool: str) -> None:
    host = Host()
    schema = tool_schemas()[tool]
    given = {name: FULL[name] for name in schema["properties"]}
    said = refusal_of(await host.call(tool, **given, ctx="x", Content="y"))
    names = ", ".join(schema["properties"]) or "none"
    for unknown in ("ctx", "Content"):
        assert f"\n{unknown}\n  This tool has no such argument; its arguments are: {names}" in said
    assert host.records == []
    assert list(host.storage.list_page("", None, 1)) == []


async def test_numbers_are_no_versions() -> None:
    host = Host()
    for version in (1, 2**60, 1.0, True):
        said = refusal_of(await host.call("write_file", **{**WRITE, "expected_version": version}))
        assert "\nexpected_version\n  Input should be a valid string" in said
    created = payload_of(await host.call("write_file", **WRITE))
    assert created["version"] == "1"
    big = await host.call("delete_file", **PLACE, expected_version=str(2**60 + 1))
    assert payload_of(big)["version"] == "1"


async def test_the_schemas_served_are_those_of_the_tools() -> None:
    async with Client(Host().server) as client:
        served = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    assert json.dumps(served) == json.dumps(dict(tool_schemas()))


async def test_the_schemas_served_are_those_enforced() -> None:
    for tool in Host().server._tool_manager.list_tools():
        enforced = tool.fn_metadata.arg_model.model_json_schema()
        properties = {
            name: {key: value for key, value in schema.items() if key != "title"}
            for name, schema in enforced["properties"].items()
        }
        assert properties == tool.parameters["properties"]
        assert list(properties) == list(tool.parameters["properties"])
        assert enforced.get("required", []) == tool.parameters["required"]

"""The tools as an MCP client meets them, over both generations of the protocol."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import Tool

from tests.filememory.helpers import DictSession, Memory, files
from wenchang.filememory import TOOL_NAMES, FileMemoryError, FileMemoryProvider, State
from wenchang.filememory.mcp import build_server


@dataclass(frozen=True)
class Agent:
    """A client that connects anew for each call."""

    server: MCPServer[Any]
    mode: str

    async def answer(self, tool: str, **arguments: Any) -> tuple[str, Any, bool]:
        """Text, structured content and error flag of a call; there is exactly one block of text."""
        async with Client(self.server, mode=self.mode) as client:
            result = await client.call_tool(f"file_memory_{tool}", arguments)
        (block,) = result.content
        assert block.type == "text"
        return block.text, result.structured_content, result.is_error

    async def tools(self) -> list[Tool]:
        async with Client(self.server, mode=self.mode) as client:
            return (await client.list_tools()).tools


@pytest.fixture(params=["auto", "legacy"])
def agent(memory: Memory, request: pytest.FixtureRequest) -> Agent:
    return Agent(build_server(memory.provider), request.param)


async def test_the_seven_tools_work_together(agent: Agent, memory: Memory) -> None:
    written = await agent.answer("write", file_name="a.md", content="one\ntwo\n", description="d")
    assert written == ('File "a.md" written with description.', None, False)
    assert await agent.answer("read", file_name="a.md") == ("one\ntwo\n", None, False)
    rows = [{"name": "a.md", "type": "file", "description": "d"}]
    assert await agent.answer("ls") == (memory.call("ls"), {"result": rows}, False)
    text, found, _ = await agent.answer("grep", regex_pattern="TWO", glob_pattern="*.md")
    assert text == memory.call("grep", regex_pattern="TWO")
    assert found == {"result": json.loads(text)}
    assert found["result"][0]["matchingLines"] == [{"lineNumber": 2, "line": "two\n"}]
    replaced = await agent.answer("replace", file_name="a.md", old_string="one", new_string="1")
    assert replaced == ('Replaced 1 occurrence(s) in "a.md".', None, False)
    edits = [{"line_number": 2, "new_line": "2\n", "expected_line": "two"}]
    edited = await agent.answer("replace_lines", file_name="a.md", edits=edits)
    assert edited == ('Replaced 1 line(s) in "a.md".', None, False)
    assert memory.read("a.md") == "1\n2\n"
    assert await agent.answer("delete", file_name="a.md") == ('File "a.md" deleted.', None, False)
    assert await agent.answer("read", file_name="a.md") == ('File "a.md" not found.', None, False)


async def test_empty_listings_are_still_text(agent: Agent) -> None:
    assert await agent.answer("ls") == ("[]", {"result": []}, False)
    assert await agent.answer("grep", regex_pattern="x") == ("[]", {"result": []}, False)


@pytest.mark.parametrize("text", ['{"x":1}', "[1,2]", "null", "true", "5", '"q"', "", " \n", "é😀\r\n\u2028"])
async def test_text_arrives_exactly_as_sent(agent: Agent, memory: Memory, text: str) -> None:
    await agent.answer("write", file_name="a.md", content=text, description=text)
    assert memory.read("a.md") == text
    assert memory.ls()[0].get("description", "") == (text if text.strip() else "")
    assert (await agent.answer("read", file_name="a.md"))[0] == text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write", {"file_name": "a.md", "content": "x", "desc": "d"}),
        ("write", {"file_name": "a.md"}),
        ("write", {"file_name": "a.md", "content": 5}),
        ("write", {"file_name": "memories.md", "content": ""}),
        ("read", {"file_name": "../x"}),
        ("grep", {"regex_pattern": "("}),
        ("replace_lines", {"file_name": "a.md", "edits": [{"line_number": "1", "new_line": ""}]}),
        ("replace_lines", {"file_name": "a.md", "edits": "not json"}),
        ("replace_lines", {"file_name": "a.md", "edits": '{"line_number": 1}'}),
    ],
)
async def test_a_refusal_is_the_providers_own_text(
    agent: Agent, memory: Memory, tool: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(FileMemoryError) as refused:
        memory.call(tool, **arguments)
    assert await agent.answer(tool, **arguments) == (str(refused.value), None, True)
    assert files(memory.root) == set()


async def test_a_misspelt_argument_is_answered_with_the_right_ones(agent: Agent) -> None:
    text, _, is_error = await agent.answer("write", file_name="a.md", content="x", descripton="d")
    assert is_error
    assert '"descripton"' in text
    assert "file_name, content, description" in text


async def test_null_for_an_optional_argument_is_absent(agent: Agent, memory: Memory) -> None:
    await agent.answer("write", file_name="a.md", content="x", description=None)
    assert (await agent.answer("ls", glob_pattern=None))[1] == {"result": [{"name": "a.md", "type": "file"}]}


async def test_edits_may_come_as_json_text(agent: Agent, memory: Memory) -> None:
    memory.write("a.md", "x")
    await agent.answer("replace_lines", file_name="a.md", edits='[{"line_number":1,"new_line":"[y]"}]')
    assert memory.read("a.md") == "[y]"


async def test_tools_are_told_as_the_provider_tells_them(agent: Agent, memory: Memory) -> None:
    listed = await agent.tools()
    ours = memory.provider.invoking().tools
    assert [tool.name for tool in listed] == list(TOOL_NAMES)
    assert [(t.name, t.description, t.input_schema) for t in listed] == [
        (t.name, t.description, t.input_schema) for t in ours
    ]
    assert all(tool.output_schema is None for tool in listed)


async def test_every_tool_says_what_it_may_do(agent: Agent) -> None:
    hints = {}
    for tool in await agent.tools():
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False
        told = tool.annotations
        hints[tool.name.removeprefix("file_memory_")] = (
            told.read_only_hint,
            told.destructive_hint,
            told.idempotent_hint,
        )
    assert hints == {
        "write": (False, True, True),
        "read": (True, False, True),
        "delete": (False, True, True),
        "ls": (True, False, True),
        "grep": (True, False, True),
        "replace": (False, True, False),
        "replace_lines": (False, True, False),
    }


async def test_instructions_carry_the_index_of_the_moment(memory: Memory) -> None:
    built_in = memory.provider.invoking().instructions
    async with Client(build_server(memory.provider), mode="legacy") as client:
        assert client.instructions == built_in
    memory.write("a.md", "x", "about a")
    async with Client(build_server(memory.provider), mode="legacy") as client:
        assert client.instructions is not None
        assert client.instructions.startswith(f"{built_in}\n\n")
        assert client.instructions.endswith("- **a.md**: about a\n")


async def test_without_instructions_and_index_there_are_none(memory: Memory) -> None:
    provider = FileMemoryProvider(memory.root, instructions=" ")
    assert build_server(provider).instructions is None


async def test_one_server_works_in_one_folder_and_leaves_the_provider_open(memory: Memory) -> None:
    session = DictSession()
    provider = FileMemoryProvider(memory.root, state_initializer=lambda _: State("users/alice"))
    server = build_server(provider, session=session, name="notes")
    assert server.name == "notes"
    agent = Agent(server, "auto")
    await agent.answer("write", file_name="a.md", content="x")
    assert files(memory.root) == {"users/alice/a.md", "users/alice/memories.md"}
    assert provider.call("file_memory_read", {"file_name": "a.md"}, session) == "x"
    provider.close()
    assert await agent.answer("ls") == ("file already closed", None, True)

"""A file memory served: the seven tools over stdio and HTTP, a fresh index for each client, and the same guards."""

import asyncio
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.tui.agent.support import LIMIT_S, Site
from tests.tui.agent.test_serve import PROGRAM, environment, on_a_port, speaking
from wenchang.filememory import TOOL_NAMES, FileMemoryProvider
from wenchang.gate import Gate
from wenchang.identity import Identity
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.calls import Call, call_from_json, call_to_json
from wenchang_tui.agent.recorder import Recorder
from wenchang_tui.agent.server import Server
from wenchang_tui.agent.service import Service
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.settings import Settings

TOKEN = "a-token-for-these-tests"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    return folder


class Flat(Site):
    """One server for one file memory."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.recorder = Recorder()
        self.gate = Gate(wait_s=0.2)
        self.callers = [Caller("agent", Identity({}), TOKEN)]
        flat = FlatFolder("t", "filememory", root, Settings(**settings))
        service = Service(flat, report=self.recorder.add, gate=self.gate)
        self.server = Server(service, self.callers)

    def calls(self) -> list[Call]:
        return self.recorder.drain()


@contextmanager
def serving(root: Path, **settings: Any) -> Iterator[Flat]:
    site = Flat(root, **settings)
    assert site.server.start() is None
    try:
        yield site
    finally:
        site.server.stop()


async def answer(client: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool(f"file_memory_{tool}", arguments)
    (block,) = result.content
    assert block.type == "text"
    return block.text, bool(result.is_error)


async def use_all_seven(client: Client, memory: Path) -> None:
    assert tuple(tool.name for tool in (await client.list_tools()).tools) == TOOL_NAMES
    said = 'File "a.md" written with description.'
    assert await answer(client, "write", file_name="a.md", content="one\ntwo\n", description="d") == (said, False)
    assert await answer(client, "read", file_name="a.md") == ("one\ntwo\n", False)
    listed = '[{"name":"a.md","type":"file","description":"d"}]'
    assert await answer(client, "ls") == (listed, False)
    found, _ = await answer(client, "grep", regex_pattern="TWO")
    assert json.loads(found)[0]["matchingLines"] == [{"lineNumber": 2, "line": "two\n"}]
    assert not (await answer(client, "replace", file_name="a.md", old_string="one", new_string="1"))[1]
    assert not (await answer(client, "replace_lines", file_name="a.md", edits=[{"line_number": 2, "new_line": "2"}]))[1]
    assert (memory / "a.md").read_bytes() == b"1\n2"
    refused = "error parsing regexp: missing closing ): `(?i)(`"
    assert await answer(client, "grep", regex_pattern="(") == (refused, True)
    assert await answer(client, "delete", file_name="a.md") == ('File "a.md" deleted.', False)
    assert (memory / "memories.md").read_text() == "# Memory Index\n\n"


# As its own process


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_uses_all_seven_tools_over_stdio(memory: Path, mode: Any) -> None:
    arguments = [*PROGRAM[1:], f"filememory:{memory}"]
    server = StdioServerParameters(command=PROGRAM[0], args=arguments, env=environment())
    async with Client(server, mode=mode) as client:
        await use_all_seven(client, memory)


def test_stdout_carries_the_protocol_and_nothing_else(demo_folder: Path) -> None:
    with speaking(str(demo_folder)) as raw:
        assert "**budget.csv**" in raw.begin()["result"]["instructions"]
        raw.send("tools/call", 2, name="file_memory_read", arguments={"file_name": "packing.md"})
        assert "kettle" in raw.answer()["result"]["content"][0]["text"]
        assert raw.end() == (0, b"", b"")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_uses_all_seven_tools_over_http(memory: Path, mode: Any, tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    with on_a_port(f"filememory:{memory}", "--call-log", str(log)) as served:
        assert served.said[0].startswith(f"Serving filememory:{memory} at {served.url}")
        async with served.client(mode) as client:
            await use_all_seven(client, memory)
    calls = [call_from_json(json.loads(line)) for line in log.read_text().splitlines()]
    assert [call.tool for call in calls][:2] == ["file_memory_write", "file_memory_read"]
    change = calls[0].change
    assert change is not None
    assert change.after is not None
    assert (change.path, change.before, change.after.content) == ("a.md", None, "one\ntwo\n")


# Within the app


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_each_client_is_told_of_the_index_as_it_is_when_it_connects(memory: Path, mode: Any) -> None:
    with serving(memory) as site:
        async with site.client(mode=mode) as client:
            assert client.instructions is not None
            assert "**a.md**" not in client.instructions
            await answer(client, "write", file_name="a.md", content="x", description="the first")
        async with site.client(mode=mode) as client:
            assert client.instructions is not None
            assert client.instructions.endswith("# Memory Index\n\n- **a.md**: the first\n")
        with FileMemoryProvider(memory) as provider:
            provider.call("file_memory_delete", {"file_name": "a.md"})
        async with site.client(mode=mode) as client:
            assert client.instructions is not None
            assert client.instructions.endswith("# Memory Index\n\n")


async def test_calls_are_recorded_with_what_they_changed(memory: Path) -> None:
    (memory / "a.md").write_text("one\n")
    with serving(memory) as site:
        async with site.client() as client:
            await answer(client, "read", file_name="a.md")
            await answer(client, "replace", file_name="a.md", old_string="one", new_string="two")
            await answer(client, "replace", file_name="a.md", old_string="one", new_string="two")
            await answer(client, "delete", file_name="a.md")
            await answer(client, "write", file_name="../x", content="")
        read, replaced, refused, deleted, outside = site.calls()
    assert (read.change, refused.change, outside.change) == (None, None, None)
    assert (refused.is_error, outside.is_error) == (True, True)
    assert replaced.change is not None
    assert replaced.change.before is not None
    assert replaced.change.after is not None
    assert (replaced.change.before.content, replaced.change.after.content) == ("one\n", "two\n")
    assert deleted.change is not None
    assert (deleted.change.before, deleted.change.after) == (replaced.change.after, None)


async def test_a_description_of_several_lines_stands_in_no_ones_way(memory: Path) -> None:
    description = "one\r\ntwo\n"
    with serving(memory) as site:
        async with site.client() as client:
            said = 'File "a.md" written with description.'
            given = {"file_name": "a.md", "content": "x\n", "description": description}
            assert await answer(client, "write", **given) == (said, False)
            replaced = await answer(client, "replace", file_name="a.md", old_string="x", new_string="y")
            assert replaced == ('Replaced 1 occurrence(s) in "a.md".', False)
            edits = [{"line_number": 1, "new_line": "z\n"}]
            edited = await answer(client, "replace_lines", file_name="a.md", edits=edits)
            assert edited == ('Replaced 1 line(s) in "a.md".', False)
            assert await answer(client, "delete", file_name="a.md") == ('File "a.md" deleted.', False)
        calls = site.calls()
    assert [call_from_json(json.loads(json.dumps(call_to_json(call)))) for call in calls] == calls
    written, *_, deleted = calls
    assert written.change is not None
    assert written.change.after is not None
    assert written.change.after.metadata.description == description
    assert deleted.change is not None
    assert deleted.change.before is not None
    assert (deleted.change.before.content, deleted.change.before.metadata.description) == ("z\n", description)


async def test_read_only_is_honoured(memory: Path) -> None:
    (memory / "a.md").write_text("one\n")
    with serving(memory, read_only=True) as site:
        async with site.client() as client:
            refused = ("this memory is served read-only; nothing was changed", True)
            assert await answer(client, "write", file_name="b.md", content="x") == refused
            assert await answer(client, "delete", file_name="a.md") == refused
            assert await answer(client, "replace", file_name="a.md", old_string="o", new_string="x") == refused
            assert await answer(client, "replace_lines", file_name="a.md", edits=[]) == refused
            assert await answer(client, "read", file_name="a.md") == ("one\n", False)
    assert [path.name for path in memory.iterdir()] == ["a.md"]


async def test_changes_wait_at_the_gate_and_reading_does_not(memory: Path) -> None:
    (memory / "a.md").write_text("one\n")
    with serving(memory) as site:
        site.gate.ask_first()
        async with site.client() as client:
            text, is_error = await answer(client, "write", file_name="b.md", content="x")
            assert is_error
            assert "waits for a person's approval" in text
            assert await answer(client, "read", file_name="a.md") == ("one\n", False)
            site.gate._wait_s = LIMIT_S
            writing = asyncio.create_task(answer(client, "write", file_name="b.md", content="x"))
            while not site.gate.waiting():
                await asyncio.sleep(0.01)
            (waiting,) = site.gate.waiting()
            assert (waiting.operation, waiting.path, waiting.arguments["content"]) == ("file_memory_write", "b.md", "x")
            site.gate.approve(waiting.number)
            assert await writing == ('File "b.md" written.', False)
    assert (memory / "b.md").read_text() == "x"


def test_the_same_guards_stand_before_it(memory: Path) -> None:
    with serving(memory) as site:
        assert site.server.address is not None
        host, port = site.server.address
        token = f"Bearer {TOKEN}"

        def status(**headers: str) -> int:
            connection = http.client.HTTPConnection(host, port, timeout=LIMIT_S)
            connection.request("POST", "/mcp", b"{}", headers)
            return connection.getresponse().status

        assert status() == 401
        assert status(Authorization="Bearer wrong") == 401
        assert status(Authorization=token, Host="evil.example") == 421
        assert status(Authorization=token, Origin="http://evil.example") == 403


async def test_a_folder_that_goes_is_an_error_of_the_tools_only(memory: Path) -> None:
    with serving(memory) as site:
        memory.rmdir()
        async with site.client() as client:
            _, is_error = await answer(client, "write", file_name="a.md", content="x")
            assert is_error
            assert await answer(client, "ls") == ("[]", False)

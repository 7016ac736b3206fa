"""Rows of the MCP server, seen by a client of the official kit: one call, and a start up to the first answer."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

from tests.benchmarks import stores
from tests.benchmarks.measuring import Benchmark, Pair, Place, seconds

BARE_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("bare")

@server.tool()
def nothing(scope: str, area: str, name: str) -> str:
    return ""

server.run(transport="stdio")
"""

_CALLS = 50


class Client:
    """A server of this machine and its client, in a thread of their own."""

    def __init__(
        self, portal: BlockingPortal, cleanup: ExitStack, command: list[str], environment: dict[str, str] | None = None
    ) -> None:
        self._portal = portal
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=environment)
        unread = cleanup.enter_context(Path(os.devnull).open("w"))  # noqa: SIM115 - it is one
        streams = cleanup.enter_context(portal.wrap_async_context_manager(stdio_client(parameters, unread)))
        self._session = cleanup.enter_context(portal.wrap_async_context_manager(ClientSession(*streams)))
        portal.call(self._session.initialize)

    def ask(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """The answer, which may be an error."""
        answer: CallToolResult = self._portal.call(self._session.call_tool, tool, arguments)
        return answer

    def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """The answer, which is none."""
        result = self.ask(tool, arguments)
        assert not result.is_error, result
        return result


def ours(place: Place) -> tuple[list[str], tuple[str, dict[str, Any]]]:
    """The command of our server, and a call of it."""
    root = stores.folder_store(place.folder / "store", 30)
    _, _, area, file = next(key for key, _, _ in stores.memories(30)).split("/")
    command = [sys.executable, "-m", "wenchang_tui", "serve", str(root), "--grant", "user=alice"]
    return command, ("read_file", {"scope": "user", "area": area, "name": file.removesuffix(".md")})


def bare(place: Place) -> tuple[list[str], tuple[str, dict[str, Any]]]:
    """The command of a server with one empty tool, and a call of it."""
    program = place.folder / "bare.py"
    program.write_text(BARE_SERVER)
    return [sys.executable, str(program)], ("nothing", {"scope": "user", "area": "facts", "name": "m"})


def call(place: Place) -> Pair:
    portal = place.cleanup.enter_context(start_blocking_portal())
    times = place.size(_CALLS, 2)
    costs = []
    for command, asked in (ours(place), bare(place)):
        client = Client(portal, place.cleanup, command)
        costs.append(seconds(lambda client=client, asked=asked: client.call(*asked), times))  # type: ignore[misc]
    return Pair(*costs)


def start(place: Place) -> Pair:
    portal = place.cleanup.enter_context(start_blocking_portal())

    def started(command: list[str], asked: tuple[str, dict[str, Any]]) -> None:
        with ExitStack() as cleanup:
            Client(portal, cleanup, command).call(*asked)

    command, asked = ours(place)
    bare_command, bare_asked = bare(place)
    return Pair(
        product=seconds(lambda: started(command, asked)), floor=seconds(lambda: started(bare_command, bare_asked))
    )


ROWS = (
    Benchmark("mcp-call", 1.3, call, runs=15),
    Benchmark("mcp-start", 1.2, start, runs=7),
)

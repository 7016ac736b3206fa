"""Serving one client over standard input and output: the client starts the process, and ends it by hanging up.

Standard output carries the protocol and nothing else; the framework sees to it that a stray `print` goes to stderr.
"""

from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer

from wenchang.identity import Identity
from wenchang_tui.agent.assembly import allow_calls, assemble
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.drain import Drain
from wenchang_tui.agent.service import Service

_MAX_RUNNING = 128


def serve_stdio(service: Service, identity: Identity) -> None:
    """Serve until standard input ends. Calls that run then may still be running afterwards, on threads of their own."""
    caller = Caller("stdio", identity, token="")

    def the_one(_: ServerRequestContext[Any, Any]) -> Caller:
        return caller

    anyio.run(_serve, assemble(service, the_one, Drain()))


async def _serve(server: MCPServer[Any]) -> None:
    allow_calls(_MAX_RUNNING)
    await server.run_stdio_async()

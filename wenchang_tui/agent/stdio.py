"""Serving one client over standard input and output: the client starts the process, and ends it by hanging up.

Standard output carries the protocol and nothing else; the framework sees to it that a stray `print` goes to stderr.
"""

import asyncio
import atexit
import os
import signal
from typing import Any, NoReturn

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer

from wenchang.identity import Identity
from wenchang_tui.agent.assembly import allow_calls, assemble
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.drain import Drain
from wenchang_tui.agent.service import Service

_MAX_RUNNING = 128
_INTERRUPTED = 130


def serve_stdio(service: Service, identity: Identity) -> NoReturn:
    """Serve until standard input ends or a signal comes; then end the process, with 0, or 130 when interrupted.

    It ends there and then: a thread that reads the input or waits for storage would hold it up, and a write is either
    complete or absent whenever it is broken off.
    """
    caller = Caller("stdio", identity, token="")

    def the_one(_: ServerRequestContext[Any, Any]) -> Caller:
        return caller

    asyncio.run(_serve(assemble(service, the_one, Drain())))


async def _serve(server: MCPServer[Any]) -> NoReturn:
    allow_calls(_MAX_RUNNING)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, _leave, _INTERRUPTED)
    loop.add_signal_handler(signal.SIGTERM, _leave, 0)
    loop.add_signal_handler(signal.SIGHUP, _leave, 0)
    await server.run_stdio_async()
    _leave(0)  # here, as the way out of a loop waits for its threads


def _leave(code: int) -> NoReturn:
    """End the process with what was registered for its end, but without waiting for threads."""
    atexit._run_exitfuncs()
    os._exit(code)

"""Serving one client over standard input and output: the client starts the process, and ends it by hanging up.

Standard output carries the protocol and nothing else; the framework sees to it that a stray `print` goes to stderr.
"""

import asyncio
import atexit
import io
import os
import signal
import sys
import time
from collections.abc import Callable
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
_GRACE_S = 0.5
_STEP_S = 0.02


def serve_stdio(service: Service, identity: Identity) -> NoReturn:
    """Serve until standard input ends or a signal comes; then end the process, with 0, or 130 when interrupted.

    It ends there and then: a thread that reads the input or waits for storage would hold it up, and a write is either
    complete or absent whenever it is broken off.
    """
    caller = Caller("stdio", identity, token="")

    def the_one(_: ServerRequestContext[Any, Any]) -> Caller:
        return caller

    drain = Drain()
    asyncio.run(_serve(assemble(service, the_one, drain), drain))


async def _serve(server: MCPServer[Any], drain: Drain) -> NoReturn:
    allow_calls(_MAX_RUNNING)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, _leave, _INTERRUPTED)
    loop.add_signal_handler(signal.SIGTERM, _leave, 0)
    loop.add_signal_handler(signal.SIGHUP, _leave, 0)

    def ended() -> None:
        """Give running calls a moment for their answers: the framework would cancel them, or wait for ever."""
        loop.call_soon_threadsafe(loop.call_later, _GRACE_S, _leave, 0)
        time.sleep(_STEP_S)
        while drain.is_busy:
            time.sleep(_STEP_S)
        time.sleep(_STEP_S)

    wire = _Input(ended)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(wire))
    await server.run_stdio_async()
    _leave(0)  # here, as the way out of a loop waits for its threads


class _Input(io.RawIOBase):
    """Standard input, out of the reach of whatever else runs in this process.

    `on_end` is called when it ends, on the thread that reads, before anybody else hears of it.
    """

    def __init__(self, on_end: Callable[[], object]) -> None:
        self._on_end = on_end
        self._descriptor = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is; 0 at the end."""
        data = os.read(self._descriptor, len(buffer))
        if not data:
            self._on_end()
        buffer[: len(data)] = data
        return len(data)


def _leave(code: int) -> NoReturn:
    """End the process with what was registered for its end, but without waiting for threads."""
    atexit._run_exitfuncs()
    os._exit(code)

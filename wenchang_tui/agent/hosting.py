"""The life of one server on a port, within its own thread and event loop: built, served, drained.

Everything heavy is imported here and below, so this module is imported by that thread alone.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.transport_security import TransportSecuritySettings

from wenchang.core import DEFAULT_MAX_METADATA_BYTES
from wenchang_tui.agent.assembly import allow_calls, assemble
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.connections import MAX_CONNECTIONS, GuardedConnection
from wenchang_tui.agent.drain import Drain
from wenchang_tui.agent.http_guard import CALLER_KEY, AcceptGuard, App, BodyGuard, ClosingGuard, HostGuard, TokenGuard
from wenchang_tui.agent.service import Service
from wenchang_tui.agent.sessions import SurvivingSessions

PATH = "/mcp"

_ANSWERS_GO_OUT_S = 0.05
_GRACE_S = 0.2
_IDLE_SESSION_S = 900
_MAX_SESSIONS = 256
_LEAST_BODY = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Hosting:
    """One server to be run once: what, for whom, where, and under which names it may be spoken to."""

    service: Service
    callers: Sequence[Caller]
    listener: socket.socket
    names: Sequence[str]

    async def run(self, on_ready: Callable[[], object], stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then answer what still runs and close."""
        allow_calls(MAX_CONNECTIONS)
        drain = Drain()
        server = _Server(self._config(drain), on_ready)
        serving = asyncio.create_task(server.serve(sockets=[self.listener]))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        drain.close()
        await asyncio.sleep(_ANSWERS_GO_OUT_S)
        server.should_exit = True
        await serving

    def _config(self, drain: Drain) -> uvicorn.Config:
        return uvicorn.Config(
            self._app(drain),
            http=GuardedConnection,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,  # type: ignore[arg-type]  # handed to asyncio as it is
        )

    def _app(self, drain: Drain) -> App:
        limit = max_body_bytes(self.service)
        sessions = SurvivingSessions(
            assemble(self.service, _caller_of, drain),
            streamable_http_path=PATH,
            max_request_body_size=limit,
            session_idle_timeout=_IDLE_SESSION_S,
            max_sessions=_MAX_SESSIONS,
            # Host and Origin are checked before, exactly: the framework's own check takes any port.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        guarded = AcceptGuard(BodyGuard(sessions, limit))
        return ClosingGuard(HostGuard(TokenGuard(guarded, self.callers), self.names))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()


def max_body_bytes(service: Service) -> int:
    """The largest request served, in bytes: at least the largest legal one.

    That replaces a whole file by a whole file, with metadata, and spells each byte as six (`\\u0001`).
    """
    texts = 2 * service.workspace.settings.max_file_bytes + DEFAULT_MAX_METADATA_BYTES
    return max(_LEAST_BODY, 6 * texts + 65_536)


def _caller_of(ctx: ServerRequestContext[Any, Any]) -> Caller:
    assert ctx.request is not None, "every request that comes over HTTP is known"
    caller: Caller = ctx.request.scope[CALLER_KEY]
    return caller

"""Sessions that outlive the app: an agent that keeps its session id while the app is closed and opened again.

Clients of the handshake era do not start a new session by themselves when theirs is unknown. A request of a session
that was not begun here, or not by this caller, is therefore served without one; an ended one still answers 404.
"""

from collections.abc import MutableMapping
from typing import Any

from mcp.server.mcpserver import MCPServer

from wenchang_tui.agent.http_guard import CALLER_KEY, App, Message, Receive, Scope, Send, headers_named

_MAX_KNOWN = 4096
_SESSION = b"mcp-session-id"


class SurvivingSessions:
    """The Streamable HTTP app of a server, twice: with sessions, and without for those begun elsewhere."""

    def __init__(self, server: MCPServer[Any], **options: Any) -> None:
        self._twin: App = server.streamable_http_app(stateless_http=True, **options)
        self._twin_manager = server.session_manager
        self._app: App = server.streamable_http_app(**options)
        self._manager = server.session_manager
        self._known: dict[tuple[str, bytes], None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the one of both that knows its session."""
        if scope["type"] == "lifespan":
            return await self._live(receive, send)
        caller: str = scope[CALLER_KEY].name
        sessions = headers_named(scope, _SESSION)
        if sessions and (caller, sessions[0]) not in self._known:
            return await self._twin(scope, receive, send)

        async def noticing(message: Message) -> None:
            if message["type"] == "http.response.start" and not sessions and message["status"] < 400:
                self._remember(caller, message)
            await send(message)

        return await self._app(scope, receive, noticing)

    def _remember(self, caller: str, start: MutableMapping[str, Any]) -> None:
        for value in headers_named(start, _SESSION):
            self._known[caller, value] = None
        while len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self._manager.run(), self._twin_manager.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

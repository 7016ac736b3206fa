"""Ending the calls that run when the server stops, so that every client gets an answer and none holds it up."""

from typing import Any

import anyio
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import SubscriptionsListenResult

_CLOSING = -32000


class Drain:
    """A middleware that can cancel every request in flight."""

    def __init__(self) -> None:
        self._running: set[anyio.CancelScope] = set()
        self._closed = False

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Run a request until it ends or the server closes."""
        if ctx.request_id is None:
            return await call_next(ctx)
        if not self._closed:
            with anyio.CancelScope() as scope:
                self._running.add(scope)
                try:
                    return await call_next(ctx)
                finally:
                    self._running.discard(scope)
            if ctx.method == "subscriptions/listen":  # the graceful end of a stream
                return SubscriptionsListenResult(_meta={SUBSCRIPTION_ID_META_KEY: ctx.request_id})
        raise MCPError(code=_CLOSING, message="the app is closing")

    @property
    def is_busy(self) -> bool:
        """Whether a request is in flight. May be asked from any thread."""
        return bool(self._running)

    def close(self) -> None:
        """End every request in flight and refuse further ones. Call on the server's own loop."""
        self._closed = True
        for scope in list(self._running):
            scope.cancel()

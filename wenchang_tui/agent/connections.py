"""Connections that come and say nothing: without a limit, a handful of them would shut everybody else out.

Leans on the inside of uvicorn, whose version is therefore pinned to a minor one.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 128
HEAD_SECONDS = 5.0
"""How long a connection may take from its first moment, or its first byte, to a whole request head."""


class GuardedConnection(H11Protocol):
    """An HTTP/1.1 connection that is dropped when no request comes, or when there are too many already."""

    _dropped = False
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Drop the connection at once where there are too many, otherwise give it time for a request."""
        if len(self.connections) >= MAX_CONNECTIONS:
            self._dropped = True
            transport.abort()
            return
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """As usual; the head of a request that has begun has to end in time, too."""
        if not self._dropped:
            super().data_received(data)
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """As usual."""
        self._unwatch()
        if not self._dropped:
            super().connection_lost(exc)

    def _watch(self) -> None:
        if not self._awaits_request():
            self._unwatch()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _unwatch(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _awaits_request(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _give_up(self) -> None:
        self._head_timer = None
        if self._awaits_request():
            self.transport.abort()

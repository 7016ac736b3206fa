"""What stands before the MCP server on a port: who may speak to it, under which name, and how much at once.

Plain ASGI, each guard around the next. A refusal is a JSON-RPC error whose message says what to do; MCP clients show
it. Nothing here reads a body before the token was right, and nothing logs a header.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Container, Iterable, MutableMapping, Sequence
from typing import Any, TypeAlias

from wenchang_tui.agent.callers import Caller

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

CALLER_KEY = "wenchang.caller"
"""Where the scope of a request holds the `Caller` whose token it carried."""

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")

BODY_SECONDS = 15.0

_REFUSED = -32001
_WEB_PAGE = "Web pages are not served: a request must not carry an Origin that is not this server's own."


async def refuse(send: Send, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
    """Answer with a JSON-RPC error and close the connection."""
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": _REFUSED, "message": message}}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": status, "headers": [*head, (b"connection", b"close"), *headers]}
    )
    await send({"type": "http.response.body", "body": body})


def headers_named(scope: Scope, name: bytes) -> list[bytes]:
    """Every value of a header; names in a scope are lowercase."""
    return [value for key, value in scope.get("headers", ()) if key == name]


def is_called(host: str, names: Container[str]) -> bool:
    """Whether a `Host` in lower case is one of `names`, exactly, or one of them with any port."""
    name, colon, port = host.rpartition(":")
    return host in names or (bool(colon) and port.isdecimal() and name in names)


class ClosingGuard:
    """Answers the requests that the server gives up when it stops; a client that hears part of an answer hears no more.

    Left to itself the server of the framework logs each with a traceback, and answers as if something had broken.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 503 what is cancelled before its answer began."""
        has_begun = False

        async def noticing(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noticing)
        except asyncio.CancelledError:
            if scope["type"] == "http" and not has_begun:
                await refuse(send, 503, "The server is closing")


class HostGuard:
    """Lets in requests that call this server by one of its names, and none from the page of another site.

    A page can make a browser speak to any address under the page's own name (DNS rebinding): its `Host` or its `Origin`
    gives that away. A name is compared exactly. Its port matters only where `allowed` holds one: behind a forwarded
    port or a proxy it is another than ours.
    """

    def __init__(self, app: App, allowed: Iterable[str]) -> None:
        self._app = app
        self._allowed = frozenset(name.lower() for name in (*LOCAL_NAMES, *allowed))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 421 for a foreign name, with 403 for a foreign page; leave everything else to the next."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        host = b", ".join(headers_named(scope, b"host")).decode("latin-1")
        if not is_called(host.lower(), self._allowed):
            shown = host[:200].encode("ascii", "backslashreplace").decode()
            advice = f"allow it with --allow-host {shown or 'NAME'}"
            return await refuse(send, 421, f"Host '{shown}' is not a name of this server; {advice}")
        same_site = f"http://{host}".encode("latin-1"), f"https://{host}".encode("latin-1")
        if any(origin not in same_site for origin in headers_named(scope, b"origin")):
            return await refuse(send, 403, _WEB_PAGE)
        return await self._app(scope, receive, send)


class TokenGuard:
    """Lets in requests that carry the token of one caller, and notes in their scope whose it was."""

    def __init__(self, app: App, callers: Iterable[Caller]) -> None:
        self._app = app
        self._callers = [(f"Bearer {caller.token}".encode(), caller) for caller in callers]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 401; a websocket is closed unheard."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        caller = self._caller(headers_named(scope, b"authorization"))
        if caller is None:
            challenge = (b"www-authenticate", b"Bearer")
            return await refuse(send, 401, "Missing or wrong bearer token", challenge)
        scope[CALLER_KEY] = caller
        return await self._app(scope, receive, send)

    def _caller(self, presented: Sequence[bytes]) -> Caller | None:
        if len(presented) != 1:
            return None
        scheme, _, token = presented[0].partition(b" ")
        given = b"Bearer " + token if scheme.lower() == b"bearer" else presented[0]
        # Every token is compared, so that the time taken tells nothing about any of them.
        matching = [caller for expected, caller in self._callers if hmac.compare_digest(expected, given)]
        return matching[0] if matching else None


class AcceptGuard:
    """Lets in requests of clients that read both kinds of answers there are, a document and a stream of events."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 406 and what to accept; the framework refuses without a word."""
        if scope["type"] == "http" and scope["method"] == "POST" and not self._reads_both(scope):
            advice = "send the header 'Accept: application/json, text/event-stream'"
            return await refuse(send, 406, f"A client has to accept both kinds of answers: {advice}")
        return await self._app(scope, receive, send)

    @staticmethod
    def _reads_both(scope: Scope) -> bool:
        ranges = b",".join(headers_named(scope, b"accept")).lower().split(b",")
        accepted = {range_.partition(b";")[0].strip() for range_ in ranges}
        kinds = {b"application/json", b"application/*"}, {b"text/event-stream", b"text/*"}
        return b"*/*" in accepted or all(accepted & kind for kind in kinds)


class BodyGuard:
    """Hands on requests whose whole body has arrived, within a size and a time."""

    def __init__(self, app: App, max_bytes: int, seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 413 for a larger body, with 408 for a slower one."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        too_large = f"The request is larger than {self._max_bytes} bytes"
        if self._declared(scope) > self._max_bytes:
            return await refuse(send, 413, too_large)
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive)
        except TimeoutError:
            return await refuse(send, 408, f"The request did not arrive within {self._seconds:g} seconds")
        if body is None:
            return None
        if len(body) > self._max_bytes:
            return await refuse(send, 413, too_large)
        return await self._app(scope, _replaying(body, receive), send)

    @staticmethod
    def _declared(scope: Scope) -> int:
        values = headers_named(scope, b"content-length")
        return int(values[0]) if values and values[0].isdigit() else 0

    async def _read(self, receive: Receive) -> bytes | None:
        """The body, or enough of it to know that it is too large; `None` when the client has gone."""
        body = bytearray()
        while len(body) <= self._max_bytes:
            message = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    ahead: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return ahead.pop() if ahead else await receive()

    return replay

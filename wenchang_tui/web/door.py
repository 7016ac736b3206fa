"""Who gets a page: who calls this server by one of its names, from no page of another site, and shows the token.

The token comes in the address that a person opens, once; a cookie stands for it from then on, so that it stays in
neither the address line nor the history. Nothing else is answered without it, the websocket and the files of the page
included.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from wenchang_tui.agent.http_guard import LOCAL_NAMES, is_called

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Door:
    """Lets in who has `token`. `port` tells its cookie from that of another server on this machine."""

    port: int
    token: str = field(repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: browsers send one to every port of a host."""
        return f"wenchang-{self.port}"

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse with 421 for a foreign name, 403 for a foreign page, 401 without the token."""
        host = ", ".join(request.headers.getall("Host", ()))
        if not is_called(host.lower(), LOCAL_NAMES):
            return _refusal(421, "This server answers to 127.0.0.1 and localhost alone.")
        if any(origin != f"http://{host}" for origin in request.headers.getall("Origin", ())):
            return _refusal(403, "A page of another site may not speak to this server.")
        if request.path == "/" and "token" in request.query:
            return self._welcome(request.query["token"])
        if not self._is_right(request.cookies.get(self.cookie, "")):
            return _refusal(401, "Open the whole address that wenchang web has printed; it ends with the token.")
        return await handler(request)

    def _welcome(self, token: str) -> web.StreamResponse:
        if not self._is_right(token):
            return _refusal(401, "This token is not the one that wenchang web has printed; each start makes a new one.")
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(self.cookie, self.token, httponly=True, samesite="Strict", path="/")
        return response

    def _is_right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(errors="surrogateescape"), self.token.encode())


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """What every answer says about itself: nothing of it is for other sites, and nothing of other sites is for it."""
    response.headers.update(HEADERS)


def _refusal(status: int, sentence: str) -> web.Response:
    return web.Response(status=status, text=f"wenchang: {sentence}\n")

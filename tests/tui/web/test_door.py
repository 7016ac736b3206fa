"""What is served to whom, before any app is started."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from wenchang_tui.agent.listening import listen
from wenchang_tui.web.door import Door
from wenchang_tui.web.site import serve_site

TOKEN = "a-token-of-the-tests"
# Says that it was started, and draws nothing.
WORDS = (sys.executable, "-c", "print('__GANGLION__', flush=True); input()")


@asynccontextmanager
async def site() -> AsyncIterator[tuple[str, aiohttp.ClientSession]]:
    """A server's address, and a client that keeps cookies."""
    listener, stop = listen("127.0.0.1", 0), asyncio.Event()
    port = listener.getsockname()[1]
    serving = asyncio.create_task(serve_site(WORDS, listener, Door(port, TOKEN), stop))
    try:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
            yield f"http://127.0.0.1:{port}", client
    finally:
        stop.set()
        await serving


@pytest.mark.parametrize(
    "path", ["/", "/ws", "/static/js/textual.js", "/download/x", "/nothing", "/?token=", "/?token=é"]
)
async def test_without_the_token_nothing_is_served(path: str) -> None:
    async with site() as (url, client), client.get(url + path, allow_redirects=False) as answer:
        assert answer.status == 401
        assert "set-cookie" not in answer.headers
        assert "wenchang web has printed" in await answer.text()


async def test_the_token_is_shown_once_and_a_cookie_stands_for_it() -> None:
    async with site() as (url, client):
        async with client.get(f"{url}/?token={TOKEN}", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["location"]) == (303, "/")
            cookie = answer.headers["set-cookie"]
            assert f"wenchang-{url.rpartition(':')[2]}={TOKEN};" in cookie
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
        async with client.get(url) as answer:
            page = await answer.text()
            assert f"ws://{url.removeprefix('http://')}/ws" in page
            assert TOKEN not in page
            assert "http" not in page.replace(url, "")  # nothing comes from elsewhere
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        async with client.get(f"{url}/static/js/textual.js") as answer:
            assert answer.status == 200
        async with client.ws_connect(f"{url}/ws?width=80&height=24") as socket:
            await socket.send_json(["ping", "7"])
            assert await socket.receive_json() == ["pong", "7"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "memory.example"}, 421),
        ({"Host": "127.0.0.1.example:80"}, 421),
        ({"Origin": "http://memory.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
    ],
)
@pytest.mark.parametrize("path", [f"/?token={TOKEN}", "/ws"])
async def test_other_names_and_pages_of_other_sites_are_refused(
    path: str, headers: dict[str, str], status: int
) -> None:
    async with site() as (url, client):
        await client.get(f"{url}/?token={TOKEN}")
        async with client.get(url + path, headers=headers, allow_redirects=False) as answer:
            assert answer.status == status

"""The web server: one page, and behind each open copy of it one process of the app.

What speaks to that process and to the page is `textual-serve`, minor release by minor release: the process is started
here, without a shell, and what is served needs nothing from other machines.
"""

import asyncio
import shlex
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import textual_serve
from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from wenchang_tui.web.door import Door, add_headers

_PAGE = Path(__file__).with_name("page")
_STATIC = Path(textual_serve.__file__).with_name("static")
_DRIVER = "wenchang_tui.web.driver:PipeDriver"
_PATIENCE_S = 0.6
_GRACE_S = 0.1
_HEARTBEAT_S = 15


class Tab(AppService):
    """The app behind one open page."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        environment = {**self._build_environment(width, height), "TEXTUAL_DRIVER": _DRIVER}
        process = await asyncio.create_subprocess_exec(
            *shlex.split(self.command), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        self._process, self._stdin = process, process.stdin
        return process

    async def run(self) -> None:
        """Carry what is drawn and typed, until the app ends; then the page says so."""
        await super().run()
        await self.remote_close()

    async def end(self) -> None:
        """Have the app leave, soon or by force."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self.stop()
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class Site(Server):
    """What is served behind the door. `words` is the command line of the app."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(shlex.join(words))
        self._tabs: set[Tab] = set()

    def application(self, door: Door) -> web.Application:
        """The routes, all of them behind the door."""
        app = web.Application(middlewares=[door.check])
        app.on_response_prepare.append(add_headers)
        app.router.add_get("/", self.handle_index)
        app.router.add_get("/ws", self.handle_websocket)
        app.router.add_get("/download/{key}", self.handle_download)
        app.router.add_static("/static", _STATIC)
        app.router.add_static("/page", _PAGE)
        return app

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page. The door has looked at the host."""
        text = (_PAGE / "index.html").read_text("utf-8")
        return web.Response(text=text.replace("@HOST@", request.host), content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run the app for one page, as long as it is open."""
        websocket = web.WebSocketResponse(timeout=_PATIENCE_S, heartbeat=_HEARTBEAT_S)
        await websocket.prepare(request)

        async def close() -> None:
            await websocket.close()

        tab = Tab(
            self.command,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        self._tabs.add(tab)
        try:
            await tab.start(to_int(request.query.get("width", ""), 80), to_int(request.query.get("height", ""), 24))
            await self._process_messages(websocket, tab)
        finally:
            await tab.end()
            self._tabs.discard(tab)
        return websocket

    async def end_tabs(self) -> None:
        """Have every app leave."""
        await asyncio.gather(*(tab.end() for tab in self._tabs))


async def serve_site(words: Sequence[str], listener: socket.socket, door: Door, stop: asyncio.Event) -> None:
    """Serve the app that `words` start until `stop` is set, and then end within a second."""
    site = Site(words)
    runner = web.AppRunner(site.application(door), access_log=None, shutdown_timeout=_GRACE_S)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    await stop.wait()
    await site.end_tabs()
    await runner.cleanup()

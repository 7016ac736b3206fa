"""A real browser without a window, steered over the DevTools protocol."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
LIMIT_S = 60.0
_POLL_S = 0.1

# The page keeps its terminal to itself; it is caught as it is stored.
_CATCH_TERMINAL = """
Object.defineProperty(Object.prototype, "terminal", {
  configurable: true,
  set(value) {
    window.caught = value;
    Object.defineProperty(this, "terminal", { value, writable: true, configurable: true });
  },
});
"""
_READ_TERMINAL = """
(() => {
  const buffer = window.caught?.buffer.active;
  const lines = [...Array(buffer?.length ?? 0).keys()];
  return lines.map((y) => buffer.getLine(y).translateToString(true)).join("\\n");
})()
"""


class Page:
    """One page of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Give an order, and wait for its answer."""
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return dict(message["result"])

    async def evaluate(self, script: str) -> Any:
        """The value of an expression."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    async def open(self, url: str) -> None:
        """Go to an address."""
        await self.ask("Page.enable")
        await self.ask("Page.addScriptToEvaluateOnNewDocument", source=_CATCH_TERMINAL)
        await self.ask("Page.navigate", url=url)

    async def press(self, key: str) -> None:
        """Press a key that writes a character."""
        await self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def until(self, *words: str) -> str:
        """The text of the terminal once it shows all of `words`."""
        text = ""
        try:
            async with asyncio.timeout(LIMIT_S):
                while not (text and all(word in text for word in words)):
                    await asyncio.sleep(_POLL_S)
                    text = await self.evaluate(_READ_TERMINAL)
        except TimeoutError:
            raise AssertionError(f"never showed {words}:\n{text}") from None
        return text


@asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Page]:
    """A browser with a profile of its own, and its first page."""
    assert PROGRAM is not None
    words = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
    process = subprocess.Popen(
        [
            PROGRAM,
            *words,
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
            "--window-size=1200,760",
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(profile), "PATH": "/usr/bin:/bin"},
    )
    try:
        async with aiohttp.ClientSession() as session:
            port = await _port(profile / "DevToolsActivePort")
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = [page for page in json.loads(await answer.text()) if page["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield Page(socket)
    finally:
        process.terminate()
        process.wait(LIMIT_S)


async def _port(path: Path) -> int:
    async with asyncio.timeout(LIMIT_S):
        while not (path.is_file() and "\n" in (text := path.read_text())):
            await asyncio.sleep(_POLL_S)
    return int(text.split("\n")[0])

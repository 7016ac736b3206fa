"""Requests that no client would send, over a plain socket."""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.tui.agent.support import LIMIT_S

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}).encode()


LIST_TOOLS = message("tools/list")


@dataclass(frozen=True)
class Answer:
    """What came back: 0 and nothing when the server hung up."""

    status: int
    headers: str
    body: bytes

    @property
    def error(self) -> str:
        """The message of the JSON-RPC error."""
        assert "content-type: application/json" in self.headers
        document = json.loads(self.body)
        assert document["jsonrpc"] == "2.0"
        assert document["id"] is None
        return str(document["error"]["message"])


@dataclass(frozen=True)
class Probe:
    """Sends requests to one address. A header given as `None` is left out."""

    address: tuple[str, int]
    token: str

    def headers(self, changed: Mapping[str, str | None]) -> dict[str, str | None]:
        """Those of a good request, but for what is `changed`."""
        host, port = self.address
        usual: dict[str, str | None] = {
            "Host": f"{host}:{port}",
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/list",
            "Connection": "close",
        }
        return {**usual, **changed}

    def head(self, verb: str, path: str, headers: Mapping[str, str | None]) -> bytes:
        lines = [f"{name}: {value}" for name, value in self.headers(headers).items() if value is not None]
        return "\r\n".join([f"{verb} {path} HTTP/1.1", *lines, "", ""]).encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, LIMIT_S)

    def send(
        self,
        body: bytes = LIST_TOOLS,
        *,
        verb: str = "POST",
        path: str = "/mcp",
        chunked: bool = False,
        headers: Mapping[str, str | None] = {},
    ) -> Answer:
        length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(len(body))}
        with self.connect() as connection:
            try:
                connection.sendall(self.head(verb, path, {**length, **headers}))
                connection.sendall(_chunks(body) if chunked else body)
            except OSError:
                pass  # refused before the body was complete
            return self.answer(connection)

    def answer(self, connection: socket.socket) -> Answer:
        received = b""
        try:
            while part := connection.recv(65536):
                received += part
        except OSError:
            pass
        head, _, body = received.partition(b"\r\n\r\n")
        return Answer(int(head[9:12] or b"0"), head.decode("latin-1").lower(), body)


def _chunks(body: bytes) -> bytes:
    parts = [body[at : at + 65536] for at in range(0, len(body), 65536)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"

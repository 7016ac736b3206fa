"""Adds the token for clients that cannot send one. Everything else passes through unchanged.

usage: python token_proxy.py URL TOKEN     prints the URL of the proxy, then serves until it is ended
"""

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from urllib.parse import urlsplit


class Proxy:
    """One upstream server behind one local port."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self.host, self.port, self.path = str(parts.hostname), int(parts.port or 80), parts.path
        self.authorization = f"Authorization: Bearer {token}".encode()

    async def serve(self) -> None:
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
        sys.stdout.write("http://{}:{}{}\n".format(*server.sockets[0].getsockname(), self.path))
        sys.stdout.flush()
        await server.serve_forever()

    async def handle(self, reader: StreamReader, writer: StreamWriter) -> None:
        upstream_reader, upstream_writer = await asyncio.open_connection(self.host, self.port)
        relays = [
            asyncio.create_task(self.requests(reader, upstream_writer)),
            asyncio.create_task(answers(upstream_reader, writer)),
        ]
        await asyncio.wait(relays, return_when=asyncio.FIRST_COMPLETED)
        for relay in relays:
            relay.cancel()
        await asyncio.gather(*relays, return_exceptions=True)
        upstream_writer.close()
        writer.close()

    async def requests(self, reader: StreamReader, writer: StreamWriter) -> None:
        while True:
            first, *headers = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
            kept = [line for line in headers if not line.lower().startswith(b"authorization:")]
            writer.write(b"\r\n".join([first, *kept, self.authorization]) + b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in headers if b": " in line)
            if b"chunked" in fields.get(b"transfer-encoding", b""):
                await chunks(reader, writer)
            writer.write(await reader.readexactly(int(fields.get(b"content-length", b"0"))))
            await writer.drain()


async def chunks(reader: StreamReader, writer: StreamWriter) -> None:
    size = 1
    while size:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0], 16)
        writer.write(line + await reader.readexactly(size + 2))


async def answers(reader: StreamReader, writer: StreamWriter) -> None:
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()


asyncio.run(Proxy(sys.argv[1], sys.argv[2]).serve())

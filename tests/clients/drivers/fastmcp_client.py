"""The `fastmcp` client. usage: python fastmcp_client.py URL TOKEN"""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client  # type: ignore[import-not-found]
from fastmcp.client.transports import StreamableHttpTransport  # type: ignore[import-not-found]

FILE = {"scope": "user", "area": "clients", "name": "fastmcp"}
BODY = {"content": "- [stated] Black.\n", "description": "d", "aliases": ["墨"], "expected_version": None}


def client(token: str | None) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Client(StreamableHttpTransport(sys.argv[1], headers=headers))


async def refusal(token: str | None) -> str:
    try:
        async with client(token) as connection:
            await connection.list_tools()
    except Exception as error:
        return str(error)
    return "not refused"


async def main() -> None:
    report: dict[str, Any] = {"refusals": [await refusal(None), await refusal("wrong-token")]}
    async with client(sys.argv[2]) as connection:
        report["tools"] = [tool.name for tool in await connection.list_tools()]
        written = await connection.call_tool("write_file", {**FILE, **BODY})
        read = await connection.call_tool("read_file", FILE)
        again = await connection.call_tool("write_file", {**FILE, **BODY}, raise_on_error=False)
        report["same"] = read.structured_content == written.structured_content
        report["content"] = read.structured_content["content"]
        report["conflict"] = again.structured_content["error"]
    sys.stdout.write(json.dumps(report))


asyncio.run(main())

"""A memory server in this process, and one call of a client of its own."""

import threading
from functools import cached_property
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult

from tests.walkthroughs import ticking_clock
from wenchang.core import MemoryStore
from wenchang.identity import Identity, SandboxResolver, ScopeGrant
from wenchang.mcp import ToolCallRecord, build_server
from wenchang.prompts import PromptSlots
from wenchang.scope import ScopePolicy
from wenchang.storage.memory import InMemoryStorage
from wenchang.transport import InProcessClient

SLOTS = PromptSlots("Inkwell helps to write novels.", "One private scope.", "preferences")
QIAO = Identity({"user": ScopeGrant("u-qiao", "owner")})


class Host:
    """Everything a host needs, with a record of what happened."""

    def __init__(self, **changed: Any) -> None:
        self.storage = InMemoryStorage()
        self.records: list[ToolCallRecord] = []
        self.threads: list[threading.Thread] = []
        self.arguments: dict[str, Any] = {
            "client": InProcessClient(MemoryStore(self.storage, clock=ticking_clock())),
            "resolver": SandboxResolver(QIAO),
            "policy": ScopePolicy({}),
            "credentials_from_context": lambda _: None,
            "source": "agent",
            "on_call": self.note,
            **changed,
        }

    @cached_property
    def server(self) -> MCPServer[Any]:
        return build_server(slots=SLOTS, **self.arguments)

    def note(self, record: ToolCallRecord) -> None:
        self.records.append(record)
        self.threads.append(threading.current_thread())

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        async with Client(self.server) as client:
            return await client.call_tool(tool, arguments)


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    return str(getattr(block, "text", ""))


def payload_of(result: CallToolResult) -> dict[str, Any]:
    payload = result.structured_content
    assert isinstance(payload, dict)
    return payload


WRITE: dict[str, Any] = {
    "scope": "user",
    "area": "notes",
    "name": "n",
    "content": "x\n",
    "description": "d",
    "aliases": [],
    "expected_version": None,
}
PLACE = {"scope": "user", "area": "notes", "name": "n"}

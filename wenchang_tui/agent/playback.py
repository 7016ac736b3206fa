"""The scripted agent: plays a walkthrough, beat by beat, as a real MCP client against a real server.

Each performance has a store of its own, in memory, with a clock that begins at midnight of 2026 and moves by a second
a write. How fast the beats follow one another is up to whoever shows them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.callers import Caller, new_token
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.scenarios import IDENTITIES, SEED_SOURCE, SOURCE, WRITE_ROLES, Beat, Say, Use, Walkthrough
from wenchang_tui.agent.server import Server
from wenchang_tui.agent.service import Service
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
CLIENT = "inkwell"

_CHARACTERS_A_SECOND = 20.0
_BREATH_S = 1.2
_CALL_S = 3.5
_CALL_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Played:
    """A beat that was played. `answer` is what the client got for a call, with `is_error`; `None` for words."""

    beat: Beat
    answer: dict[str, Any] | None = None
    is_error: bool = False

    __hash__ = None  # type: ignore[assignment]


def stage(walkthrough: Walkthrough) -> Workspace:
    """A fresh store in memory, with what must lie in it before the walkthrough begins."""
    seconds = iter(range(10**6))
    storage = InMemoryStorage()
    store = MemoryStore(storage, clock=lambda: MIDNIGHT + timedelta(seconds=next(seconds)))
    for seed in walkthrough.seeds:
        metadata = FileMetadata(seed.description, seed.aliases, frozenset(), MIDNIGHT)
        store.write_file(seed.path, seed.content, metadata, None, source=SEED_SOURCE)
    grants = IDENTITIES["Tianlong"].grants
    settings = Settings(grants=grants, write_roles=WRITE_ROLES, source=SOURCE)
    return Workspace("walkthrough", "demo", storage, store, settings, None)


class Performance:
    """One walkthrough, from its first beat to its last, once. Its methods block; call them off the event loop.

    `watch(call)` is told of each call as it begins and when it has ended; it must be quick and safe to call from any
    thread.
    """

    def __init__(self, walkthrough: Walkthrough, watch: Callable[[Call], object] = lambda _: None) -> None:
        self.walkthrough = walkthrough
        self.workspace = stage(walkthrough)
        self._callers = {name: Caller(name, identity, new_token()) for name, identity in IDENTITIES.items()}
        service = Service(self.workspace, report=watch, begun=watch)
        self._server = Server(service, list(self._callers.values()))
        self._at = 0

    @property
    def url(self) -> str | None:
        """Where its server listens; `None` before the first call."""
        return self._server.url

    @property
    def position(self) -> int:
        """How many beats were played."""
        return self._at

    @property
    def is_over(self) -> bool:
        """Whether the last beat was played."""
        return self._at >= len(self.walkthrough.beats)

    def start(self) -> Problem | None:
        """Start its server; `None` once it runs."""
        return self._server.start()

    def play_next(self) -> Played | None:
        """Play the next beat; `None` after the last. A call that cannot be made raises `OSError` or `TimeoutError`."""
        if self.is_over:
            return None
        beat = self.walkthrough.beats[self._at]
        played = Played(beat) if isinstance(beat, Say) else asyncio.run(self._call(beat))
        self._at += 1
        return played

    def close(self) -> None:
        """Stop its server."""
        self._server.stop()

    async def _call(self, use: Use) -> Played:
        # Imported here, in a worker thread: it takes longer than a first frame may.
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client
        from mcp_types import Implementation

        if self.url is None:
            raise ConnectionError("the server of the walkthrough does not run")
        headers = {"Authorization": f"Bearer {self._callers[use.caller].token}"}
        transport = streamable_http_client(self.url, http_client=create_mcp_http_client(headers=headers))
        me = Implementation(name=CLIENT, version="")
        async with asyncio.timeout(_CALL_LIMIT_S), Client(transport, client_info=me) as client:
            result = await client.call_tool(use.tool, dict(use.arguments))
        return Played(use, dict(result.structured_content or {}), bool(result.is_error))


def reading_s(beat: Beat) -> float:
    """How long a person takes to read a beat, in seconds."""
    return _CALL_S if isinstance(beat, Use) else _BREATH_S + len(beat.text) / _CHARACTERS_A_SECOND

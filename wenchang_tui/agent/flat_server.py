"""A file memory over MCP: the seven tools of its library behind the gate and the recorder, and an index that is fresh.

The library's server tells its clients of the index as it stood when the server was made; here each client is told of
it as it stands when that client connects. File memory, sections 5 and 16.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from anyio.to_thread import run_sync
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer

from wenchang.core import MemoryFile
from wenchang.errors import WenchangError
from wenchang.filememory import (
    DeleteFileToolName,
    FileMemoryError,
    FileMemoryProvider,
    ReplaceLinesToolName,
    ReplaceToolName,
    Session,
    WriteToolName,
)
from wenchang.filememory.mcp import build_server
from wenchang.filememory.names import checked_name
from wenchang.gate import Gate
from wenchang_tui.agent.calls import Change
from wenchang_tui.agent.flat_changes import current_file
from wenchang_tui.agent.recording import current_sketch
from wenchang_tui.model.flat_folder import FlatFolder

CHANGING = frozenset({WriteToolName, DeleteFileToolName, ReplaceToolName, ReplaceLinesToolName})

_READ_ONLY = "this memory is served read-only; nothing was changed"
_CONNECTING = ("initialize", "server/discover")


def flat_server(flat: FlatFolder, gate: Gate, is_abandoned: Callable[[], bool]) -> MCPServer[Any]:
    """A server for any number of clients, who all work in the one folder. Starts nothing. Raises `OSError`."""
    provider = WatchedProvider(flat, gate, is_abandoned)
    server = build_server(provider)
    server.middleware.append(_FreshIndex(provider))
    return server


class WatchedProvider(FileMemoryProvider):
    """A provider whose changes wait at the gate, are noted in the current sketch, and fail in what is read-only."""

    def __init__(self, flat: FlatFolder, gate: Gate, is_abandoned: Callable[[], bool]) -> None:
        super().__init__(flat.root)
        self._flat = flat
        self._gate = gate
        self._is_abandoned = is_abandoned
        self._changes = threading.Lock()

    def call(
        self, tool_name: str, arguments: Mapping[str, object] | str | None = None, session: Session | None = None
    ) -> str:
        """As the provider, once the change may be made."""
        if tool_name not in CHANGING:
            return super().call(tool_name, arguments, session)
        if self._flat.settings.read_only:
            raise FileMemoryError(_READ_ONLY)
        name = _name(arguments)
        if name is None:
            return super().call(tool_name, arguments, session)
        self._wait(tool_name, name, arguments)
        with self._changes:  # so that no other call changes the file between the look at it and the change
            before = self._look(name)
            answer = super().call(tool_name, arguments, session)
            self._note(name, before)
        return answer

    def _wait(self, tool_name: str, name: str, arguments: Mapping[str, object] | str | None) -> None:
        given = arguments if isinstance(arguments, Mapping) else {}
        try:
            self._gate.pass_change(tool_name, name, given, self._is_abandoned)
        except WenchangError as error:
            raise FileMemoryError(error.message) from error

    def _look(self, name: str) -> MemoryFile | None:
        """The file as it is; `None` when it is absent or cannot be read, or nobody wants to know."""
        if current_sketch.get() is None:
            return None
        try:
            return current_file(self._flat, name)
        except (FileMemoryError, OSError):  # whatever is wrong, the call itself says so
            return None

    def _note(self, name: str, before: MemoryFile | None) -> None:
        sketch, after = current_sketch.get(), self._look(name)
        if sketch is not None and before != after:
            sketch.change = Change(name, before, after)


def _name(arguments: Mapping[str, object] | str | None) -> str | None:
    """The file that a call names; `None` where it names none, which the call itself then refuses."""
    given = arguments.get("file_name") if isinstance(arguments, Mapping) else None
    try:
        return checked_name(given) if isinstance(given, str) else None
    except FileMemoryError:
        return None


class _FreshIndex:
    """A middleware that answers every client that connects with the instructions of that moment."""

    def __init__(self, provider: FileMemoryProvider) -> None:
        self._provider = provider

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Put the instructions of this moment into the answer."""
        result = await call_next(ctx)
        if ctx.method not in _CONNECTING or not isinstance(result, dict):
            return result
        with suppress(FileMemoryError):  # of a folder that is gone the tools tell
            fresh = await run_sync(lambda: build_server(self._provider).instructions)
            return {**result, "instructions": fresh}
        return result

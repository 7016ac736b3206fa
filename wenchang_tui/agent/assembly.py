"""The MCP server of a service: the memory tools behind the gate and the recorder, and who is who."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

import anyio.from_thread
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer

from wenchang.gate import GatedClient
from wenchang.mcp import build_server
from wenchang.transport import InProcessClient
from wenchang_tui.agent.callers import Caller, CallerResolver
from wenchang_tui.agent.drain import Drain
from wenchang_tui.agent.observer import Observer
from wenchang_tui.agent.recording import RecordingClient
from wenchang_tui.agent.service import Service
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace

CallerOf: TypeAlias = Callable[[ServerRequestContext[Any, Any]], Caller]


def assemble(service: Service, caller_of: CallerOf, drain: Drain) -> MCPServer[Any]:
    """A server that serves each request to the caller whose it is. Starts nothing."""
    opened = service.workspace
    if isinstance(opened, FlatFolder):
        from wenchang_tui.agent.flat_server import flat_server  # needs the extra `filememory`

        server = flat_server(opened, service.gate, _is_abandoned)
    else:
        server = _store_server(opened, service, caller_of)
    server.middleware.append(Observer(service.report, caller_of, service.begun))
    server.middleware.append(drain)
    return server


def _store_server(workspace: Workspace, service: Service, caller_of: CallerOf) -> MCPServer[Any]:
    def credentials(ctx: Context[Any, Any]) -> Caller:
        return caller_of(ctx.request_context)

    recording = RecordingClient(InProcessClient(workspace.store))
    return build_server(
        slots=service.slots,
        client=GatedClient(recording, service.gate, is_abandoned=_is_abandoned),
        resolver=CallerResolver(),
        policy=workspace.policy,
        credentials_from_context=credentials,
        source=workspace.settings.source,
    )


def allow_calls(number: int) -> None:
    """Let so many calls run side by side on this loop: changes that wait for a person must not hold up reading."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = number


def _is_abandoned() -> bool:
    """Whether the client of the call on this worker thread has gone away, or the server is closing."""
    try:
        anyio.from_thread.check_cancelled()
    except asyncio.CancelledError:
        return True
    except RuntimeError:  # on no worker thread: called by no server
        return False
    return False

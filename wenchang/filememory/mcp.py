"""The tools of a file-memory provider on an MCP server of the `mcp` package. Starts nothing. File memory, section 16.

Arguments go to the provider exactly as they were sent: it checks them itself, so that a refusal reads the same
everywhere. Only the list of line edits may also come as JSON text, from clients that can send nothing but text.
"""

try:
    import mcp as _mcp  # noqa: F401
except ImportError as _error:
    raise ImportError(
        "wenchang.filememory.mcp requires the optional 'mcp' extra: pip install 'wenchang[mcp]'"
    ) from _error

import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool as McpTool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, TextContent, ToolAnnotations

import wenchang
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.provider import FileMemoryProvider, Invocation, Tool
from wenchang.filememory.tools import (
    DeleteFileToolName,
    GrepToolName,
    LsToolName,
    ReadFileToolName,
    ReplaceLinesToolName,
    ReplaceToolName,
    WriteToolName,
)
from wenchang.filememory.values import Session


def _hints(*, read_only: bool = False, destructive: bool = False, idempotent: bool = True) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=read_only, destructive_hint=destructive, idempotent_hint=idempotent, open_world_hint=False
    )


_ANNOTATIONS = {
    WriteToolName: _hints(destructive=True),
    ReadFileToolName: _hints(read_only=True),
    DeleteFileToolName: _hints(destructive=True),
    LsToolName: _hints(read_only=True),
    GrepToolName: _hints(read_only=True),
    ReplaceToolName: _hints(destructive=True, idempotent=False),
    ReplaceLinesToolName: _hints(destructive=True, idempotent=False),
}


class _AsSent(FuncMetadata):
    """Arguments that the framework neither reads nor checks: a tool gets all of them as one."""

    def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
        return {"arguments": arguments_to_validate}


def build_server(
    provider: FileMemoryProvider, *, session: Session | None = None, name: str = "wenchang-filememory"
) -> MCPServer[Any]:
    """A server with the seven tools, all working in the folder of `session`; `provider` stays the caller's to close.

    The instructions are the provider's, and the index of this moment: a client is told of it once, when it connects.
    Raises `FileMemoryError` as `FileMemoryProvider.invoking` does.
    """
    invocation = provider.invoking(session)
    return MCPServer(
        name,
        instructions=_instructions(invocation),
        version=wenchang.__version__,
        tools=[_registered(tool) for tool in invocation.tools],
    )


def _instructions(invocation: Invocation) -> str | None:
    parts = [invocation.instructions or "", *(message.text for message in invocation.messages)]
    return "\n\n".join(filter(None, parts)) or None


def _registered(tool: Tool) -> McpTool:
    return McpTool(
        fn=_function(tool),
        name=tool.name,
        title=None,
        description=tool.description,
        parameters=tool.input_schema,
        fn_metadata=_AsSent(arg_model=ArgModelBase),
        is_async=False,
        context_kwarg=None,
        annotations=_ANNOTATIONS[tool.name],
    )


def _function(tool: Tool) -> Callable[[dict[str, Any]], CallToolResult]:
    """What the framework calls, on one of its worker threads."""
    answers_rows = tool.name in (LsToolName, GrepToolName)

    def call(arguments: dict[str, Any]) -> CallToolResult:
        try:
            text = tool.call(_with_edits_read(arguments))
        except FileMemoryError as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        rows = {"result": json.loads(text)} if answers_rows else None
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=rows)

    return call


def _with_edits_read(arguments: dict[str, Any]) -> dict[str, Any]:
    edits = arguments.get("edits")
    if not isinstance(edits, str):
        return arguments
    try:
        listed = json.loads(edits)
    except (ValueError, RecursionError):
        return arguments
    return {**arguments, "edits": listed} if isinstance(listed, list) else arguments

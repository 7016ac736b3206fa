"""Putting the memory tools on a server: what a host got wrong is found before anything is registered."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resources import TextResource
from mcp_types import ToolAnnotations

import wenchang
from wenchang._types import exact_str, really, type_name
from wenchang.identity import Identity, IdentityResolver
from wenchang.mcp.arguments import ExactArguments
from wenchang.mcp.calls import MemoryCalls, ToolCallRecord, log
from wenchang.prompts import PromptSlots, build_memory_prompt
from wenchang.scope import ScopePolicy
from wenchang.tools import TOOL_NAMES, MemoryTools, tool_schemas
from wenchang.transport import TransportClient

PROMPT_RESOURCE_URI = "wenchang://memory-prompt"
"""Where a client that shows no server instructions can read the memory prompt."""

_PREFIX = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_NAME_LIMIT_OF_CLIENTS = 64


def _hints(*, read_only: bool = False, destructive: bool = False, idempotent: bool = True) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=read_only, destructive_hint=destructive, idempotent_hint=idempotent, open_world_hint=False
    )


_ANNOTATIONS = {
    "get_memory_index": _hints(read_only=True),
    "read_file": _hints(read_only=True),
    "list_prefix": _hints(read_only=True),
    "write_file": _hints(destructive=True),
    "append_line": _hints(),
    # A span that is still unique is replaced again, whichever version the call names.
    "replace_fact": _hints(destructive=True, idempotent=False),
    "delete_file": _hints(destructive=True),
}


def memory_instructions(slots: PromptSlots) -> str:
    """The memory prompt, as instructions for a server. Raises `TypeError` for anything but `PromptSlots`."""
    return build_memory_prompt(slots)


def register_memory_tools(
    server: MCPServer[Any],
    *,
    prompt: str,
    client: TransportClient,
    resolver: IdentityResolver[Any],
    policy: ScopePolicy,
    credentials_from_context: Callable[[Any], object],
    source: str,
    product: str | None = None,
    tool_prefix: str | None = None,
    on_call: Callable[[ToolCallRecord], object] | None = None,
) -> None:
    """Add the seven tools, and `prompt` as a resource, to a server that exists.

    `credentials_from_context(ctx)` reads the credentials of a request for `resolver`, once a call and on the call's
    worker thread; `on_call(record)` is told of each call on the same thread. Tools are named `{tool_prefix}_{name}`
    when a prefix is given.

    Raises `TypeError`, `ValueError` or `RuntimeError` before anything is registered: agent layer, section 6.
    """
    if not really(server, MCPServer):
        raise TypeError(f"server must be an MCPServer, not {type_name(server)}")
    calls = MemoryCalls(client, resolver, policy, credentials_from_context, source, product, on_call)
    descriptions = _checked_descriptions(calls, tool_prefix)
    if not really(prompt, str):
        raise TypeError(f"prompt must be a str, not {type_name(prompt)}")
    text = exact_str(prompt)
    if not text.strip():
        raise ValueError("prompt must be non-empty")
    _check_nothing_registered(server, tool_prefix)
    _register(server, text, calls, descriptions, tool_prefix)
    if text not in (server.instructions or ""):
        log.warning("The instructions of the server do not hold the memory prompt; agents may never see it")


def build_server(
    *,
    slots: PromptSlots,
    client: TransportClient,
    resolver: IdentityResolver[Any],
    policy: ScopePolicy,
    credentials_from_context: Callable[[Any], object],
    source: str,
    product: str | None = None,
    tool_prefix: str | None = None,
    on_call: Callable[[ToolCallRecord], object] | None = None,
    name: str = "wenchang",
) -> MCPServer[Any]:
    """A server with nothing but memory: the tools, and the memory prompt as instructions and resource.

    Arguments and errors are those of `register_memory_tools`, and `slots` those of `memory_instructions`.
    """
    calls = MemoryCalls(client, resolver, policy, credentials_from_context, source, product, on_call)
    descriptions = _checked_descriptions(calls, tool_prefix)
    prompt = memory_instructions(slots)
    server: MCPServer[Any] = MCPServer(name, instructions=prompt, version=wenchang.__version__)
    _register(server, prompt, calls, descriptions, tool_prefix)
    return server


def _checked_descriptions(calls: MemoryCalls, tool_prefix: str | None) -> Mapping[str, str]:
    """Check what both ways in have in common, in the order of the specification; return the descriptions to use."""
    tools = MemoryTools(calls.client, Identity({}), calls.policy, source=calls.source, product=calls.product)
    if not isinstance(calls.resolver, IdentityResolver):
        raise TypeError("resolver must satisfy IdentityResolver")
    _check_plain_function("credentials_from_context", calls.credentials_from_context, "callable")
    if calls.on_call is not None:
        _check_plain_function("on_call", calls.on_call, "callable or None")
    _check_prefix(tool_prefix)
    descriptions = tools.descriptions()
    if missing := [name for name, text in descriptions.items() if not text.strip()]:
        raise RuntimeError(
            f"memory tool descriptions are missing or empty for: {', '.join(missing)}; "
            "the tool docstrings may have been stripped (python -OO)"
        )
    return descriptions


def _check_plain_function(argument: str, function: object, expected: str) -> None:
    if not callable(function):
        raise TypeError(f"{argument} must be {expected}")
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
        raise TypeError(f"{argument} must be a plain function, not async")


def _check_prefix(tool_prefix: object) -> None:
    if tool_prefix is None:
        return
    if not really(tool_prefix, str):
        raise TypeError(f"tool_prefix must be a str or None, not {type_name(tool_prefix)}")
    if not _PREFIX.fullmatch(exact_str(tool_prefix)):
        raise ValueError(
            "tool_prefix must be 1-64 characters of A-Z, a-z, 0-9, '_' or '-', "
            "starting and ending with a letter or digit"
        )


def _registered_name(name: str, tool_prefix: str | None) -> str:
    return name if tool_prefix is None else f"{exact_str(tool_prefix)}_{name}"


def _check_nothing_registered(server: MCPServer[Any], tool_prefix: str | None) -> None:
    """The framework would only warn of a second registration, and keep the first."""
    ours = {PROMPT_RESOURCE_URI, *(_registered_name(name, tool_prefix) for name in TOOL_NAMES)}
    tools = {tool.name for tool in server._tool_manager.list_tools()}
    resources = {str(resource.uri) for resource in server._resource_manager.list_resources()}
    if taken := ours & (tools | resources):
        raise ValueError(f"cannot register memory tools: already registered on the server: {', '.join(sorted(taken))}")


def _register(
    server: MCPServer[Any],
    prompt: str,
    calls: MemoryCalls,
    descriptions: Mapping[str, str],
    tool_prefix: str | None,
) -> None:
    server.add_resource(
        TextResource(
            uri=PROMPT_RESOURCE_URI,
            name="memory_prompt",
            title="Memory prompt",
            mime_type="text/markdown",
            text=prompt,
        )
    )
    for name in TOOL_NAMES:
        _register_tool(server, name, _registered_name(name, tool_prefix), calls, descriptions[name])


def _register_tool(server: MCPServer[Any], name: str, registered_name: str, calls: MemoryCalls, text: str) -> None:
    if len(registered_name) > _NAME_LIMIT_OF_CLIENTS:
        log.warning("Tool name %s is longer than the 64 characters that many clients allow", registered_name)
    server.add_tool(
        calls.wrapper(name, registered_name),
        name=registered_name,
        description=text,
        annotations=_ANNOTATIONS[name],
        structured_output=False,
    )
    # The framework has no public way to say how a tool's arguments are read, or that there are no others.
    tool = server._tool_manager.get_tool(registered_name)
    assert tool is not None
    tool.fn_metadata = ExactArguments(arg_model=tool.fn_metadata.arg_model)
    tool.parameters = tool_schemas()[name]

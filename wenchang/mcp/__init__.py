"""The memory tools and the memory prompt on an MCP server of the `mcp` package.

`build_server` makes a server, `register_memory_tools` adds to one that exists; neither starts anything. Every call
resolves the caller's identity anew from its own request, so one server can serve many callers.

What the framework decides, and a host should know: calls run side by side on worker threads; arguments are checked
against the schema before a tool is reached, so that a missing, misspelt or mistyped one comes back as the framework's
text, without structured content and without a `ToolCallRecord`. Agent layer, section 6.
"""

try:
    import mcp as _mcp  # noqa: F401
except ImportError as _error:
    raise ImportError("wenchang.mcp requires the optional 'mcp' extra: pip install 'wenchang[mcp]'") from _error

try:
    from wenchang.mcp.calls import ToolCallRecord
    from wenchang.mcp.server import PROMPT_RESOURCE_URI, build_server, memory_instructions, register_memory_tools
except ImportError as _error:
    raise ImportError(f"wenchang.mcp requires mcp>=2.2,<3, which the installed 'mcp' is not: {_error}") from _error

__all__ = [
    "PROMPT_RESOURCE_URI",
    "ToolCallRecord",
    "build_server",
    "memory_instructions",
    "register_memory_tools",
]

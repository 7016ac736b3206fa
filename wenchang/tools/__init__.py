"""The seven tools an agent gets, and everything it reads of them: descriptions, schemas, results, errors.

`bind_tools` makes the tools of one session; `render_result` and `render_error` turn what they return and raise into
JSON. `wenchang.mcp` serves them over MCP; other agent frameworks need nothing but this module.
"""

from wenchang.tools.memory_tools import TOOL_NAMES, MemoryTools, bind_tools, tool_descriptions
from wenchang.tools.rendering import render_error, render_result
from wenchang.tools.schemas import tool_schemas

__all__ = [
    "TOOL_NAMES",
    "MemoryTools",
    "bind_tools",
    "render_error",
    "render_result",
    "tool_descriptions",
    "tool_schemas",
]

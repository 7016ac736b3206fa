"""How a client is told about this server: lines to copy. These are the only texts that hold a token."""

import json
import shlex
from collections.abc import Sequence

TOKEN_VARIABLE = "WENCHANG_TOKEN"


def claude_http_command(url: str, token: str, name: str = "memory") -> str:
    """The command that registers a server on a port with Claude Code."""
    header = shlex.quote(f"Authorization: Bearer {token}")
    return f"claude mcp add --transport http {shlex.quote(name)} {shlex.quote(url)} --header {header}"


def claude_stdio_command(command: Sequence[str], name: str = "memory") -> str:
    """The command that registers a server which Claude Code starts itself."""
    return f"claude mcp add {shlex.quote(name)} -- {shlex.join(command)}"


def http_configuration(url: str, name: str = "memory") -> str:
    """The entry of an `.mcp.json`, which reads the token from the environment: such a file is often shared."""
    headers = {"Authorization": f"Bearer ${{{TOKEN_VARIABLE}}}"}
    return json.dumps({"mcpServers": {name: {"type": "http", "url": url, "headers": headers}}}, indent=2)


def stdio_configuration(command: Sequence[str], name: str = "memory") -> str:
    """The entry of an `.mcp.json` for a server that the client starts itself."""
    program, *arguments = command
    return json.dumps({"mcpServers": {name: {"type": "stdio", "command": program, "args": arguments}}}, indent=2)

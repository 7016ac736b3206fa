import json
import shlex

from wenchang_tui.agent.connect import (
    claude_http_command,
    claude_stdio_command,
    http_configuration,
    stdio_configuration,
)

URL = "http://127.0.0.1:4711/mcp"


def test_the_command_is_one_a_shell_reads_as_meant() -> None:
    words = shlex.split(claude_http_command(URL, "t0ken"))
    assert words == [
        "claude",
        "mcp",
        "add",
        "--transport",
        "http",
        "memory",
        URL,
        "--header",
        "Authorization: Bearer t0ken",
    ]
    words = shlex.split(claude_stdio_command(["wenchang", "serve", "a b", "--grant", "user=ü"], "my memory"))
    assert words == ["claude", "mcp", "add", "my memory", "--", "wenchang", "serve", "a b", "--grant", "user=ü"]


def test_a_configuration_that_may_be_shared_holds_no_token() -> None:
    assert json.loads(http_configuration(URL)) == {
        "mcpServers": {"memory": {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${WENCHANG_TOKEN}"}}}
    }
    assert json.loads(stdio_configuration(["wenchang", "serve", "m"])) == {
        "mcpServers": {"memory": {"type": "stdio", "command": "wenchang", "args": ["serve", "m"]}}
    }

"""What the README tells to type is true. `python -m tests.test_readme` writes its table of keys anew."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from wenchang_tui.cli.program import _COMMANDS
from wenchang_tui.widgets.commands import Where, commands, key_label

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"^(?:wenchang|claude mcp add memory -- \S+) ([^\n#]*)", README, re.MULTILINE)
CLAUDE = re.findall(r"^claude mcp add memory -- \S+ ([^\n]*)", README, re.MULTILINE)
KEYS = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- end of keys -->)", re.DOTALL)
SCREENS = (Where.BROWSE, Where.INDEX, Where.EDIT, Where.AGENT, Where.HEALTH, Where.OPERATE, Where.FLAT, Where.APP)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(cwd)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def test_the_library_in_ten_lines(tmp_path: Path) -> None:
    ended = run("-c", PYTHON[0], cwd=tmp_path)
    assert ended.stderr == ""
    assert "'name': 'prose'" in ended.stdout
    assert len([line for line in PYTHON[0].splitlines() if line and "import" not in line]) <= 10


def test_the_tools_in_an_mcp_server(tmp_path: Path) -> None:
    setting = (
        "from mcp.server.mcpserver import MCPServer\n"
        "from wenchang.core import MemoryStore\n"
        "from wenchang.identity import Identity, SandboxResolver\n"
        "from wenchang.prompts import PromptSlots\n"
        "from wenchang.scope import ScopePolicy\n"
        "from wenchang.storage.memory import InMemoryStorage\n"
        "from wenchang.transport import InProcessClient\n"
        "slots = PromptSlots('p', 's', 'a')\n"
        "client = InProcessClient(MemoryStore(InMemoryStorage()))\n"
        "resolver = SandboxResolver(Identity({}))\n"
    )
    end = "\nimport asyncio\nprint([tool.name for tool in asyncio.run(server.list_tools())])\n"
    ended = run("-c", setting + PYTHON[1] + end, cwd=tmp_path)
    assert "'get_memory_index', 'read_file'" in ended.stdout, ended.stderr


@pytest.mark.parametrize("line", sorted({line.strip() for line in SHELL if line.strip()}))
def test_every_command_is_one_that_the_program_knows(line: str, tmp_path: Path) -> None:
    """Its options are tried by asking for help with them; what it does is tested elsewhere."""
    command, *words = line.split()
    options = [word for word in words if word.startswith("--")]
    if command in _COMMANDS:
        ended = run("-m", "wenchang_tui", command, "--help", cwd=tmp_path)
    else:
        ended = run("-m", "wenchang_tui", "--help", cwd=tmp_path)
    assert ended.returncode == 0
    for option in options:
        assert option in ended.stdout


async def test_an_agent_that_is_connected_as_told_writes_where_the_app_looks(tmp_path: Path) -> None:
    words = [word.replace("~", str(tmp_path)) for word in CLAUDE[0].split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    server = StdioServerParameters(command=sys.executable, args=["-m", "wenchang_tui", *words], env=environment)
    file = {"scope": "user", "area": "notes", "name": "ink", "content": "- [stated] Black.\n"}
    async with Client(server) as agent:
        answer = await agent.call_tool(
            "write_file", {**file, "description": "Ink", "aliases": ["colour"], "expected_version": None}
        )
        assert not answer.is_error, answer
    ended = run("-m", "wenchang_tui", "show", str(tmp_path / "memory"), "user/me/notes/ink", cwd=tmp_path)
    assert "Black." in ended.stdout


def test_a_file_memory_in_a_few_lines(tmp_path: Path) -> None:
    ended = run("-c", PYTHON[2], cwd=tmp_path)
    assert ended.stderr == ""
    assert "paths.md" in ended.stdout
    assert (tmp_path / "notes" / "paths.md").read_text() == "North of the river.\n"


def test_the_keys_are_those_of_the_registry() -> None:
    assert KEYS.findall(README) == [key_table()], "python -m tests.test_readme writes them anew"


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert len(pictures) >= 5
    assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []


def key_table() -> str:
    """The keys of each screen's footer, as the README shows them."""
    rows = (f"| {place.value} | {', '.join(_keys(place))} |" for place in SCREENS)
    return "\n".join(("", "| where | keys |", "|---|---|", *rows, "", ""))


def _keys(place: Where) -> list[str]:
    return [f"`{key_label(command.keys[0])}` {command.name}" for command in commands(place) if command.footer]


if __name__ == "__main__":
    (ROOT / "README.md").write_text(KEYS.sub(lambda _: key_table(), README), encoding="utf-8")

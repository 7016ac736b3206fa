"""What the README tells to type is true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"^(?:wenchang|claude mcp add memory -- \S+) ([^\n#]*)", README, re.MULTILINE)
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
    if command in ("tree", "show", "index", "prompt", "check", "seed", "export", "restore", "purge", "serve"):
        ended = run("-m", "wenchang_tui", command, "--help", cwd=tmp_path)
    else:
        ended = run("-m", "wenchang_tui", "--help", cwd=tmp_path)
    assert ended.returncode == 0
    for option in options:
        assert option in ended.stdout

import json
import shlex
from pathlib import Path

from tests.tui.agent.support import TIANLONG
from wenchang_tui.agent.callers import new_token
from wenchang_tui.agent.setups import HIDDEN, http_setups, stdio_setup
from wenchang_tui.model.settings import Settings

URL = "http://127.0.0.1:4100/mcp"


def test_every_way_in_holds_the_token_it_is_given_and_no_other() -> None:
    token = new_token()
    texts = {setup.name: setup.text(token) for setup in http_setups(URL)}
    assert shlex.split(texts["Claude Code"])[-1] == f"Authorization: Bearer {token}"
    assert shlex.split(texts["MCP Inspector"])[-1] == f"Authorization: Bearer {token}"
    assert texts["environment"] == f"export WENCHANG_TOKEN={token}"
    assert json.loads(texts[".mcp.json"])["mcpServers"]["memory"]["url"] == URL
    assert token not in texts[".mcp.json"]
    assert not any(token in setup.text(HIDDEN) for setup in http_setups(URL))
    assert {setup.name for setup in http_setups(URL) if not setup.holds_token} == {".mcp.json"}


def test_a_server_of_the_clients_own_gets_the_same_rules_and_logs_where_the_app_looks() -> None:
    settings = Settings(write_roles={"user": frozenset({"owner", "admin"})}, index_bytes=4_000, read_only=True)
    words = shlex.split(stdio_setup(Path("/a b"), TIANLONG, settings, Path("/log.jsonl")).text(""))
    serve = words[words.index("serve") :]
    assert serve[1:3] == ["/a b", "--stdio"]
    assert "--grant=user=u-tianlong:owner" in serve
    assert "--restrict=user=admin,owner" in serve
    assert "--index-bytes=4000" in serve
    assert "--read-only" in serve
    assert not any(word.startswith("--max-files") for word in serve)
    assert serve[-2:] == ["--call-log", "/log.jsonl"]

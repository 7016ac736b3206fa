"""Clients of other makers against a running server, in every era of the protocol that they speak."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import DRIVERS, Endpoint, quiet_home
from wenchang.tools import TOOL_NAMES

# The first run fetches the clients.
pytestmark = [pytest.mark.clients, pytest.mark.timeout(900)]

LIMIT_S = 120


def finished(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        stdin=subprocess.DEVNULL,
        env=quiet_home(folder),
        check=False,
    )


def report_of(command: Sequence[str | Path], folder: Path) -> dict[str, Any]:
    ended = finished(command, folder)
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout))


@pytest.mark.parametrize(
    ("driver", "mode", "protocol"),
    [
        ("ts-v1.mjs", "", "2025-11-25"),
        ("ts-v2.mjs", "legacy", "2025-11-25"),
        ("ts-v2.mjs", "auto", "2026-07-28"),
        ("ts-v2.mjs", "2026-07-28", "2026-07-28"),
    ],
)
def test_the_typescript_clients(
    endpoint: Endpoint, node: Path, tmp_path: Path, driver: str, mode: str, protocol: str
) -> None:
    report = report_of(["node", node / driver, endpoint.url, endpoint.token, mode], tmp_path)
    assert report == {
        "refusals": ["refused", "refused"],
        "protocol": protocol,
        **({"server": "wenchang"} if driver == "ts-v1.mjs" else {}),
        "tools": list(TOOL_NAMES),
        "annotated": True,
        "content": '- [stated] {"is": "text"}\n',
        "same": True,
        "text_is_payload": True,
        "conflict": "VersionConflictError",
        "conflict_is_error": True,
        "indexed": True,
        "unknown_is_error": True,
    }


def test_fastmcp(endpoint: Endpoint, fastmcp_python: Path, tmp_path: Path) -> None:
    report = report_of([fastmcp_python, DRIVERS / "fastmcp_client.py", endpoint.url, endpoint.token], tmp_path)
    refusals = report.pop("refusals")
    assert all("Missing or wrong bearer token" in text or "401" in text for text in refusals), refusals
    assert report == {
        "tools": list(TOOL_NAMES),
        "same": True,
        "content": "- [stated] Black.\n",
        "conflict": "VersionConflictError",
    }


INDEX = ["--tool-name", "get_memory_index", "--tool-args-json", "{}"]
UNKNOWN = ["--tool-name", "no_such_tool", "--tool-args-json", "{}"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector(endpoint: Endpoint, node: Path, tmp_path: Path, era: str) -> None:
    modules = node / "node_modules"
    program: list[str | Path] = [modules / ".bin" / "node", modules / ".bin" / "mcp-inspector", "--cli", endpoint.url]
    usual = ["--transport", "http", "--format", "json", "-q", "--protocol-era", era]
    right = ["--header", f"Authorization: Bearer {endpoint.token}"]
    wrong = ["--stored-auth-only", "--header", "Authorization: Bearer wrong-token"]
    expected = {
        ("tools/list", "--strict", *right): 0,
        ("tools/call", *INDEX, *right): 0,
        ("tools/call", *UNKNOWN, *right): 5,
        ("resources/list", *right): 0,
        ("tools/list", *wrong): 3,
    }

    def code(method: tuple[str, ...]) -> int:
        return finished([*program, *usual, "--method", *method], tmp_path).returncode

    with ThreadPoolExecutor(2) as pool:
        assert dict(zip(expected, pool.map(code, expected), strict=True)) == expected


@contextmanager
def without_token(endpoint: Endpoint) -> Iterator[str]:
    """A URL for a client that can send no token."""
    proxy = subprocess.Popen(
        [sys.executable, DRIVERS / "token_proxy.py", endpoint.url, endpoint.token], stdout=subprocess.PIPE, text=True
    )
    try:
        assert proxy.stdout is not None
        yield proxy.stdout.readline().strip()
    finally:
        proxy.kill()
        proxy.communicate()


BOTH = ("tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection")
SCENARIOS = {
    "2025-11-25": (*BOTH, "server-initialize", "ping", "server-session-lifecycle"),
    "2026-07-28": (*BOTH, "sep-2164-resource-not-found", "caching", "http-header-validation"),
}


@pytest.mark.parametrize("revision", SCENARIOS)
def test_the_conformance_suite(endpoint: Endpoint, node: Path, tmp_path: Path, revision: str) -> None:
    """Its scenarios that need no tools made for it."""
    modules = node / "node_modules"
    program: list[str | Path] = [modules / ".bin" / "node", modules / ".bin" / "conformance", "server"]

    def outcome(scenario: str) -> str:
        told = ["--url", url, "--scenario", scenario, "--spec-version", revision]
        ended = finished([*program, *told], tmp_path)
        return "" if ended.returncode == 0 else re.sub(r"\x1b\[[0-9;]*m", "", ended.stdout)[-1000:]

    with without_token(endpoint) as url, ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip(SCENARIOS[revision], pool.map(outcome, SCENARIOS[revision]), strict=True))
    assert {scenario: text for scenario, text in outcomes.items() if text} == {}

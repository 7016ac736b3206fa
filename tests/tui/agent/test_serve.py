"""`wenchang serve` as its own process: what goes to which stream, how it ends, and what its log tells."""

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.tui.agent.support import INK, INK_PATH, LIMIT_S, NEW_INK
from wenchang.core import MemoryStore
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.agent.call_log import CallLogReader
from wenchang_tui.agent.recorder import ChangedSince, Reverted, revert
from wenchang_tui.cli.program import run

PROGRAM = [sys.executable, "-m", "wenchang_tui", "serve"]
GRANT = ("--grant", "user=u-tianlong")
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    return folder


class Raw:
    """A server over stdio, spoken to in frames of our own making."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        identified = {} if number is None else {"id": number}
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", **identified, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert answer["jsonrpc"] == "2.0"
        return dict(answer)

    def begin(self) -> dict[str, Any]:
        self.send("initialize", 1, **INITIALIZE)
        answer = self.answer()
        self.send("notifications/initialized")
        return answer

    def end(self) -> tuple[int, bytes, bytes]:
        """Hang up; the exit code and what else came out."""
        out, err = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, out, err


@contextmanager
def speaking(*arguments: str) -> Iterator[Raw]:
    raw = Raw(*arguments)
    try:
        yield raw
    finally:
        raw.process.kill()
        raw.process.communicate()


# Over stdio


def test_stdout_carries_the_protocol_and_nothing_else(memory: Path) -> None:
    with speaking(str(memory), *GRANT) as raw:
        assert raw.begin()["result"]["protocolVersion"] == "2025-06-18"
        raw.send("tools/call", 2, name="write_file", arguments=NEW_INK)
        written = raw.answer()["result"]
        assert written["structuredContent"]["content"] == "- [stated] Black.\n"
        raw.send("tools/call", 3, name="no_such_tool", arguments={})
        assert raw.answer()["id"] == 3
        assert raw.end() == (0, b"", b"")
    assert MemoryStore(FilesystemStorage(memory)).read_file(INK_PATH).version == written["structuredContent"]["version"]


def test_what_was_asked_before_the_input_ended_is_answered(memory: Path) -> None:
    with speaking(str(memory), *GRANT) as raw:
        raw.send("initialize", 1, **INITIALIZE)
        raw.send("notifications/initialized")
        for number in (2, 3, 4):
            raw.send("tools/call", number, name="write_file", arguments={**NEW_INK, "name": str(number)})
        code, out, err = raw.end()
    assert (code, err) == (0, b"")
    assert sorted(json.loads(line)["id"] for line in out.splitlines()) == [1, 2, 3, 4]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0), (signal.SIGHUP, 0)])
def test_a_signal_ends_it_though_the_input_stays_open(memory: Path, number: signal.Signals, code: int) -> None:
    with speaking(str(memory), *GRANT) as raw:
        raw.begin()
        raw.process.send_signal(number)
        assert raw.process.wait(LIMIT_S) == code


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_speaks_its_own_era(memory: Path, mode: Any) -> None:
    server = StdioServerParameters(command=PROGRAM[0], args=[*PROGRAM[1:], str(memory), *GRANT], env=environment())
    async with Client(server, mode=mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        written = (await client.call_tool("write_file", dict(NEW_INK))).structured_content
        read = (await client.call_tool("read_file", dict(INK))).structured_content
        assert read == written
        assert read is not None
        assert "error" not in read


SLOW = """
import threading
from tests.tui.agent.support import TIANLONG, workspace_over
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.service import Service
from wenchang_tui.agent.stdio import serve_stdio

class Slow(InMemoryStorage):
    def get(self, key):
        print("entered")
        threading.Event().wait()

serve_stdio(Service(workspace_over(Slow())), TIANLONG)
"""


def test_a_call_that_blocks_for_ever_holds_up_neither_the_end_nor_the_protocol(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.tui.agent.test_serve.PROGRAM", [sys.executable, "-u", "-c", SLOW])
    with speaking() as raw:
        raw.begin()
        raw.send("tools/call", 2, name="read_file", arguments=INK)
        assert raw.process.stderr is not None
        assert raw.process.stderr.readline() == b"entered\n"
        assert raw.end() == (0, b"", b"")


def test_read_only_is_honoured(memory: Path) -> None:
    with speaking(str(memory), *GRANT, "--read-only") as raw:
        raw.begin()
        raw.send("tools/call", 2, name="write_file", arguments=NEW_INK)
        result = raw.answer()["result"]
        assert result["isError"] is True
        assert result["structuredContent"]["error"] == "ReadOnlyError"
    assert list(memory.iterdir()) == []


def test_the_demo_goes_when_its_server_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with speaking("--demo") as raw:
        raw.begin()
        assert len(list(tmp_path.iterdir())) == 1
        assert raw.end()[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_without_a_grant_nothing_can_be_served_and_that_is_said(memory: Path) -> None:
    with speaking(str(memory)) as raw:
        raw.begin()
        code, out, err = raw.end()
    assert (code, out) == (0, b"")
    assert err == b"No scope is granted, so there is no memory to serve; add --grant SCOPE=ENTITY.\n"


# On a port


class Http:
    """A server on a port, with what it said when it was up."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments, "--http"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))
            if "claude mcp add" in line:
                break

    @property
    def url(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", self.said[0])
        assert found, self.said
        return found[0]

    @property
    def token(self) -> str:
        return shlex.split(self.said[-1])[-1].removeprefix("Authorization: Bearer ")

    def client(self, mode: Any = "auto") -> Client:
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {self.token}"})
        return Client(streamable_http_client(self.url, http_client=http), mode=mode)


@contextmanager
def on_a_port(*arguments: str) -> Iterator[Http]:
    http = Http(*arguments)
    try:
        yield http
    finally:
        http.process.kill()
        http.process.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
async def test_it_says_how_to_connect_serves_and_ends(memory: Path, number: signal.Signals, code: int) -> None:
    with on_a_port(str(memory), *GRANT) as http:
        assert http.said[0] == f"Serving {memory} at {http.url} (stop with Ctrl+C)."
        command = ["claude", "mcp", "add", "--transport", "http", "memory", http.url, "--header"]
        assert shlex.split(http.said[-1]) == [*command, f"Authorization: Bearer {http.token}"]
        assert len(http.token) == 43
        port = int(http.url.split(":")[2].split("/")[0])
        async with http.client() as client, http.client("legacy") as other:
            assert not (await client.call_tool("write_file", dict(NEW_INK))).is_error
            assert not (await other.call_tool("read_file", dict(INK))).is_error
            http.process.send_signal(number)
            out, err = await asyncio.to_thread(http.process.communicate, timeout=LIMIT_S)
        assert (http.process.returncode, out, err) == (code, "", "")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), LIMIT_S)


async def test_a_given_token_is_the_one(memory: Path) -> None:
    with on_a_port(str(memory), *GRANT, "--token", "a-token-of-my-own") as http:
        assert http.token == "a-token-of-my-own"
        async with http.client() as client:
            assert len((await client.list_tools()).tools) == 7


def test_other_machines_are_served_only_when_asked_for_and_with_a_warning(memory: Path) -> None:
    with on_a_port(str(memory), *GRANT, "--host", "0.0.0.0") as http:
        text = "\n".join(http.said)
    assert "whoever reaches this machine and has the token can read and change this memory" in text
    assert "not encrypted" in text
    assert "--allow-host" in text


# Command lines that cannot be


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--stdio", "--http"], "--stdio and --http exclude each other"),
        (["--port", "1"], "--port goes with --http"),
        (["--allow-host", "a"], "--allow-host goes with --http"),
        (["--http", "--token", ""], "--token must be ASCII"),
        (["--http", "--token", "a b"], "--token must be ASCII"),
        (["--http", "--port", "65536"], "65536 is not in the range"),
        (["--grant", "user"], "is not of the form SCOPE=ENTITY[:ROLE]"),
    ],
)
def test_a_command_line_that_cannot_be_is_one_line_on_stderr(
    memory: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(memory), *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def refused(*arguments: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, timeout=LIMIT_S, env=environment(), check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_a_port_that_is_taken_is_one_clear_line(memory: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = refused(str(memory), *GRANT, "--http", "--port", str(port), "--token", "secret-token")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in err
    assert "secret-token" not in err


def test_a_log_does_not_lie_in_the_memory(memory: Path) -> None:
    code, out, err = refused(str(memory), *GRANT, "--call-log", str(memory / "calls.jsonl"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "lies in the memory itself" in err
    assert list(memory.iterdir()) == []


def test_a_log_that_cannot_be_written_is_one_clear_line(memory: Path, tmp_path: Path) -> None:
    code, out, err = refused(str(memory), *GRANT, "--call-log", str(tmp_path / "absent" / "calls.jsonl"))
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "calls.jsonl" in err


# The log, followed from another process


def test_the_calls_of_another_process_can_be_followed_and_taken_back(memory: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    reader = CallLogReader(path)
    with speaking(str(memory), *GRANT, "--call-log", str(path)) as raw:
        raw.begin()
        raw.send("tools/call", 2, name="write_file", arguments=NEW_INK)
        version = raw.answer()["result"]["structuredContent"]["version"]
        (written,) = reader.read_new()
        assert (written.caller, written.client, written.protocol) == ("stdio", "raw 1", "2025-06-18")
        assert (written.tool, written.arguments, written.category) == ("write_file", NEW_INK, None)
        assert written.process == raw.process.pid
        assert written.change is not None
        assert written.change.before is None
        assert written.change.after is not None
        assert written.change.after.version == version
        raw.send(
            "tools/call", 3, name="append_line", arguments={**INK, "line": "- [stated] Red.", "expected_version": "x"}
        )
        assert raw.answer()["result"]["isError"] is True
        (conflict,) = reader.read_new()
        assert (conflict.category, conflict.change) == ("recoverable", None)
        store = MemoryStore(FilesystemStorage(memory))
        assert revert(written, store, source="app") == Reverted(None)
        assert isinstance(revert(written, store, source="app"), ChangedSince)
        raw.send("tools/call", 4, name="read_file", arguments=INK)
        assert raw.answer()["result"]["structuredContent"]["error"] == "NotFoundError"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_the_log_of_a_server_on_a_port_holds_no_token(memory: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with on_a_port(str(memory), *GRANT, "--call-log", str(path)) as http:
        async with http.client() as client:
            await client.call_tool("get_memory_index", {})
        text = path.read_text()
        assert http.token not in text
    assert json.loads(text)["caller"] == "http"

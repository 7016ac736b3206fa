"""A server on this machine, and clients that mean it harm: it stays up, serves the others, and tells nothing."""

import asyncio
import json
import logging
import os
import re
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.tui.agent.raw_http import LIST_TOOLS, META, Probe, message
from tests.tui.agent.support import INK, LIMIT_S, NEW_INK, Site, serving, workspace_over
from wenchang.core import MemoryStore
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent import connections

TELLING = re.compile(rb"Traceback|site-packages|\.py\b|/wenchang|u-tianlong")
"""What no answer may hold: where the code lies, or whose memory it is."""


@contextmanager
def attacked(caplog: pytest.LogCaptureFixture, site: Site | None = None) -> Iterator[Probe]:
    """A server that serves a good request after all that was done to it, and has no traceback to log."""
    with caplog.at_level(logging.INFO), serving(site or Site()) as site:
        assert site.server.address is not None
        probe = Probe(site.server.address, site.callers[0].token)
        yield probe
        assert probe.send().status == 200
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    assert site.callers[0].token not in caplog.text


def calling(probe: Probe, tool: str, arguments: Any) -> bytes:
    body = message("tools/call", name=tool, arguments=arguments)
    head = {"Mcp-Method": "tools/call", "Mcp-Name": tool, "Content-Length": str(len(body))}
    return probe.head("POST", "/mcp", head) + body


def called(probe: Probe, tool: str, arguments: Any) -> dict[str, Any]:
    with probe.connect() as connection:
        connection.sendall(calling(probe, tool, arguments))
        payload: dict[str, Any] = json.loads(probe.answer(connection).body)["result"]["structuredContent"]
        return payload


# What is sent


def raw_call(arguments: str) -> bytes:
    """A call whose arguments are any text."""
    params = f'{{"name": "read_file", "arguments": {arguments}, "_meta": {json.dumps(META)}}}'
    return f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'.encode()


NONSENSE = {
    "deep nesting in a call": raw_call('{"scope": ' + "[" * 50_000 + "]" * 50_000 + "}"),
    "a number without end": raw_call('{"scope": ' + "9" * 50_000 + "}"),
    "a number beyond all numbers": raw_call('{"scope": 1e999999}'),
    "no number": raw_call('{"scope": NaN}'),
    "half a character": raw_call('{"scope": "\\ud800", "area": "a", "name": "\\udfff"}'),
    "a zero": raw_call('{"scope": "\\u0000", "area": "../..", "name": "/etc/passwd"}'),
    "another's memory": raw_call('{"scope": "user/u-qiao", "area": "notes", "name": "ink"}'),
    "an unknown tool": message("tools/call", name="__class__", arguments={}),
    "an unknown method": message("rpc.discover"),
    "no method": b'{"jsonrpc": "2.0", "id": 1}',
    "an answer": b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
    "many in one": b"[" + LIST_TOOLS + b"," + LIST_TOOLS + b"]",
    "another version": b'{"jsonrpc": "1.0", "id": {}, "method": 7, "params": "x"}',
    "no text": bytes(range(256)),
}


def test_nothing_that_is_sent_breaks_it_or_makes_it_tell(caplog: pytest.LogCaptureFixture) -> None:
    with attacked(caplog) as probe:
        for what, body in NONSENSE.items():
            named = {"Mcp-Method": "tools/call", "Mcp-Name": "read_file"} if b"tools/call" in body else {}
            for headers in ({}, named):
                answer = probe.send(body, headers=headers)
                assert answer.status in (200, 202, 400, 404), (what, answer)
                assert not TELLING.search(answer.body), (what, answer)
                assert not TELLING.search(answer.headers.encode()), (what, answer)
                assert b'"internal"' not in answer.body, (what, answer)


def test_what_is_no_request_is_hung_up_on(caplog: pytest.LogCaptureFixture) -> None:
    with attacked(caplog) as probe:
        for sent in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", b"GET\r\n\r\n", b"A" * 200_000, b"\r\n" * 9000):
            with probe.connect() as connection, suppress(OSError):
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                assert probe.answer(connection).status in (0, 400), sent[:20]


# Clients that go


def test_calls_cut_off_in_the_middle_are_whole_or_absent(caplog: pytest.LogCaptureFixture) -> None:
    with attacked(caplog) as probe:
        for number in range(40):
            request = calling(probe, "write_file", {**NEW_INK, "name": f"ink {number}"})
            with probe.connect() as connection:
                connection.sendall(request[: len(request) * (number % 5 + 1) // 5])
        for number in range(40):
            arguments = {**INK, "name": f"ink {number}"}
            found = called(probe, "read_file", arguments)
            assert found.get("content", NEW_INK["content"]) == NEW_INK["content"]
            assert ("error" in found) or number % 5 == 4


def test_a_stop_answers_what_it_gives_up_and_logs_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), serving(Site()) as site:
        assert site.server.address is not None
        probe = Probe(site.server.address, site.callers[0].token)
        head = probe.head("POST", "/mcp", {"Content-Length": "1000", "Connection": "keep-alive"})
        with probe.connect() as half, probe.connect() as gone:
            for connection in (half, gone):
                connection.sendall(head + b"{")
            gone.close()
            assert probe.send().status == 200
            site.server.stop()
            answer = probe.answer(half)
    assert (answer.status, answer.error) == (503, "The server is closing")
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


# Crowds


@pytest.fixture
def _many_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, before[1]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("_many_files")
def test_a_thousand_connections_shut_nobody_out_for_long(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with attacked(caplog) as probe:
        assert probe.send().status == 200
        files_before = len(os.listdir("/proc/self/fd"))
        crowd = [probe.connect() for _ in range(1000)]
        assert served_soon(probe)
        for connection in crowd:
            connection.close()
        assert served_soon(probe)
        assert len(os.listdir("/proc/self/fd")) <= files_before + 2


def served_soon(probe: Probe) -> bool:
    """Whether somebody who tries again, as clients do, is answered at last."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if probe.send().status == 200:
            return True
        time.sleep(0.01)
    return False


# Time


def test_a_clock_that_jumps_harms_no_file(caplog: pytest.LogCaptureFixture) -> None:
    moments = iter([datetime(year, 1, 1, tzinfo=UTC) for year in (2026, 1970, 9999)])
    store = MemoryStore(InMemoryStorage(), clock=lambda: next(moments))
    with attacked(caplog, Site(workspace_over(store._storage, store))) as probe:
        version = called(probe, "write_file", NEW_INK)["version"]
        for number in range(2):
            line = {"line": f"- [stated] {number}", "expected_version": version}
            version = called(probe, "append_line", {**INK, **line})["version"]
        found = called(probe, "read_file", INK)
        assert found["content"] == "- [stated] Black.\n- [stated] 0\n- [stated] 1\n"
        assert found["last_updated"] == "9999-01-01T00:00:00Z"


# The app


async def test_the_app_answers_keys_while_its_server_is_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.tui.screens.drive import browse, demo_workspace, settled, steps, until
    from wenchang_tui.app import WenchangApp
    from wenchang_tui.screens.agent import AgentScreen

    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    async with WenchangApp(demo_workspace()).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await steps(pilot, "4", "t")
        screen = pilot.app.screen
        assert isinstance(screen, AgentScreen)
        await until(pilot, lambda: screen.embedded.url is not None)
        server = screen.embedded._server
        assert server is not None
        assert server.address is not None
        probe = Probe(server.address, "no token")

        def attack() -> list[int]:
            crowd = [probe.connect() for _ in range(200)]
            refused = [probe.send(raw_call("[" * 1000)).status for _ in range(20)]
            for connection in crowd:
                connection.close()
            return refused

        attacking = asyncio.create_task(asyncio.to_thread(attack))
        await steps(pilot, "1", "down", "down", "2", "1")
        assert browse(pilot.app).tree_list.has_focus
        assert set(await asyncio.wait_for(attacking, LIMIT_S)) <= {0, 401}
        assert screen.embedded.url is not None

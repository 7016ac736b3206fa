"""What stands before the server: tokens, names, web pages, sizes, and connections that say nothing."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.tui.agent.raw_http import LIST_TOOLS, Probe, message
from tests.tui.agent.support import LIMIT_S, TIANLONG, Site, serving, workspace_over
from wenchang_tui.agent import connections
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.hosting import max_body_bytes
from wenchang_tui.agent.http_guard import CALLER_KEY, BodyGuard, Message, TokenGuard
from wenchang_tui.agent.service import Service

LIMIT = 4 * 1024 * 1024


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(Site(allowed_hosts=["memory.example", "proxy.example:8443"])) as site:
        yield site


@pytest.fixture
def probe(site: Site) -> Probe:
    assert site.server.address is not None
    return Probe(site.server.address, site.callers[0].token)


def test_a_good_request_is_served(probe: Probe) -> None:
    answer = probe.send()
    assert answer.status == 200
    assert b"get_memory_index" in answer.body
    assert "access-control-allow-origin" not in answer.headers
    assert "server:" not in answer.headers


# Tokens


def test_a_wrong_token_is_refused(probe: Probe) -> None:
    wrong = [None, "", "Bearer", "Bearer ", "Bearer wrong", probe.token, f"Basic {probe.token}"]
    almost = [
        f"Bearer {probe.token[:-1]}",
        f"Bearer {probe.token}x",
        f"Bearer  {probe.token}",
        f"Bearer {probe.token} é",
    ]
    for header in [*wrong, *almost]:
        answer = probe.send(headers={"Authorization": header})
        assert (answer.status, answer.error) == (401, "Missing or wrong bearer token"), header
        assert "www-authenticate: bearer" in answer.headers


@pytest.mark.parametrize(
    ("verb", "path"), [("GET", "/mcp"), ("POST", "/"), ("DELETE", "/mcp"), ("GET", "/.well-known/x")]
)
def test_nothing_at_all_is_served_without_a_token(probe: Probe, verb: str, path: str) -> None:
    assert probe.send(b"", verb=verb, path=path, headers={"Authorization": None}).status == 401


def test_the_scheme_of_a_token_may_be_spelt_anyhow(probe: Probe) -> None:
    assert probe.send(headers={"Authorization": f"bearer {probe.token}"}).status == 200


def test_two_tokens_are_none(probe: Probe) -> None:
    twice = probe.head("POST", "/mcp", {"Content-Length": "0", "authorization": f"Bearer {probe.token}"})
    with probe.connect() as connection:
        connection.sendall(twice)
        assert probe.answer(connection).status == 401


def test_a_body_is_not_read_before_the_token_was_right(probe: Probe) -> None:
    with probe.connect() as connection:
        connection.sendall(probe.head("POST", "/mcp", {"Content-Length": "1000", "Authorization": None}))
        assert probe.answer(connection).status == 401


# Names


def test_every_name_of_this_machine_and_every_allowed_one_is_good(probe: Probe) -> None:
    port = probe.address[1]
    names = [f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", "localhost", "localhost:1"]
    for host in [*names, "memory.example", f"memory.example:{port}", "proxy.example:8443"]:
        assert probe.send(headers={"Host": host}).status == 200, host


def test_a_foreign_name_is_refused_with_the_way_to_allow_it(probe: Probe) -> None:
    port = probe.address[1]
    foreign = [
        "evil.example",
        f"evil.example:{port}",
        f"localhost.:{port}",
        f"localhost:{port}.evil.example",
        f"localhost.evil.example:{port}",
        f"127.0.0.1:{port}@evil",
        "127.0.0.1:",
        "[::1",
        "proxy.example",
        "proxy.example:1",
    ]
    for host in foreign:
        answer = probe.send(headers={"Host": host})
        assert answer.status == 421, host
        assert answer.error == f"Host '{host}' is not a name of this server; allow it with --allow-host {host}"


# Web pages


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "", "http://127.0.0.1"])
def test_no_page_of_another_site_is_served(probe: Probe, origin: str) -> None:
    answer = probe.send(headers={"Origin": origin})
    assert answer.status == 403
    assert answer.error.startswith("Web pages are not served")
    assert "access-control" not in answer.headers


def test_an_origin_that_is_the_server_itself_is_that_of_a_client(probe: Probe) -> None:
    host, port = probe.address
    assert probe.send(headers={"Origin": f"http://{host}:{port}"}).status == 200
    assert probe.send(headers={"Origin": "http://evil.example", "Host": "evil.example"}).status == 421


def test_a_preflight_is_refused(probe: Probe) -> None:
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST", "Authorization": None}
    assert probe.send(b"", verb="OPTIONS", headers=headers).status == 403


# What clients read and speak


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*, text/*",
        "text/event-stream;q=0.5, application/json",
        "Application/JSON, Text/Event-Stream",
    ],
)
def test_whoever_reads_both_kinds_of_answers_is_served(probe: Probe, accept: str) -> None:
    assert probe.send(headers={"Accept": accept}).status == 200


@pytest.mark.parametrize("accept", [None, "", "application/json", "text/event-stream", "text/html"])
def test_whoever_does_not_is_told_what_to_accept(probe: Probe, accept: str | None) -> None:
    answer = probe.send(headers={"Accept": accept})
    assert (answer.status, "application/json, text/event-stream" in answer.error) == (406, True)


INITIALIZE = {"capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
BEFORE_ANY = {"MCP-Protocol-Version": None, "Mcp-Method": None}


@pytest.mark.parametrize(
    ("asked", "given"),
    [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25"), ("", "2025-11-25")],
)
def test_a_version_from_the_future_or_the_past_is_negotiated(probe: Probe, asked: str, given: str) -> None:
    answer = probe.send(message("initialize", protocolVersion=asked, **INITIALIZE), headers=BEFORE_ANY)
    assert answer.status == 200
    assert f'"protocolVersion":"{given}"'.encode() in answer.body


def test_where_nothing_is_negotiated_the_versions_there_are_are_listed(probe: Probe) -> None:
    future = LIST_TOOLS.replace(b"2026-07-28", b"2099-01-01")
    answer = probe.send(future, headers={"MCP-Protocol-Version": "2099-01-01"})
    refusal = json.loads(answer.body)["error"]
    assert (answer.status, refusal["data"]["supported"]) == (400, ["2026-07-28"])
    assert refusal["message"] == "Unsupported protocol version"


# Bodies


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_above_the_limit_is_refused_and_the_server_lives_on(probe: Probe, chunked: bool) -> None:
    answer = probe.send(message("tools/list", pad="x" * LIMIT), chunked=chunked)
    assert (answer.status, answer.error) == (413, f"The request is larger than {LIMIT} bytes")
    assert probe.send(chunked=chunked).status == 200


def test_a_body_announced_above_the_limit_is_refused_before_it_comes(probe: Probe) -> None:
    with probe.connect() as connection:
        connection.sendall(probe.head("POST", "/mcp", {"Content-Length": str(LIMIT + 1)}))
        assert probe.answer(connection).status == 413


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"{", {}),
        (b"[" * 100_000, {}),
        (b"[]", {}),
        (b"", {}),
        (b"\xff", {}),
        (LIST_TOOLS, {"Content-Type": "text/plain"}),
        (message("resources/list"), {}),
        (LIST_TOOLS, {"MCP-Protocol-Version": "2099-01-01"}),
    ],
)
def test_nonsense_is_refused(probe: Probe, body: bytes, headers: dict[str, str]) -> None:
    assert probe.send(body, headers=headers).status == 400


def test_the_limit_grows_with_the_files() -> None:
    assert max_body_bytes(Service(workspace_over())) == LIMIT
    assert max_body_bytes(Service(workspace_over(max_file_bytes=10_000_000))) > 2 * 6 * 10_000_000


async def _answered(guard: Any, receive: Any, headers: list[tuple[bytes, bytes]] = []) -> list[Message]:  # noqa: B006
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await guard({"type": "http", "headers": headers}, receive, send)
    return sent


async def test_a_body_that_never_ends_is_given_up() -> None:
    async def served(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("half a request was served")

    async def receive() -> Message:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"x", "more_body": True}

    start, _ = await _answered(BodyGuard(served, 10**9, seconds=0.05), receive)
    assert start["status"] == 408


async def test_a_client_that_leaves_in_the_middle_gets_no_answer() -> None:
    async def served(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("half a request was served")

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    assert await _answered(BodyGuard(served, 100), receive) == []


async def test_a_body_arrives_whole_and_then_the_end() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"ab", "more_body": True},
        {"type": "http.request", "body": b"c", "more_body": False},
        {"type": "http.disconnect"},
    ]
    seen: list[Message] = []

    async def served(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([await receive(), await receive()])

    async def receive() -> Message:
        return messages.pop(0)

    await _answered(BodyGuard(served, 3), receive)
    assert seen == [{"type": "http.request", "body": b"abc", "more_body": False}, {"type": "http.disconnect"}]


async def test_a_token_tells_who_calls_and_a_websocket_is_closed_unheard() -> None:
    seen: list[str] = []

    async def served(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope[CALLER_KEY].name)

    guard = TokenGuard(served, [Caller("a", TIANLONG, "one"), Caller("b", TIANLONG, "two")])
    await _answered(guard, None, [(b"authorization", b"Bearer two")])
    assert seen == ["b"]
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await guard({"type": "websocket", "headers": [(b"authorization", b"Bearer two")]}, None, send)  # type: ignore[arg-type]
    assert (sent, seen) == ([{"type": "websocket.close", "code": 1008}], ["b"])


# Connections


def test_connections_that_say_nothing_or_half_a_thing_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with serving(Site()) as site:
        assert site.server.address is not None
        probe = Probe(site.server.address, site.callers[0].token)
        silent = [probe.connect() for _ in range(20)]
        half = probe.connect()
        half.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1")
        second = probe.connect()
        second.sendall(probe.head("POST", "/mcp", {"Content-Length": str(len(LIST_TOOLS)), "Connection": "keep-alive"}))
        second.sendall(LIST_TOOLS)
        assert second.recv(15) == b"HTTP/1.1 200 OK"
        second.sendall(b"POST /mcp HT")
        for connection in [*silent, half]:
            assert probe.answer(connection).status == 0
            connection.close()
        assert b"get_memory_index" in b"".join(iter(lambda: second.recv(65536), b""))
        second.close()
        assert probe.send().status == 200


def test_a_request_that_takes_longer_than_a_head_may_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    with serving(Site()) as site:
        assert site.server.address is not None
        probe = Probe(site.server.address, site.callers[0].token)
        with probe.connect() as connection:
            head = probe.head("POST", "/mcp", {"Content-Length": str(len(LIST_TOOLS))})
            connection.sendall(head + LIST_TOOLS[:10])
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            connection.settimeout(LIMIT_S)
            connection.sendall(LIST_TOOLS[10:])
            assert probe.answer(connection).status == 200


def test_one_connection_too_many_is_refused_until_another_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with serving(Site()) as site:
        assert site.server.address is not None
        probe = Probe(site.server.address, site.callers[0].token)
        held = [probe.connect() for _ in range(3)]
        assert probe.send().status == 0
        for connection in held:
            connection.close()
        assert any(probe.send().status == 200 for _ in range(1000))

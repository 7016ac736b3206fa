"""The server in its thread, as clients of both eras of the protocol see it."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import TextContent

from tests.tui.agent.raw_http import Probe, message
from tests.tui.agent.support import INK, INK_PATH, LIMIT_S, NEW_INK, TIANLONG, Site, serving, workspace_over
from tests.walkthroughs import CALLERS, POLICY, SCENARIOS, SOURCE, Scenario, World
from wenchang.identity import Identity, ScopeGrant
from wenchang.storage import StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.calls import REJECTED, Call, Change
from wenchang_tui.agent.recorder import Reverted, load_session, revert, save_session
from wenchang_tui.agent.service import DEFAULT_SLOTS, slots_from
from wenchang_tui.config import PromptTexts
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.read_only import ReadOnlyStorage

eras = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


@pytest.fixture(autouse=True)
def _servers_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests serve meanwhile is none of ours."""
    monkeypatch.setattr(f"{__name__}.OTHERS", frozenset(threading.enumerate()))


OTHERS: frozenset[threading.Thread] = frozenset()


def server_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "wenchang-mcp" and thread not in OTHERS]


def is_free(address: tuple[str, int]) -> bool:
    """Whether nobody listens there, in the end."""
    for _ in range(LIMIT_S * 20):
        try:
            socket.create_connection(address, LIMIT_S).close()
        except ConnectionError:
            return True
        time.sleep(0.05)
    return False


def threads_left() -> list[threading.Thread]:
    """The threads that do not end: a busy machine may take its time over the rest."""
    for thread in server_threads():
        thread.join(LIMIT_S)
    return server_threads()


async def call(client: Client, tool: str, arguments: Any = None) -> dict[str, Any]:
    result = await client.call_tool(tool, dict(arguments or {}))
    payload = result.structured_content
    assert isinstance(payload, dict), result
    return payload


# What clients get


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)
@eras
async def test_the_walkthroughs_come_out_byte_for_byte(scenario: Scenario, mode: str) -> None:
    world = World(scenario.seeds)
    workspace = workspace_over(world.storage, world.store, source=SOURCE, write_roles=POLICY.write_roles)
    names = list(CALLERS)
    with serving(Site(workspace, list(CALLERS.values()))) as site:
        async with AsyncExitStack() as stack:
            sessions: dict[str, Client] = {}
            for step in scenario.steps:
                if step.new_session or step.caller not in sessions:
                    client = site.client(names.index(step.caller), mode=mode)
                    sessions[step.caller] = await stack.enter_async_context(client)
                result = await sessions[step.caller].call_tool(step.tool, dict(step.arguments))
                assert json.dumps(result.structured_content) == json.dumps(step.answer), step.number
                assert isinstance(result.content[0], TextContent)
                assert result.content[0].text == json.dumps(step.answer)
                assert result.is_error is step.is_error
    assert world.left() == scenario.left


@eras
async def test_a_client_learns_name_prompt_and_tools(mode: str) -> None:
    with serving(Site()) as site:
        async with site.client(mode="legacy" if mode == "legacy" else "auto") as client:
            assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
            assert client.server_info is not None
            assert client.server_info.name == "wenchang"
            assert DEFAULT_SLOTS.purpose in (client.instructions or "")
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools][:2] == ["get_memory_index", "read_file"]
            prompt = await client.read_resource("wenchang://memory-prompt")
            assert DEFAULT_SLOTS.purpose in str(prompt.contents)


@eras
async def test_two_callers_never_see_each_other(mode: str) -> None:
    other = Identity({"user": ScopeGrant("u-diya", "owner"), "team": ScopeGrant("t-press", "member")})
    with serving(Site(identities=[TIANLONG, other])) as site:
        async with site.client(0, mode=mode) as mine, site.client(1, mode=mode) as theirs:
            await call(mine, "write_file", NEW_INK)
            assert (await call(theirs, "read_file", INK))["error"] == "NotFoundError"
            assert (await call(theirs, "get_memory_index"))["entries"] == []
            assert (await call(theirs, "list_prefix", {"scope": "user"}))["entries"] == []
            await call(theirs, "write_file", {**NEW_INK, "content": "- [stated] Red.\n"})
            assert (await call(mine, "read_file", INK))["content"] == "- [stated] Black.\n"
            assert (await call(theirs, "read_file", INK))["content"] == "- [stated] Red.\n"
            assert (await call(mine, "write_file", {**NEW_INK, "scope": "team"}))["category"] != "internal"
            assert [row["scope"] for row in (await call(mine, "get_memory_index"))["entries"]] == ["user"]
        assert {call.caller for call in site.recorder.drain()} == {"caller 0", "caller 1"}
    assert site.store.read_file(INK_PATH).content == "- [stated] Black.\n"
    assert site.store.read_file("user/u-diya/notes/ink.md").content == "- [stated] Red.\n"


@eras
async def test_read_only_is_an_error_that_the_agent_can_read(mode: str) -> None:
    with serving(Site(workspace_over(ReadOnlyStorage(InMemoryStorage())))) as site:
        async with site.client(mode=mode) as client:
            refusal = await call(client, "write_file", NEW_INK)
            assert (refusal["error"], refusal["category"]) == ("ReadOnlyError", "permanent")
            assert "read-only" in refusal["message"]
            assert (await call(client, "get_memory_index"))["entries"] == []


async def test_the_largest_legal_write_passes_however_it_is_spelt() -> None:
    with serving(Site()) as site:
        async with site.client() as client:
            largest = "\u0001" * 16_384
            written = await call(client, "write_file", {**NEW_INK, "content": largest, "aliases": ["\u0001"] * 700})
            assert written["content"] == largest
            shortened = {"old_string": largest, "new_string": "\u0002" * 16_384, "expected_version": written["version"]}
            assert (await call(client, "replace_fact", {**INK, **shortened}))["content"] == "\u0002" * 16_384
            too_large = await call(client, "write_file", {**NEW_INK, "name": "two", "content": "x" * 16_385})
            assert (too_large["error"], too_large["size"]) == ("OversizeWriteError", 16_385)


async def test_text_that_cannot_be_sent_does_not_end_the_session() -> None:
    storage = InMemoryStorage()
    stored = {"description": "\\udce4", "aliases": "[]", "sources": '["s"]', "last-updated": "2026-01-01T00:00:00Z"}
    storage.put(INK_PATH, b"\xff", {**stored, "description": "\udce4"})
    with serving(Site(workspace_over(storage))) as site:
        async with site.client(mode="legacy") as client:
            assert (await call(client, "read_file", INK))["category"] == "internal"
            assert (await call(client, "get_memory_index"))["entries"][0]["description"] == "\ufffd"


# Many at once


async def test_sixteen_clients_lose_no_update() -> None:
    clients, rounds = 16, 10

    async def work(site: Site, number: int) -> int:
        appended = 0
        mine = {"scope": "user", "area": "own", "name": f"agent-{number}"}
        mode = "legacy" if number % 2 else "auto"
        async with site.client(mode=mode) as client:
            written = await call(client, "write_file", {**NEW_INK, **mine})
            for round_ in range(rounds):
                await call(client, "get_memory_index")
                line = {"line": f"- [stated] Own {round_}.", "expected_version": written["version"]}
                written = await call(client, "append_line", {**mine, **line})
                assert "error" not in written
                appended += await append(client, f"- [observed] {number}/{round_}.")
            listed = await call(client, "list_prefix", {"scope": "user", "area": "own"})
            assert f"agent-{number}" in [entry["name"] for entry in listed["entries"]]
        return appended

    async def append(client: Client, line: str) -> int:
        """One line into the file that all share, merging as often as somebody else was faster; the calls it took."""
        shared = await call(client, "read_file", INK)
        for attempt in range(1, 1000):
            arguments = {**INK, "line": line, "expected_version": shared["version"]}
            shared = await call(client, "append_line", arguments)
            if "error" not in shared:
                return attempt
            assert shared["error"] == "VersionConflictError"
        raise AssertionError("starved")

    with serving(Site()) as site:
        async with site.client() as first:
            await call(first, "write_file", NEW_INK)
        attempts = await asyncio.gather(*(work(site, number) for number in range(clients)))
        records = site.recorder.drain()
    lines = site.store.read_file(INK_PATH).content.splitlines()
    assert sorted(lines[1:]) == sorted(f"- [observed] {n}/{r}." for n in range(clients) for r in range(rounds))
    for number in range(clients):
        own = site.store.read_file(f"user/u-tianlong/own/agent-{number}.md").content.splitlines()
        assert own[1:] == [f"- [stated] Own {round_}." for round_ in range(rounds)]
    assert len(records) == 1 + clients * (2 + 3 * rounds) + sum(attempts)
    assert len(records) >= clients * 50 - clients * 8
    changes = [record.change for record in records if record.change and record.change.path == INK_PATH]
    assert all(change.before is None or change.after is not None for change in changes)
    assert len(changes) == 1 + clients * rounds


class SlowStorage(InMemoryStorage):
    """A storage whose reads take until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Semaphore(0)
        self.let_go = threading.Event()
        self.is_slow = True

    def get(self, key: str) -> StoredObject | None:
        if self.is_slow:
            self.entered.release()
            assert self.let_go.wait(LIMIT_S)
        return super().get(key)


async def entered(storage: SlowStorage) -> None:
    assert await asyncio.to_thread(storage.entered.acquire, timeout=LIMIT_S)


async def test_a_call_that_blocks_delays_no_other() -> None:
    storage = SlowStorage()
    with serving(Site(workspace_over(storage))) as site:
        async with site.client() as slow, site.client(mode="legacy") as quick:
            blocked = asyncio.create_task(call(slow, "read_file", INK))
            await entered(storage)
            assert (await call(quick, "get_memory_index"))["entries"] == []
            assert not blocked.done()
            storage.let_go.set()
            assert (await blocked)["error"] == "NotFoundError"


async def test_a_client_that_goes_away_during_its_write_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    storage = SlowStorage()
    with serving(Site(workspace_over(storage))) as site:
        assert site.server.address is not None
        storage.is_slow = False
        async with site.client() as other:
            written = await call(other, "write_file", NEW_INK)
            storage.is_slow = True
            change = {**NEW_INK, "content": "- [stated] Red.\n", "expected_version": written["version"]}
            body = message("tools/call", name="write_file", arguments=change)
            probe = Probe(site.server.address, site.callers[0].token)
            about: dict[str, str | None] = {
                "Content-Length": str(len(body)),
                "Mcp-Method": "tools/call",
                "Mcp-Name": "write_file",
            }
            with probe.connect() as connection:
                connection.sendall(probe.head("POST", "/mcp", about) + body)
                await entered(storage)
            storage.is_slow = False
            storage.let_go.set()
            line = {**INK, "line": "- [stated] Blue."}
            mine = await call(other, "append_line", {**line, "expected_version": written["version"]})
            if "error" in mine:  # the write was faster
                mine = await call(other, "append_line", {**line, "expected_version": mine["version"]})
            wrote = [f"- [stated] {colour}.\n- [stated] Blue.\n" for colour in ("Black", "Red")]
            assert mine["content"] in wrote
    assert threads_left() == []
    assert len(caplog.records) <= 1


# Starting and stopping


def test_nothing_heavy_is_imported_before_the_start() -> None:
    program = (
        "import sys, wenchang_tui.agent.server, wenchang_tui.agent.recorder, wenchang_tui.agent.call_log, "
        "wenchang_tui.agent.registration, wenchang_tui.agent.connect\n"
        "print([name for name in ('mcp', 'mcp_types', 'uvicorn', 'pydantic', 'anyio') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_it_can_be_started_and_stopped_over_and_over() -> None:
    site = Site()
    assert (site.server.url, site.server.address) == (None, None)
    site.server.stop()
    for _ in range(3):
        assert site.server.start() is None
        assert site.server.start() is None
        assert site.server.address is not None
        host, port = site.server.address
        assert site.server.url == f"http://127.0.0.1:{port}/mcp"
        assert len(server_threads()) == 1
        with socket.create_connection((host, port), LIMIT_S):
            site.server.stop()
        assert site.server.url is None
        assert threads_left() == []
        assert is_free((host, port))


def test_a_port_that_is_taken_is_said_so() -> None:
    with serving(Site()) as site:
        assert site.server.address is not None
        port = site.server.address[1]
        second = Site(port=port)
        problem = second.server.start()
        assert problem == Problem(
            "Not listening",
            f"The server cannot listen on 127.0.0.1, port {port}: {os.strerror(98)}.",
            "Choose another port, or 0 for any that is free.",
        )
        assert second.server.url is None
        second.server.stop()
    assert threads_left() == []


def test_a_server_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from wenchang_tui.agent import hosting

    def breaks(*_: object) -> None:
        raise RuntimeError("no loop today")

    monkeypatch.setattr(hosting.Hosting, "run", breaks)
    problem = Site().server.start()
    assert problem is not None
    assert problem.sentence == "The server could not start: RuntimeError: no loop today."
    assert threads_left() == []


@eras
async def test_a_client_that_stays_open_survives_a_restart_on_the_same_port(mode: str) -> None:
    site = Site()
    assert site.server.start() is None
    assert site.server.address is not None
    again = Site(site.workspace, port=site.server.address[1], callers=site.callers)
    async with site.client(mode=mode) as client:
        first = await call(client, "write_file", NEW_INK)
        await asyncio.to_thread(site.server.stop)
        assert await asyncio.to_thread(threads_left) == []
        assert await asyncio.to_thread(again.server.start) is None
        line = {"line": "- [stated] Red.", "expected_version": first["version"]}
        second = await call(client, "append_line", {**INK, **line})
        assert second["content"] == "- [stated] Black.\n- [stated] Red.\n"
        assert (await call(client, "get_memory_index"))["entries"][0]["version"] == second["version"]
    (appended, _) = again.recorder.drain()
    assert (appended.tool, appended.caller) == ("append_line", "caller 0")
    await asyncio.to_thread(again.server.stop)
    assert threads_left() == []


async def test_a_stop_under_load_answers_everybody_and_frees_the_port() -> None:
    with serving(Site()) as site:
        assert site.server.address is not None
        address = site.server.address
        endings: list[str] = []
        running = asyncio.Event()

        async def work(mode: str) -> None:
            try:
                async with site.client(mode=mode) as client:
                    while True:
                        await call(client, "get_memory_index")
                        running.set()
            except BaseException as error:
                endings.append(type(error).__name__)

        tasks = [asyncio.create_task(work(mode)) for mode in ["legacy", "2026-07-28"] * 4]
        await running.wait()
        await asyncio.to_thread(site.server.stop)
        await asyncio.wait_for(asyncio.gather(*tasks), LIMIT_S)
        assert len(endings) == 8
        assert threads_left() == []
        with socket.socket(socket.AF_INET) as taking:
            taking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taking.bind(address)


async def test_a_listening_client_hears_the_end() -> None:
    with serving(Site()) as site:
        async with site.client() as client, client.listen(resources_list_changed=True) as events:
            await asyncio.to_thread(site.server.stop)

            async def drained() -> list[object]:
                return [event async for event in events]

            assert await asyncio.wait_for(drained(), LIMIT_S) == []
    assert threads_left() == []


async def test_a_call_that_blocks_does_not_hold_up_the_stop() -> None:
    storage = SlowStorage()
    with serving(Site(workspace_over(storage))) as site:
        assert site.server.address is not None
        address = site.server.address
        async with site.client() as client:
            blocked = asyncio.create_task(call(client, "read_file", INK))
            await entered(storage)
            await asyncio.to_thread(site.server.stop)
            assert is_free(address)
            threads = server_threads()
            storage.let_go.set()
            for thread in threads:
                thread.join(LIMIT_S)
            with pytest.raises(MCPError):
                await blocked
    assert threads_left() == []


# The gate


@eras
async def test_a_person_is_asked_first(mode: str) -> None:
    with serving(Site()) as site:
        site.gate.ask_first()
        async with site.client(mode=mode) as client, site.client(mode=mode) as other:
            writing = asyncio.create_task(call(client, "write_file", NEW_INK))
            number = await one_waiting(site)
            assert (await call(other, "get_memory_index"))["entries"] == []
            site.gate.approve(number)
            assert (await writing)["content"] == "- [stated] Black.\n"
            deleting = asyncio.create_task(call(client, "delete_file", {**INK, "expected_version": "x"}))
            site.gate.refuse(await one_waiting(site), "Keep it")
            refusal = await deleting
            assert (refusal["error"], refusal["category"]) == ("ChangeRefusedError", "permanent")
            assert refusal["reason"] == "Keep it"
        assert [record.category for record in site.recorder.drain() if record.tool != "get_memory_index"] == [
            None,
            "permanent",
        ]


async def one_waiting(site: Site) -> int:
    async with asyncio.timeout(LIMIT_S):
        while not (waiting := site.gate.waiting()):
            await asyncio.sleep(0.01)
    return waiting[0].number


async def none_waiting(site: Site) -> None:
    async with asyncio.timeout(LIMIT_S):
        while site.gate.waiting():
            await asyncio.sleep(0.01)


@eras
async def test_what_waits_is_dropped_when_its_client_gives_up(mode: str) -> None:
    with serving(Site()) as site:
        site.gate.ask_first()
        async with site.client(mode=mode) as client:
            writing = asyncio.create_task(call(client, "write_file", NEW_INK))
            number = await one_waiting(site)
            writing.cancel()
            await none_waiting(site)
            assert site.gate.approve(number) is False
            assert (await call(client, "get_memory_index"))["entries"] == []
    assert site.store.list_prefix("user/").entries == ()


async def test_what_waits_does_not_hold_up_the_stop() -> None:
    with serving(Site()) as site:
        site.gate.ask_first()
        async with site.client() as client:
            writing = asyncio.create_task(call(client, "write_file", NEW_INK))
            await one_waiting(site)
            await asyncio.to_thread(site.server.stop)
            assert (await writing)["category"] == "transient"
    assert threads_left() == []
    assert site.store.list_prefix("user/").entries == ()


async def test_fifty_changes_that_wait_do_not_stop_anybody_from_reading() -> None:
    with serving(Site()) as site:
        site.gate.ask_first()
        async with site.client() as writer, site.client() as reader:
            writing = [
                asyncio.create_task(call(writer, "write_file", {**NEW_INK, "name": str(number)}))
                for number in range(50)
            ]
            async with asyncio.timeout(LIMIT_S):
                while len(site.gate.waiting()) < 50:
                    await asyncio.sleep(0.01)
            assert (await call(reader, "get_memory_index"))["entries"] == []
            site.gate.let_through()
            assert len({(await written)["version"] for written in writing}) == 50


# The record


@eras
async def test_each_call_is_recorded_as_it_was_made(mode: str) -> None:
    with serving(Site()) as site:
        async with site.client(mode=mode) as client:
            written = await call(client, "write_file", NEW_INK)
            missing = await call(client, "read_file", {**INK, "name": "none"})
            await client.call_tool("write_file", {**NEW_INK, "contents": "misspelt"})
            await client.call_tool("no_such_tool", {})
        records = site.recorder.drain()
    wrote, read, rejected, unknown = records
    file = site.store.read_file(INK_PATH)
    assert wrote == Call(
        caller="caller 0",
        client=wrote.client,
        protocol="2025-11-25" if mode == "legacy" else "2026-07-28",
        tool="write_file",
        arguments=NEW_INK,
        answer=written,
        category=None,
        started=wrote.started,
        duration_s=wrote.duration_s,
        change=Change(INK_PATH, None, file),
        process=os.getpid(),
    )
    assert wrote.client.startswith("mcp ")
    assert 0 <= wrote.duration_s < LIMIT_S
    assert wrote.started.utcoffset() is not None
    assert (read.category, read.answer, read.change) == ("recoverable", missing, None)
    assert (rejected.category, rejected.change) == (REJECTED, None)
    assert "contents" in rejected.answer["message"]
    assert (unknown.tool, unknown.category) == ("no_such_tool", REJECTED)


async def test_a_call_that_the_stop_ends_is_recorded_too() -> None:
    with serving(Site()) as site:
        site.gate.ask_first()
        async with site.client() as client:
            writing = asyncio.create_task(call(client, "write_file", NEW_INK))
            await one_waiting(site)
            await asyncio.to_thread(site.server.stop)
            await asyncio.gather(writing, return_exceptions=True)
        (record,) = site.recorder.drain()
    assert (record.tool, record.category, record.change) == ("write_file", "transient", None)


async def test_a_session_of_real_calls_holds_no_token_and_can_be_taken_back(tmp_path: Path) -> None:
    with serving(Site()) as site:
        async with site.client() as client:
            await call(client, "write_file", NEW_INK)
        save_session(tmp_path / "s.json", "test", site.recorder.drain())
    text = (tmp_path / "s.json").read_text()
    assert site.callers[0].token not in text
    assert "Bearer" not in text
    (written,) = load_session(tmp_path / "s.json").calls
    assert revert(written, site.store, source="app") == Reverted(None)


async def test_a_watcher_that_breaks_harms_no_call() -> None:
    def breaks(_: Call) -> None:
        raise RuntimeError("no screen")

    with serving(Site(report=breaks)) as site:
        async with site.client() as client:
            assert "error" not in await call(client, "write_file", NEW_INK)
    assert site.store.read_file(INK_PATH).content == "- [stated] Black.\n"


# Odds and ends


def test_a_profile_may_say_the_prompt_in_its_own_words() -> None:
    assert slots_from(None) == DEFAULT_SLOTS
    slots = slots_from(PromptTexts(purpose="Novels.", systems_of_record="The catalogue."))
    assert (slots.purpose, slots.systems_of_record) == ("Novels.", "The catalogue.")
    assert slots.scope_guidance == DEFAULT_SLOTS.scope_guidance
    with pytest.raises(ValueError, match="purpose must not be empty"):
        slots_from(PromptTexts(purpose=" "))


def test_a_token_does_not_show_in_a_traceback() -> None:
    site = Site()
    assert site.callers[0].token not in repr(site.callers[0])

"""What happens in one call: identity, answer, record, log."""

import asyncio
import json
import logging
import threading
from dataclasses import replace
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.mcp.support import PLACE, WRITE, Host, payload_of, text_of
from wenchang.core import MemoryFile, MemoryStore
from wenchang.errors import BackendUnavailableError, TransientReason, VersionConflictError
from wenchang.identity import Identity, ResolutionFailure, ScopeGrant
from wenchang.mcp import ToolCallRecord
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import render_error
from wenchang.transport import InProcessClient
from wenchang.version_token import VersionToken


async def test_an_answer_is_structured_and_text_alike() -> None:
    host = Host()
    result = await host.call("write_file", **{**WRITE, "content": "caf\u00e9 乔\n"})
    assert not result.is_error
    assert payload_of(result)["content"] == "caf\u00e9 乔\n"
    assert text_of(result) == json.dumps(payload_of(result))
    assert text_of(result).isascii()
    refused = await host.call("write_file", **WRITE)
    assert refused.is_error
    assert payload_of(refused)["error"] == "VersionConflictError"
    assert text_of(refused) == json.dumps(payload_of(refused))


async def test_a_record_tells_the_call_as_it_was_answered() -> None:
    host = Host(tool_prefix="ink")
    result = await host.call("ink_write_file", **WRITE)
    await host.call("ink_list_prefix", scope="user")
    await host.call("ink_read_file", **{**PLACE, "name": ".."})
    first, second, third = host.records
    assert (first.tool, first.arguments, first.result, first.is_error) == (
        "ink_write_file",
        WRITE,
        payload_of(result),
        False,
    )
    assert second.arguments == {"scope": "user", "area": None, "cursor": None}
    assert (third.is_error, third.result["argument"]) == (True, "name")
    assert all(isinstance(record.request_id, str) for record in host.records)
    assert all(0 <= record.duration_s < 60 for record in host.records)
    assert all(thread is not threading.main_thread() for thread in host.threads)


def test_records_compare_by_value_and_cannot_be_hashed() -> None:
    record = ToolCallRecord("read_file", {"scope": "user"}, {"ok": True}, False, "1", 0.5)
    assert record == ToolCallRecord("read_file", {"scope": "user"}, {"ok": True}, False, "1", 0.5)
    assert record != replace(record, duration_s=0.25)
    with pytest.raises(TypeError):
        hash(record)
    with pytest.raises(AttributeError):
        record.tool = "x"  # type: ignore[misc]


async def test_a_host_that_changes_a_record_changes_nothing_else() -> None:
    def vandal(record: ToolCallRecord) -> None:
        record.arguments["aliases"].append("vandal")
        record.result["aliases"].append("vandal")

    host = Host(on_call=vandal)
    assert payload_of(await host.call("write_file", **{**WRITE, "aliases": ["a"]}))["aliases"] == ["a"]
    assert payload_of(await host.call("read_file", **PLACE))["aliases"] == ["a"]


async def test_a_call_outside_of_a_request_has_no_request_id() -> None:
    host = Host()
    result = await host.server.call_tool("get_memory_index", {})
    assert isinstance(result, CallToolResult)
    assert payload_of(result) == {"entries": [], "capped": []}
    assert host.records[0].request_id is None


async def test_a_host_may_do_without_records() -> None:
    assert not (await Host(on_call=None).call("get_memory_index")).is_error


async def test_an_on_call_that_breaks_is_logged_and_hidden(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: ToolCallRecord) -> None:
        raise RuntimeError("no room for records")

    result = await Host(on_call=broken).call("write_file", **WRITE)
    assert payload_of(result)["version"] == "1"
    (entry,) = [record for record in caplog.records if record.name == "wenchang.mcp"]
    assert (entry.levelno, entry.exc_info is not None) == (logging.ERROR, True)
    assert "no room" not in text_of(result)


class ByToken:
    """Tells callers by the name they send."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def resolve(self, credentials: object) -> Identity | ResolutionFailure:
        self.asked.append(credentials)
        if credentials is None:
            return ResolutionFailure("Nobody is signed in.")
        return Identity({"user": ScopeGrant(f"u-{credentials}", "owner")})


async def test_every_call_resolves_its_own_caller() -> None:
    callers = iter(["qiao", "zhou", "qiao", None])
    resolver = ByToken()
    host = Host(resolver=resolver, credentials_from_context=lambda _: next(callers))
    async with Client(host.server) as client:
        written = await client.call_tool("write_file", WRITE)
        absent = await client.call_tool("read_file", PLACE)
        again = await client.call_tool("read_file", PLACE)
        nobody = await client.call_tool("read_file", PLACE)
    assert payload_of(again) == payload_of(written)
    assert payload_of(absent)["reason"] == "file_absent"
    assert payload_of(nobody)["error"] == "ResolverFailureError"
    assert payload_of(nobody)["message"].startswith("Nobody is signed in. Identity could not be resolved;")
    assert resolver.asked == ["qiao", "zhou", "qiao", None]


async def test_unreadable_credentials_end_the_call_without_a_trace_of_them(caplog: pytest.LogCaptureFixture) -> None:
    def unreadable(_: Any) -> object:
        raise KeyError("bearer token-123")

    resolver = ByToken()
    host = Host(resolver=resolver, credentials_from_context=unreadable)
    with caplog.at_level(logging.DEBUG):
        result = await host.call("get_memory_index")
    assert result.is_error
    assert payload_of(result) == {
        "error": "ResolverFailureError",
        "category": "permanent",
        "message": "Credentials could not be read from the request. Identity could not be resolved; memory is"
        " unavailable for this session; continue working without memory. Do not retry: retrying will not succeed.",
    }
    (entry,) = [record for record in caplog.records if record.name == "wenchang.mcp"]
    assert (entry.levelno, entry.exc_info) == (logging.WARNING, None)
    assert entry.getMessage() == "Credentials for memory tool get_memory_index could not be read: KeyError"
    assert "token-123" not in caplog.text
    assert resolver.asked == []
    assert host.records[0].result == payload_of(result)


class Failing(MemoryStore):
    """Reads fail as they were told to."""

    def __init__(self, error: Exception) -> None:
        super().__init__(InMemoryStorage())
        self.error = error

    def read_file(self, path: str) -> MemoryFile:
        raise self.error


@pytest.mark.parametrize(
    ("error", "category", "logged"),
    [
        (RuntimeError("/srv/secret/bucket"), "internal", True),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "internal", True),
        (BackendUnavailableError(TransientReason.TIMEOUT), "transient", False),
        (VersionConflictError("user/u-qiao/notes/n.md", "theirs", VersionToken("2")), "recoverable", False),
    ],
)
async def test_internal_errors_are_logged_with_a_traceback_and_others_are_not(
    error: Exception, category: str, logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(client=InProcessClient(Failing(error)))
    result = await host.call("read_file", **PLACE)
    assert result.is_error
    assert payload_of(result) == render_error(error)
    assert payload_of(result)["category"] == category
    assert "/srv/secret" not in text_of(result)
    entries = [record for record in caplog.records if record.name == "wenchang.mcp"]
    assert [(entry.levelno, entry.exc_info is not None) for entry in entries] == [(logging.ERROR, True)] * logged


async def test_text_that_cannot_be_sent_does_not_end_the_session() -> None:
    host = Host()
    stored = {
        "description": "d",
        "aliases": '["\\ud800", "a\\udfffb"]',
        "sources": "[]",
        "last-updated": "2026-01-01T00:00:00Z",
    }
    host.storage.put("user/u-qiao/notes/n.md", b"x", stored)
    for mode in ("auto", "legacy"):
        async with Client(host.server, mode=mode) as client:
            read = await client.call_tool("read_file", PLACE)
            index = await client.call_tool("get_memory_index", {})
            assert payload_of(read)["aliases"] == ["\ufffd", "a\ufffdb"]
            assert payload_of(index)["entries"][0]["aliases"] == ["\ufffd", "a\ufffdb"]
            refused = await client.call_tool("read_file", {**PLACE, "scope": "nowhere"})
            assert payload_of(refused)["argument"] == "scope"


async def test_calls_run_side_by_side() -> None:
    everybody_is_in = threading.Barrier(4)
    host = Host(credentials_from_context=lambda _: everybody_is_in.wait(timeout=30))
    async with Client(host.server) as client:
        calls = [client.call_tool("write_file", {**WRITE, "name": f"n{number}"}) for number in range(4)]
        results = await asyncio.gather(*calls)
    assert sorted(payload_of(result)["version"] for result in results) == ["1", "2", "3", "4"]
    assert len(host.records) == 4


async def test_appends_side_by_side_are_all_kept_or_reported() -> None:
    host = Host()
    async with Client(host.server) as client:
        version = payload_of(await client.call_tool("write_file", {**WRITE, "content": ""}))["version"]
        lines = [f"- [stated] {number}" for number in range(8)]
        results = await asyncio.gather(
            *(client.call_tool("append_line", {**PLACE, "line": l, "expected_version": version}) for l in lines)  # noqa: E741
        )
        content = payload_of(await client.call_tool("read_file", PLACE))["content"]
    kept = [line for line, result in zip(lines, results, strict=True) if not result.is_error]
    assert content.splitlines() == kept
    assert len(kept) == 1
    assert {payload_of(result)["error"] for result in results if result.is_error} == {"VersionConflictError"}

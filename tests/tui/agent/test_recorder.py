"""Calls as values: saved and read back, drained, and taken back."""

import json
import stat
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.tui.agent.support import INK_PATH
from wenchang.core import MemoryFile, MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage.memory import InMemoryStorage
from wenchang.transport import InProcessClient
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Call, Change, call_from_json, call_to_json
from wenchang_tui.agent.recorder import (
    ChangedSince,
    Recorder,
    Reverted,
    can_revert,
    load_session,
    revert,
    save_session,
)
from wenchang_tui.agent.recording import UNSEEN, RecordingClient, Sketch, current_sketch
from wenchang_tui.model.read_only import ReadOnlyError, ReadOnlyStorage

MOMENT = datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=UTC)
METADATA = FileMetadata("Ink", ("墨",), frozenset({"agent"}), MOMENT)
FILE = MemoryFile(INK_PATH, "- [stated] Black.\n", METADATA, VersionToken("v1"))
CALL = Call(
    caller="tianlong",
    client="claude-code 2.1",
    protocol="2025-11-25",
    tool="write_file",
    arguments={"scope": "user", "aliases": ["墨"], "expected_version": None},
    answer={"ok": True},
    category=None,
    started=MOMENT,
    duration_s=0.25,
    change=Change(INK_PATH, None, FILE),
    process=77,
    note="",
)


def store() -> MemoryStore:
    return MemoryStore(InMemoryStorage(), clock=lambda: MOMENT)


class Agent:
    """Changes a store the way a recorded call does."""

    def __init__(self, memory: MemoryStore) -> None:
        self.memory = memory
        self.client = RecordingClient(InProcessClient(memory))

    def call(self, operation: str, *arguments: Any, **named: Any) -> Call:
        sketch = Sketch()
        token = current_sketch.set(sketch)
        try:
            getattr(self.client, operation)(*arguments, **named)
        finally:
            current_sketch.reset(token)
        return replace(CALL, change=sketch.change, note=sketch.note)

    def write(self, content: str, version: VersionToken | None = None) -> Call:
        return self.call("write_file", INK_PATH, content, METADATA, version, source="agent")


# What a call did


def test_each_change_is_recorded_with_the_file_before_and_after() -> None:
    agent = Agent(store())
    created = agent.write("- [stated] Black.\n").change
    first = agent.memory.read_file(INK_PATH)
    assert created == Change(INK_PATH, None, first)
    replaced = agent.write("- [stated] Red.\n", first.version).change
    second = agent.memory.read_file(INK_PATH)
    assert replaced == Change(INK_PATH, first, second)
    appended = agent.call("append_line", INK_PATH, "- [stated] Blue.", second.version, source="agent", aliases=["ink"])
    third = agent.memory.read_file(INK_PATH)
    assert appended.change == Change(INK_PATH, second, third)
    assert third.metadata.aliases == ("墨", "ink")
    spliced = agent.call("replace_fact", INK_PATH, "Blue", "Green", second.version, source="agent", description="d")
    fourth = agent.memory.read_file(INK_PATH)
    assert spliced.change == Change(INK_PATH, third, fourth)
    assert fourth.metadata.description == "d"
    assert agent.call("delete_file", INK_PATH, fourth.version).change == Change(INK_PATH, fourth, None)


def test_a_failed_change_leaves_no_record_of_one() -> None:
    agent = Agent(store())
    sketch = Sketch()
    token = current_sketch.set(sketch)
    with pytest.raises(Exception, match="No file exists"):
        agent.client.delete_file(INK_PATH, VersionToken("v9"))
    current_sketch.reset(token)
    assert sketch == Sketch()


def test_outside_of_a_recorded_call_nothing_is_read_first() -> None:
    memory = store()
    client = RecordingClient(InProcessClient(memory))
    file = client.write_file(INK_PATH, "x", METADATA, None, source="app")
    assert client.read_file(INK_PATH) == file
    assert [entry.version for entry in client.list_prefix("user/").entries] == [file.version]
    assert len(client.get_memory_index({"user": "u-tianlong"}).entries) == 1
    client.delete_file(INK_PATH, file.version)
    assert current_sketch.get() is None


def test_a_file_that_cannot_be_read_is_not_taken_for_none() -> None:
    storage = InMemoryStorage()
    version = storage.put(INK_PATH, b"\xff", {})
    deleted = Agent(MemoryStore(storage)).call("delete_file", INK_PATH, version)
    assert (deleted.change, deleted.note) == (None, UNSEEN)
    assert not can_revert(deleted)


class Meddler(MemoryStore):
    """A store in which somebody else gets in between looking and changing."""

    def replace_fact(self, path: str, *arguments: Any, **named: Any) -> MemoryFile:
        self.append_line(path, "- [stated] Meddled.", self.read_file(path).version, source="meddler")
        return super().replace_fact(path, *arguments, **named)


def test_a_change_on_top_of_one_that_nobody_saw_is_said_to_be_unknown() -> None:
    memory = Meddler(InMemoryStorage())
    agent = Agent(memory)
    version = memory.write_file(INK_PATH, "- [stated] Black.\n", METADATA, None, source="s").version
    spliced = agent.call("replace_fact", INK_PATH, "Black", "Red", version, source="agent")
    assert memory.read_file(INK_PATH).content == "- [stated] Red.\n- [stated] Meddled.\n"
    assert (spliced.change, spliced.note) == (None, UNSEEN)


# Taking back


def test_a_write_is_taken_back() -> None:
    agent = Agent(store())
    first = agent.memory.write_file(INK_PATH, "old", METADATA, None, source="seed")
    call = agent.write("new", first.version)
    assert can_revert(call)
    outcome = revert(call, agent.memory, source="app")
    now = agent.memory.read_file(INK_PATH)
    assert outcome == Reverted(now)
    assert (now.content, now.metadata.aliases, now.metadata.description) == ("old", ("墨",), "Ink")
    assert now.metadata.sources == {"seed", "agent", "app"}


def test_a_creation_is_taken_back_by_deleting_and_a_deletion_by_creating() -> None:
    agent = Agent(store())
    created = agent.write("x")
    assert revert(created, agent.memory, source="app") == Reverted(None)
    assert agent.memory.list_prefix("user/").entries == ()
    version = agent.memory.write_file(INK_PATH, "y", METADATA, None, source="s").version
    deleted = agent.call("delete_file", INK_PATH, version)
    assert isinstance(revert(deleted, agent.memory, source="app"), Reverted)
    assert agent.memory.read_file(INK_PATH).content == "y"


def test_what_was_changed_since_is_not_taken_back() -> None:
    agent = Agent(store())
    first = agent.memory.write_file(INK_PATH, "old", METADATA, None, source="seed")
    call = agent.write("new", first.version)
    after = agent.memory.read_file(INK_PATH)
    later = agent.memory.write_file(INK_PATH, "newer", METADATA, after.version, source="person")
    assert revert(call, agent.memory, source="app") == ChangedSince(INK_PATH, "newer", later.version)
    assert agent.memory.read_file(INK_PATH) == later
    agent.memory.delete_file(INK_PATH, later.version)
    assert revert(call, agent.memory, source="app") == ChangedSince(INK_PATH, None, None)


def test_a_deletion_whose_place_is_taken_is_not_taken_back() -> None:
    agent = Agent(store())
    first = agent.memory.write_file(INK_PATH, "old", METADATA, None, source="seed")
    call = agent.call("delete_file", INK_PATH, first.version)
    taken = agent.memory.write_file(INK_PATH, "other", METADATA, None, source="person")
    assert revert(call, agent.memory, source="app") == ChangedSince(INK_PATH, "other", taken.version)


def test_a_reading_call_has_nothing_to_take_back() -> None:
    reading = replace(CALL, change=None)
    assert not can_revert(reading)
    with pytest.raises(ValueError, match="changed nothing"):
        revert(reading, store(), source="app")


def test_nothing_is_taken_back_in_a_store_that_is_read_only() -> None:
    storage = InMemoryStorage()
    agent = Agent(MemoryStore(storage))
    call = agent.write("x")
    with pytest.raises(ReadOnlyError):
        revert(call, MemoryStore(ReadOnlyStorage(storage)), source="app")


# Between threads


def test_calls_are_drained_once_and_in_order() -> None:
    recorder = Recorder()
    calls = [replace(CALL, process=number) for number in range(3)]
    for call in calls:
        recorder.add(call)
    assert recorder.drain() == calls
    assert recorder.drain() == []
    assert recorder.missed == 0


def test_a_screen_that_does_not_drain_costs_no_memory() -> None:
    recorder = Recorder(max_unread=2)
    calls = [replace(CALL, process=number) for number in range(5)]
    for call in calls:
        recorder.add(call)
    assert recorder.drain() == calls[3:]
    assert recorder.missed == 3


def test_no_call_is_lost_or_doubled_between_threads() -> None:
    recorder = Recorder()
    seen: list[Call] = []

    def add(process: int) -> None:
        for number in range(200):
            recorder.add(replace(CALL, process=process, duration_s=float(number)))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen += recorder.drain()
    seen += recorder.drain()
    assert len(seen) == 800
    assert len({(call.process, call.duration_s) for call in seen}) == 800


# On disk


def test_a_session_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    calls = (
        CALL,
        replace(CALL, category="transient", change=None, note="too large", answer={"message": "a\udce4\u0000"}),
        replace(CALL, change=Change(INK_PATH, FILE, None)),
    )
    save_session(tmp_path / "s.json", "demo", calls)
    session = load_session(tmp_path / "s.json")
    assert (session.target, session.calls) == ("demo", calls)
    assert stat.S_IMODE((tmp_path / "s.json").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


def test_a_session_that_cannot_be_saved_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    save_session(path, "demo", [CALL])
    with pytest.raises(TypeError):
        save_session(path, "demo", [replace(CALL, answer={"x": object()})])
    assert load_session(path).calls == (CALL,)
    assert [found.name for found in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not JSON"),
        ("[]", "is no saved session"),
        ('{"format": "other"}', "is no saved session"),
        ('{"format": "wenchang-session", "version": 9}', "another version"),
        ('{"format": "wenchang-session", "version": 1}', "damaged session"),
        ('{"format": "wenchang-session", "version": 1, "target": "d", "calls": [{}]}', "damaged session"),
    ],
)
def test_another_file_is_no_session(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        load_session(path)


@pytest.mark.parametrize(
    "field", ["caller", "protocol", "arguments", "answer", "started", "duration_s", "change", "process"]
)
def test_a_record_of_wrong_types_is_refused(field: str) -> None:
    spelt = json.loads(json.dumps(call_to_json(CALL)))
    assert call_from_json(spelt) == CALL
    with pytest.raises(ValueError, match="not the record of a call"):
        call_from_json({**spelt, field: [3]})
    del spelt[field]
    with pytest.raises(ValueError, match="not the record of a call"):
        call_from_json(spelt)

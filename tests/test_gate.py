"""Changes that wait for a person, with a real store behind the gate and threads in front of it."""

import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from wenchang.core import MemoryFile, MemoryStore
from wenchang.errors import ApprovalTimeoutError, ChangeRefusedError, ErrorCategory, VersionConflictError
from wenchang.file_format import FileMetadata
from wenchang.gate import DEFAULT_WAIT_S, Gate, GatedClient, WaitingChange
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import render_error
from wenchang.transport import InProcessClient, TransportClient
from wenchang.version_token import VersionToken

PATH = "user/u-tianlong/notes/ink.md"
METADATA = FileMetadata("Ink", (), frozenset(), datetime(2026, 1, 1, tzinfo=UTC))
LIMIT_S = 30


class Desk:
    """A gated store, with the changes that wait appearing one by one."""

    def __init__(self, *, wait_s: float = LIMIT_S) -> None:
        self.store = MemoryStore(InMemoryStorage())
        self._asked = threading.Semaphore(0)
        self.gate = Gate(wait_s=wait_s, on_waiting=lambda _: self._asked.release())
        self.client = GatedClient(InProcessClient(self.store), self.gate)
        self._pool = ThreadPoolExecutor(8)

    def write(self, content: str = "- [stated] Black.\n", version: VersionToken | None = None) -> Future[MemoryFile]:
        return self._pool.submit(self.client.write_file, PATH, content, METADATA, version, source="agent")

    def delete(self, version: VersionToken) -> Future[None]:
        return self._pool.submit(self.client.delete_file, PATH, version)

    def next_waiting(self) -> WaitingChange:
        assert self._asked.acquire(timeout=LIMIT_S)
        return self.gate.waiting()[-1]

    def close(self) -> None:
        self.gate.let_through()
        self._pool.shutdown()


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.close()


def test_a_gate_lets_everything_through_at_first(desk: Desk) -> None:
    assert desk.gate.asks_first is False
    file = desk.write().result(LIMIT_S)
    assert desk.client.read_file(PATH) == file
    assert desk.gate.waiting() == ()


def test_a_change_waits_until_it_is_approved(desk: Desk) -> None:
    desk.gate.ask_first()
    writing = desk.write()
    change = desk.next_waiting()
    assert (change.operation, change.path) == ("write_file", PATH)
    assert change.arguments == {
        "content": "- [stated] Black.\n",
        "metadata": METADATA,
        "expected_version": None,
        "source": "agent",
    }
    assert change.asked_at.utcoffset() is not None
    assert desk.client.list_prefix("user/u-tianlong/").entries == ()
    assert not writing.done()
    assert desk.gate.approve(change.number) is True
    assert writing.result(LIMIT_S).content == "- [stated] Black.\n"
    assert desk.gate.waiting() == ()
    assert desk.gate.approve(change.number) is False


def test_a_refusal_reaches_the_agent_with_its_reason(desk: Desk) -> None:
    desk.gate.ask_first()
    writing = desk.write()
    assert desk.gate.refuse(desk.next_waiting().number, "Ink is red here") is True
    with pytest.raises(ChangeRefusedError) as refusal:
        writing.result(LIMIT_S)
    assert render_error(refusal.value) == {
        "error": "ChangeRefusedError",
        "category": "permanent",
        "message": "A person refused this change to the file at scope user, area notes, name ink; it was not made. The "
        'reason given: "Ink is red here". Do not retry: retrying will not succeed.',
        "scope": "user",
        "area": "notes",
        "name": "ink",
        "reason": "Ink is red here",
    }
    assert desk.store.list_prefix("user/u-tianlong/").entries == ()


def test_a_refusal_may_go_without_a_reason(desk: Desk) -> None:
    desk.gate.ask_first()
    writing = desk.write()
    desk.gate.refuse(desk.next_waiting().number)
    with pytest.raises(ChangeRefusedError, match=r"it was not made\. Do not retry") as refusal:
        writing.result(LIMIT_S)
    assert refusal.value.reason == ""


def test_nobody_answering_is_an_error_that_invites_another_try() -> None:
    desk = Desk(wait_s=0)
    desk.gate.ask_first()
    with pytest.raises(ApprovalTimeoutError) as timeout:
        desk.write().result(LIMIT_S)
    assert timeout.value.category is ErrorCategory.TRANSIENT
    assert (timeout.value.scope, timeout.value.area, timeout.value.name) == ("user", "notes", "ink")
    assert str(timeout.value).startswith(
        "The change to the file at scope user, area notes, name ink waits for a person's approval, and nobody answered "
        "in time; it was not made. This is temporary"
    )
    assert desk.gate.waiting() == ()
    desk.close()


def test_a_change_whose_caller_has_gone_is_never_made(desk: Desk) -> None:
    gone = threading.Event()
    client = GatedClient(InProcessClient(desk.store), desk.gate, is_abandoned=gone.is_set)
    desk.gate.ask_first()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(client.write_file, PATH, "x", METADATA, None, source="agent")
        change = desk.next_waiting()
        gone.set()
        with pytest.raises(ApprovalTimeoutError):
            writing.result(LIMIT_S)
    assert desk.gate.approve(change.number) is False
    assert desk.store.list_prefix("user/u-tianlong/").entries == ()


def test_reading_never_waits(desk: Desk) -> None:
    file = desk.write().result(LIMIT_S)
    desk.gate.ask_first()
    assert desk.client.read_file(PATH) == file
    assert len(desk.client.list_prefix("user/").entries) == 1
    assert len(desk.client.get_memory_index({"user": "u-tianlong"}).entries) == 1
    assert desk.gate.waiting() == ()


def test_all_four_changes_wait_and_are_then_made_as_they_were_asked(desk: Desk) -> None:
    first = desk.write().result(LIMIT_S)
    desk.gate.ask_first()

    def approved(operation: str, make: Future[MemoryFile]) -> MemoryFile:
        change = desk.next_waiting()
        assert change.operation == operation
        assert change.arguments["source"] == "agent"
        desk.gate.approve(change.number)
        return make.result(LIMIT_S)

    pool = desk._pool
    appending = pool.submit(
        desk.client.append_line, PATH, "- [stated] Red.", first.version, source="agent", aliases=["a"], description="d"
    )
    second = approved("append_line", appending)
    assert (second.content, second.metadata.aliases) == ("- [stated] Black.\n- [stated] Red.\n", ("a",))
    assert second.metadata.description == "d"
    replacing = pool.submit(
        desk.client.replace_fact, PATH, "Red", "Blue", second.version, source="agent", aliases=["b"], description="e"
    )
    third = approved("replace_fact", replacing)
    assert (third.content, third.metadata.aliases) == ("- [stated] Black.\n- [stated] Blue.\n", ("a", "b"))
    deleting = desk.delete(third.version)
    change = desk.next_waiting()
    assert (change.operation, change.arguments) == ("delete_file", {"expected_version": third.version})
    desk.gate.approve(change.number)
    assert deleting.result(LIMIT_S) is None
    assert desk.store.list_prefix("user/").entries == ()


def test_an_approved_change_is_still_guarded_by_its_version(desk: Desk) -> None:
    first = desk.write().result(LIMIT_S)
    desk.gate.ask_first()
    writing = desk.write("mine", first.version)
    change = desk.next_waiting()
    desk.store.write_file(PATH, "theirs", METADATA, first.version, source="person")
    desk.gate.approve(change.number)
    with pytest.raises(VersionConflictError):
        writing.result(LIMIT_S)


def test_several_changes_wait_in_the_order_in_which_they_asked(desk: Desk) -> None:
    desk.gate.ask_first()
    writing = [desk.write(str(number)) for number in range(3)]
    for _ in writing:
        desk.next_waiting()
    numbers = [change.number for change in desk.gate.waiting()]
    assert numbers == sorted(numbers)
    for number in numbers[1:]:
        desk.gate.refuse(number)
    desk.gate.approve(numbers[0])
    outcomes = [type(future.exception(LIMIT_S)) for future in writing]
    assert sorted(kind.__name__ for kind in outcomes) == ["ChangeRefusedError", "ChangeRefusedError", "NoneType"]


def test_letting_through_approves_what_waits(desk: Desk) -> None:
    desk.gate.ask_first()
    assert desk.gate.asks_first
    writing = desk.write()
    desk.next_waiting()
    desk.gate.let_through()
    assert writing.result(LIMIT_S).content == "- [stated] Black.\n"
    assert not desk.gate.asks_first
    desk.delete(desk.store.read_file(PATH).version).result(LIMIT_S)


def test_a_host_that_breaks_when_told_leaves_nothing_waiting() -> None:
    def breaks(_: WaitingChange) -> None:
        raise RuntimeError("no screen")

    gate = Gate(on_waiting=breaks)
    gate.ask_first()
    with pytest.raises(RuntimeError, match="no screen"):
        GatedClient(InProcessClient(MemoryStore(InMemoryStorage())), gate).delete_file(PATH, VersionToken("1"))
    assert gate.waiting() == ()


def test_a_gated_client_is_a_client_like_any_other(desk: Desk) -> None:
    assert isinstance(desk.client, TransportClient)
    for name in ("read_file", "write_file", "append_line", "replace_fact", "list_prefix", "delete_file"):
        assert inspect.signature(getattr(GatedClient, name)) == inspect.signature(getattr(MemoryStore, name))
    with pytest.raises(TypeError, match="client must satisfy TransportClient, not int"):
        GatedClient(3, desk.gate)  # type: ignore[arg-type]


def test_waiting_ends_before_clients_give_up() -> None:
    assert DEFAULT_WAIT_S < 60
    assert Gate().wait_s == DEFAULT_WAIT_S

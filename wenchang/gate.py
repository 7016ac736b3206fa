"""A person between an agent and its memory: while a gate asks first, each change waits to be approved or refused.

Off by default. Reading never waits. A gate knows neither screens nor networks: a host is told of what waits by a
callback or looks at `Gate.waiting`, and decides from any thread.
"""

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wenchang._types import type_name
from wenchang.core import ListCursor, ListPage, MemoryFile, MemoryIndex
from wenchang.errors import ApprovalTimeoutError, ChangeRefusedError
from wenchang.file_format import FileMetadata
from wenchang.transport import TransportClient
from wenchang.version_token import VersionToken

__all__ = ["DEFAULT_WAIT_S", "Gate", "GatedClient", "WaitingChange"]

DEFAULT_WAIT_S = 45.0
"""How long a change waits, in seconds: clients give up on a call after 60."""

_LOOK_AGAIN_S = 0.1


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """A change that waits. `operation` and `arguments` are the method of the client and what it was called with,
    `path` aside; `asked_at` is in UTC.
    """

    number: int
    operation: str
    path: str
    arguments: Mapping[str, object]
    asked_at: datetime

    __hash__ = None  # type: ignore[assignment]


class Gate:
    """Lets changes through, or asks first.

    `on_waiting(change)` is called on the thread of each change that starts to wait. Safe to use from several threads.
    """

    def __init__(
        self, *, wait_s: float = DEFAULT_WAIT_S, on_waiting: Callable[[WaitingChange], object] | None = None
    ) -> None:
        self._wait_s = wait_s
        self._on_waiting = on_waiting
        self._asks_first = False
        self._numbers = itertools.count(1)
        self._waiting: dict[int, WaitingChange] = {}
        self._refusals: dict[int, str | None] = {}  # by number, `None` for an approval
        self._decided = threading.Condition()

    @property
    def wait_s(self) -> float:
        """How long a change waits for an answer, in seconds."""
        return self._wait_s

    @property
    def asks_first(self) -> bool:
        """Whether changes wait for an answer."""
        return self._asks_first

    def ask_first(self) -> None:
        """From now on every change waits for an answer."""
        with self._decided:
            self._asks_first = True

    def let_through(self) -> None:
        """From now on no change waits; those that do are approved."""
        with self._decided:
            self._asks_first = False
            for number in list(self._waiting):
                self._decide(number, None)

    def waiting(self) -> tuple[WaitingChange, ...]:
        """The changes without an answer, in the order in which they asked."""
        with self._decided:
            return tuple(self._waiting.values())

    def approve(self, number: int) -> bool:
        """Let one change go on. `False` when it does not wait any more."""
        with self._decided:
            return self._decide(number, None)

    def refuse(self, number: int, reason: str = "") -> bool:
        """Refuse one change; the agent gets to read `reason`. `False` when it does not wait any more."""
        with self._decided:
            return self._decide(number, reason)

    def _decide(self, number: int, refusal: str | None) -> bool:
        if self._waiting.pop(number, None) is None:
            return False
        self._refusals[number] = refusal
        self._decided.notify_all()
        return True

    def pass_change(
        self, operation: str, path: str, arguments: Mapping[str, object], is_abandoned: Callable[[], bool]
    ) -> None:
        """Return once the change may be made; at once unless the gate asks first.

        `is_abandoned` is asked a few times a second whether the caller has gone away. Raises `ChangeRefusedError`, and
        `ApprovalTimeoutError` when no answer came or nobody waits for it any more.
        """
        with self._decided:
            if not self._asks_first:
                return
            change = WaitingChange(next(self._numbers), operation, path, arguments, datetime.now(UTC))
            self._waiting[change.number] = change
        try:
            if self._on_waiting is not None:
                self._on_waiting(change)
            refusal = self._answer(change, is_abandoned)
        finally:
            with self._decided:
                self._waiting.pop(change.number, None)
                self._refusals.pop(change.number, None)
        if refusal is not None:
            raise ChangeRefusedError(path, refusal)

    def _answer(self, change: WaitingChange, is_abandoned: Callable[[], bool]) -> str | None:
        deadline = time.monotonic() + self._wait_s
        with self._decided:
            while change.number not in self._refusals:
                left = deadline - time.monotonic()
                if left <= 0 or is_abandoned():
                    del self._waiting[change.number]  # before anybody else can approve it
                    raise ApprovalTimeoutError(change.path)
                self._decided.wait(min(left, _LOOK_AGAIN_S))
            return self._refusals[change.number]


class GatedClient:
    """Another client, with a gate before everything that changes memory.

    `is_abandoned()` tells, on the thread of a call, whether its caller has gone away: nothing is changed any more then.
    """

    def __init__(
        self, client: TransportClient, gate: Gate, *, is_abandoned: Callable[[], bool] = lambda: False
    ) -> None:
        if not isinstance(client, TransportClient):
            raise TypeError(f"client must satisfy TransportClient, not {type_name(client)}")
        self._client = client
        self._gate = gate
        self._is_abandoned = is_abandoned

    def read_file(self, path: str) -> MemoryFile:
        """As the client behind, at once."""
        return self._client.read_file(path)

    def list_prefix(self, prefix: str, cursor: ListCursor | None = None) -> ListPage:
        """As the client behind, at once."""
        return self._client.list_prefix(prefix, cursor)

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        """As the client behind, at once."""
        return self._client.get_memory_index(scope_map)

    def write_file(
        self,
        path: str,
        content: str,
        metadata: FileMetadata,
        expected_version: VersionToken | None,
        *,
        source: str,
    ) -> MemoryFile:
        """As the client behind, once approved."""
        arguments = {
            "content": content,
            "metadata": metadata,
            "expected_version": expected_version,
            "source": source,
        }
        self._pass("write_file", path, arguments)
        return self._client.write_file(path, content, metadata, expected_version, source=source)

    def append_line(
        self,
        path: str,
        line: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """As the client behind, once approved."""
        named = {"source": source, "aliases": aliases, "description": description}
        self._pass("append_line", path, {"line": line, "expected_version": expected_version, **named})
        return self._client.append_line(
            path, line, expected_version, source=source, aliases=aliases, description=description
        )

    def replace_fact(
        self,
        path: str,
        old_string: str,
        new_string: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """As the client behind, once approved."""
        positional = {"old_string": old_string, "new_string": new_string, "expected_version": expected_version}
        named = {"source": source, "aliases": aliases, "description": description}
        self._pass("replace_fact", path, {**positional, **named})
        return self._client.replace_fact(
            path, old_string, new_string, expected_version, source=source, aliases=aliases, description=description
        )

    def delete_file(self, path: str, expected_version: VersionToken) -> None:
        """As the client behind, once approved."""
        self._pass("delete_file", path, {"expected_version": expected_version})
        self._client.delete_file(path, expected_version)

    def _pass(self, operation: str, path: str, arguments: Mapping[str, object]) -> None:
        self._gate.pass_change(operation, path, arguments, self._is_abandoned)

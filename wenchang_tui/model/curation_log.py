"""What a person changed in this session, write by write, and the way back: each undone only while it still stands.

A change is a list of moves, each of one object from one state to the next; repairs and undoing are moves too. Nothing
here outlives the session, and a long session outlives its first changes.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from wenchang.core import MemoryStore
from wenchang.storage import PreconditionFailedError, Storage, StoredObject
from wenchang.version_token import VersionToken
from wenchang_tui.model.problems import Problem, describe

MAX_CHANGES = 200
"""Of more, the latest are remembered: each holds the bodies before and after it."""

_UNDO, _REDO = "Undo: ", "Redo: "


@dataclass(frozen=True, slots=True)
class State:
    """A body and its stored metadata, at whatever version."""

    data: bytes
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Move:
    """One object to be taken from `before`, whose version guards the move, to `after`; `None` is no object."""

    key: str
    before: StoredObject | None
    after: State | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A move that was made; `after` has the version that it led to."""

    key: str
    before: State | None
    after: StoredObject | None

    def back(self) -> Move:
        """The move that undoes this one."""
        return Move(self.key, self.after, self.before)

    def found_again(self, key: str, stands: StoredObject) -> "Moved":
        """The same move, led to `stands` if that is the state it led to, at a version of now."""
        led_to = self.after if self.key == key else None
        is_same = led_to is not None and (led_to.data, dict(led_to.metadata)) == (stands.data, dict(stands.metadata))
        return replace(self, after=stands) if is_same else self


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a person did: its number in the session, what it was, when, and its moves in order."""

    number: int
    title: str
    at: datetime
    moves: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """Everything went as planned."""

    change: Change


@dataclass(frozen=True, slots=True)
class Stopped:
    """A move was refused. `change` holds those made before it, which can be undone; `None` if there were none."""

    key: str
    problem: Problem
    change: Change | None


class CurationLog:
    """The latest changes, and the only way to make one past `MemoryStore`. Safe to share between threads."""

    def __init__(
        self, storage: Storage, store: MemoryStore, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._storage = storage
        self._store = store
        self._clock = clock
        self._changes: list[Change] = []
        self._number = 0
        self._lock = threading.Lock()

    @property
    def changes(self) -> tuple[Change, ...]:
        """What can be undone, oldest first."""
        with self._lock:
            return tuple(self._changes)

    def led_to(self, key: str, version: VersionToken | None) -> bool:
        """Whether the latest change of `key` in this session is what made its object be at `version`, `None` gone."""
        moves = (moved for change in reversed(self.changes) for moved in reversed(change.moves) if moved.key == key)
        latest = next(moves, None)
        return latest is not None and (latest.after.version if latest.after else None) == version

    def record(self, title: str, *moves: Moved) -> Change:
        """Remember moves that were made elsewhere."""
        with self._lock:
            self._number += 1
            change = Change(self._number, title, self._clock(), moves)
            self._changes = [*self._changes, change][-MAX_CHANGES:]
        return change

    def make(self, title: str, moves: Sequence[Move]) -> Done | Stopped:
        """Make moves in order, each only at the version it expects, and stop at the first that is refused."""
        made: list[Moved] = []
        for move in moves:
            try:
                made.append(self._make(move))
            except Exception as error:
                change = self.record(title, *made) if made else None
                return Stopped(move.key, _explain(move, error), change)
        return Done(self.record(title, *made))

    def undo(self, change: Change) -> Done | Stopped:
        """Put back what stood before a change, last move first. What was undone counts as a change of its own.

        A change that another writer built upon stays as it is; of one that is undone in part the rest can be tried
        again. What was changed before it can be undone next.
        """
        change = next((known for known in self.changes if known.number == change.number), change)
        outcome = self.make(_title_of_undoing(change.title), [moved.back() for moved in reversed(change.moves)])
        undone = len(outcome.change.moves) if outcome.change else 0
        self._forget(change, change.moves[: len(change.moves) - undone])
        for moved in outcome.change.moves if outcome.change else ():
            if moved.after is not None:
                self._find_again(moved.key, moved.after)
        return outcome

    def _find_again(self, key: str, stands: StoredObject) -> None:
        """What stands again stands at a version that no earlier change knows."""
        with self._lock:
            self._changes = [
                replace(change, moves=tuple(moved.found_again(key, stands) for moved in change.moves))
                for change in self._changes
            ]

    def _forget(self, change: Change, left: tuple[Moved, ...]) -> None:
        with self._lock, suppress(ValueError):
            at = self._changes.index(change)
            self._changes[at : at + 1] = [Change(change.number, change.title, change.at, left)] if left else []

    def _make(self, move: Move) -> Moved:
        try:
            return self._put(move)
        finally:
            self._outdate(move.key)

    def _put(self, move: Move) -> Moved:
        expected = move.before.version if move.before else None
        before = State(move.before.data, move.before.metadata) if move.before else None
        if move.after is not None:
            version = self._storage.put_if_version(move.key, move.after.data, move.after.metadata, expected)
            return Moved(move.key, before, StoredObject(move.after.data, move.after.metadata, version))
        if expected is not None:
            self._storage.delete_if_version(move.key, expected)
        return Moved(move.key, before, None)

    def _outdate(self, key: str) -> None:
        scope, _, rest = key.partition("/")
        # A key that lies in no entity is in no index.
        with suppress(ValueError):
            self._store.invalidate_index(scope, rest.partition("/")[0])


def _title_of_undoing(title: str) -> str:
    if title.startswith(_UNDO):
        return _REDO + title.removeprefix(_UNDO)
    return _UNDO + title.removeprefix(_REDO)


def _explain(move: Move, error: Exception) -> Problem:
    if not isinstance(error, PreconditionFailedError):
        return describe(error)
    if move.before is None:
        return Problem("Taken meanwhile", f"Something stands at {move.key} by now.", "Look at it, then decide anew.")
    return Problem(
        "Changed meanwhile", f"{move.key} was changed or deleted after it was read.", "Look at it, then decide anew."
    )

"""The calls that the app has seen: handed from the server's thread to the screen, kept, saved, and taken back."""

import json
import os
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wenchang.core import MemoryFile, MemoryStore
from wenchang.errors import NotFoundError, VersionConflictError
from wenchang.version_token import VersionToken
from wenchang_tui.agent.calls import Call, call_from_json, call_to_json

MAX_UNREAD = 10_000

_FORMAT = "wenchang-session"
_FORMAT_VERSION = 1


class Recorder:
    """A bounded queue of calls between threads: servers add, the screen drains a few times a second."""

    def __init__(self, max_unread: int = MAX_UNREAD) -> None:
        self._unread: deque[Call] = deque(maxlen=max_unread)
        self._lock = threading.Lock()
        self._missed = 0

    @property
    def missed(self) -> int:
        """How many calls, the oldest first, were lost because nobody drained."""
        return self._missed

    def add(self, call: Call) -> None:
        """Keep a call until it is drained. Never blocks for long, never fails."""
        with self._lock:
            self._missed += len(self._unread) == self._unread.maxlen
            self._unread.append(call)

    def drain(self) -> list[Call]:
        """The calls since the last time, in the order in which they ended."""
        with self._lock:
            calls = list(self._unread)
            self._unread.clear()
        return calls


@dataclass(frozen=True, slots=True)
class Reverted:
    """A change was taken back: the file as it is now, `None` when it is gone again."""

    file: MemoryFile | None


@dataclass(frozen=True, slots=True)
class ChangedSince:
    """A change was not taken back, because the file is not as the call left it. `content` is `None` for no file."""

    path: str
    content: str | None
    version: VersionToken | None


def can_revert(call: Call) -> bool:
    """Whether there is something to take back, and the record holds enough to do it."""
    return call.change is not None and call.change.before != call.change.after


def revert(call: Call, store: MemoryStore, *, source: str) -> Reverted | ChangedSince:
    """Bring the file back to what it was before the call, unless somebody changed it since.

    Body, description and aliases come back; `source` is added to the sources, and the time is now. Raises `ValueError`
    for a call that changed nothing, and what the store raises.
    """
    change = call.change
    if change is None or change.before == change.after:
        raise ValueError("the call changed nothing that could be taken back")
    left = None if change.after is None else change.after.version
    try:
        if change.before is not None:
            file = change.before
            return Reverted(store.write_file(change.path, file.content, file.metadata, left, source=source))
        assert left is not None
        store.delete_file(change.path, left)
        return Reverted(None)
    except VersionConflictError as error:
        return ChangedSince(change.path, error.content, error.version)
    except NotFoundError:
        return ChangedSince(change.path, None, None)


def save_session(path: Path, target: str, calls: Sequence[Call]) -> None:
    """Write calls to a file of their own, for its owner alone. Raises `OSError`."""
    document = {
        "format": _FORMAT,
        "version": _FORMAT_VERSION,
        "target": target,
        "calls": [call_to_json(call) for call in calls],
    }
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".session-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Session:
    """Saved calls, and the name of the store that they were made on."""

    target: str
    calls: tuple[Call, ...]


def load_session(path: Path) -> Session:
    """Read what `save_session` wrote. Raises `OSError`, and `ValueError` with a sentence for another kind of file."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no saved session: it is not JSON.") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f"{path} is no saved session.")
    if document.get("version") != _FORMAT_VERSION:
        raise ValueError(f"{path} was saved by another version of this program.")
    try:
        return Session(str(document["target"]), tuple(map(call_from_json, document["calls"])))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is a damaged session: {error}.") from error

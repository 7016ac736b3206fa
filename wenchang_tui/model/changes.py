"""What changes in a folder while the app looks at it: sets of keys, from the system's file events or by polling."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from watchfiles import watch

from wenchang.storage.filesystem import key_of

_POLL_SECONDS = 1.0
_Stamp = tuple[int, int, int]


class FolderWatcher:
    """Watches one folder, also through its removal and return.

    `key(root, path)` is the key of what a file belongs to; changes of a file that has none are passed over.
    """

    def __init__(self, root: str | os.PathLike[str], key: Callable[[Path, str], str | None] = key_of) -> None:
        self._root = Path(root).resolve()
        self._key = key

    def watch(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Sets of changed keys, from this call on until `stop` is set.

        Never raises for a folder that is gone or cannot be watched.
        """
        return self._changes(stop, self._stamps())

    def _changes(self, stop: threading.Event, known: dict[str, _Stamp]) -> Iterator[frozenset[str]]:
        while not stop.is_set():
            try:
                for number, keys in enumerate(self._events(stop)):
                    if number == 0:  # what changed before the system was listening shows in the files themselves
                        known, missed = self._compare(known)
                        keys |= missed
                    if keys:
                        yield keys
            except (OSError, RuntimeError):  # no such folder, or the system has no watches left: poll
                stop.wait(_POLL_SECONDS)
            known, missed = self._compare(known)
            if missed and not stop.is_set():
                yield missed

    def _events(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Changes as the system reports them, an empty set for a quiet second; ends when the folder was replaced."""
        watched = _identity(self._root)
        for events in watch(
            self._root,
            stop_event=stop,
            debounce=200,
            step=50,
            rust_timeout=int(_POLL_SECONDS * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            watch_filter=None,
        ):
            keys = (self._key(self._root, path) for _, path in events)
            yield frozenset(key for key in keys if key is not None)
            if _identity(self._root) != watched:
                return

    def _compare(self, known: dict[str, _Stamp]) -> tuple[dict[str, _Stamp], frozenset[str]]:
        """The stamps as they are now, and the keys whose stamps are not as `known`."""
        now = self._stamps()
        return now, frozenset(key for key, _ in known.items() ^ now.items())

    def _stamps(self) -> dict[str, _Stamp]:
        """What tells an object from its next state, by key; of a folder that is gone, nothing."""
        stamps: dict[str, _Stamp] = {}
        for folder, _, names in os.walk(self._root):
            for name in names:
                path = os.path.join(folder, name)  # noqa: PTH118
                key = self._key(self._root, path)
                if key is not None and (stamp := _stamp(path)) is not None:
                    stamps[key] = max(stamp, stamps.get(key, stamp))
        return stamps


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _stamp(path: str) -> _Stamp | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino

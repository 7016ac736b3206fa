"""What changes in a folder while the app looks at it: sets of keys, from the system's file events or by polling."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from watchfiles import Change, watch

from wenchang.storage.filesystem import key_of

_POLL_SECONDS = 1.0
_Stamp: TypeAlias = int
"""A file's modification time, size and inode in one number, since many are held; a later time makes a greater one."""


class FolderWatcher:
    """Watches one folder, also through its removal and return.

    `key(root, path)` is the key of what a file belongs to; changes of a file that has none are passed over.
    """

    def __init__(self, root: str | os.PathLike[str], key: Callable[[Path, str], str | None] = key_of) -> None:
        self._root = Path(root).resolve()
        self._key = key
        self._known: dict[str, _Stamp] = {}
        self._folders: set[str] = set()

    def watch(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Sets of changed keys, from this call on until `stop` is set.

        Never raises for a folder that is gone or cannot be watched.
        """
        self._look()
        return self._changes(stop)

    def _changes(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        while not stop.is_set():
            try:
                for number, keys in enumerate(self._events(stop)):
                    if number == 0:  # what changed before the system was listening shows in the files themselves
                        keys |= self._look()
                    if keys:
                        yield keys
            except (OSError, RuntimeError):  # no such folder, or the system has no watches left: poll
                stop.wait(_POLL_SECONDS)
            missed = self._look()
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
            yield self._changed(events)
            if _identity(self._root) != watched:
                return

    def _changed(self, events: Iterable[tuple[Change, str]]) -> frozenset[str]:
        """The keys that events are about.

        Of a folder that came, the system may have missed what was in it before it listened there; of one that went, it
        does not tell what was in it.
        """
        keys = {key for _, path in events if (key := self._note(path)) is not None}
        for change, path in events:
            if change is Change.added and os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
                keys |= self._note_below(path)
        if any(change is Change.deleted and path in self._folders for change, path in events):
            keys |= self._look()
        return frozenset(keys)

    def _look(self) -> frozenset[str]:
        """Look at every file; the keys of those that are not as they were known."""
        changed, gone = set[str](), set(self._known)
        self._folders.clear()
        for stamps in self._stamps_below(self._root):
            changed |= {key for key, stamp in stamps.items() if self._known.get(key) != stamp}
            self._known.update(stamps)
            gone.difference_update(stamps)
        for key in gone:
            del self._known[key]
        return frozenset(changed | gone)

    def _note_below(self, top: str) -> set[str]:
        """Note every file in a folder; their keys. Of a folder that is gone, nothing."""
        keys = set[str]()
        for stamps in self._stamps_below(top):
            self._known.update(stamps)
            keys.update(stamps)
        return keys

    def _stamps_below(self, top: str | Path) -> Iterator[dict[str, _Stamp]]:
        """The stamps of what is in a folder and in each one below it: the files of one key lie in one folder."""
        for folder, _, names in os.walk(top):
            self._folders.add(folder)
            stamps: dict[str, _Stamp] = {}
            for name in names:
                path = os.path.join(folder, name)  # noqa: PTH118
                key, stamp = self._key(self._root, path), _stamp(path)
                if key is not None and stamp is not None:
                    stamps[key] = max(stamp, stamps.get(key, stamp))
            yield stamps

    def _note(self, path: str) -> str | None:
        """Note what tells the file at `path` from its next state; the key it belongs to, if it belongs to any."""
        key = self._key(self._root, path)
        if key is None:
            return None
        stamp = _stamp(path)
        if stamp is None:
            self._known.pop(key, None)
        else:
            self._known[key] = max(stamp, self._known.get(key, stamp))
        return key


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
    return (status.st_mtime_ns << 64 | status.st_size) << 64 | status.st_ino

"""What changes in a storage that tells nothing by itself, found by looking again at the page that is on screen."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from wenchang.storage import Storage
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import FileRow

INTERVAL_SECONDS = 3.0
ROWS = 998
"""As many as a page on screen begins with, in one request."""
_LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _View:
    """What somebody looks at: the rows under `prefix` behind `after`, as they were last seen."""

    prefix: str
    after: str | None
    versions: Mapping[str, VersionToken]


class PollingWatcher:
    """Watches one page of listing: one request every few seconds, none before somebody looks at something."""

    def __init__(self, storage: Storage, interval: float = INTERVAL_SECONDS) -> None:
        self._storage = storage
        self._interval = interval
        self._view: _View | None = None
        self._lock = threading.Lock()

    def look_at(self, prefix: str, rows: Iterable[FileRow], after: str | None = None) -> None:
        """Watch the first `ROWS` objects under `prefix` behind key `after` from now on, `rows` being there now."""
        view = _View(prefix, after, {row.key: row.version for row in rows})
        with self._lock:
            self._view = view

    def look_away(self) -> None:
        """Watch nothing, and ask for nothing, until somebody looks again."""
        with self._lock:
            self._view = None

    def watch(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Sets of changed keys until `stop` is set.

        Never raises: while the storage cannot be asked, it is asked less and less often, once a minute at last.
        """
        pause = self._interval
        while not stop.wait(pause):
            view = self._view
            if view is None:
                continue
            try:
                listed = self._storage.list_page(view.prefix, view.after, ROWS)
            except Exception:  # whatever it is, whoever looks at the page meets it too, and says so
                pause = min(2 * pause, max(_LONGEST_SECONDS, self._interval))
                continue
            pause = self._interval
            changed = self._renew(view, {row.key: row.version for row in listed})
            if changed:
                yield changed

    def _renew(self, view: _View, found: Mapping[str, VersionToken]) -> frozenset[str]:
        """Remember what was found, and tell what differs; nothing when somebody looks elsewhere by now."""
        # Of a page that is full, what lies behind it is not known to have changed.
        end = max(found) if len(found) == ROWS else None
        kept = {key: version for key, version in view.versions.items() if end is not None and key > end}
        renewed = _View(view.prefix, view.after, {**found, **kept})
        with self._lock:
            if self._view is not view:
                return frozenset()
            self._view = renewed
        return frozenset(key for key, _ in view.versions.items() ^ renewed.versions.items())

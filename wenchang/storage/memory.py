"""A storage in the memory of one process: for tests, demonstrations and short-lived agents. Nothing is kept on disk."""

import threading
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from wenchang.storage import ListedObject, PreconditionFailedError, StoredObject
from wenchang.version_token import VersionToken


class InMemoryStorage:
    """Objects in a dictionary behind one lock. Core, section 5.2.

    Versions are `"1"`, `"2"`, … from one counter for all keys, advanced by successful puts alone.
    """

    concurrency = 1

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._objects: dict[str, StoredObject] = {}
        self._puts = 0

    def get(self, key: str) -> StoredObject | None:
        """The object at `key`, or `None`."""
        with self._lock:
            found = self._objects.get(key)
            return found and StoredObject(found.data, dict(found.metadata), found.version)

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        """Replace whatever stands at `key`."""
        with self._lock:
            return self._store(key, data, metadata)

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        """Write only at version `expected`; `None` means only where no object exists."""
        with self._lock:
            self._check(key, expected)
            return self._store(key, data, metadata)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        """Delete only at version `expected`."""
        with self._lock:
            if key not in self._objects:
                raise PreconditionFailedError(key)
            self._check(key, expected)
            del self._objects[key]

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        """One page of the keys under `prefix`, ascending."""
        with self._lock:
            keys = sorted(key for key in self._objects if key.startswith(prefix))
            first = 0 if start_after is None else bisect_right(keys, start_after)
            return [self._listed(key) for key in keys[first : first + limit]]

    def _check(self, key: str, expected: VersionToken | None) -> None:
        found = self._objects.get(key)
        if (found.version if found else None) != expected:
            raise PreconditionFailedError(key)

    def _store(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        stored = StoredObject(bytes(data), dict(metadata), VersionToken(str(self._puts + 1)))
        self._puts += 1
        self._objects[key] = stored
        return stored.version

    def _listed(self, key: str) -> ListedObject:
        found = self._objects[key]
        return ListedObject(key, dict(found.metadata), found.version, len(found.data))

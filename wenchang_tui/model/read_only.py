"""Read-only, enforced where it counts: a storage that hands on every read and refuses every mutation."""

from collections.abc import Mapping, Sequence
from typing import NoReturn, Protocol, runtime_checkable

from wenchang.errors import PermanentError
from wenchang.storage import (
    BodyReading,
    ChildListing,
    Concurrency,
    ListedObject,
    ObjectVersion,
    Storage,
    StoredObject,
    VersionHistory,
)
from wenchang.version_token import VersionToken


class ReadOnlyError(PermanentError):
    """The store was opened read-only."""

    def __init__(self) -> None:
        super().__init__("The store is opened read-only, so nothing in it can be changed.")


class ReadOnlyStorage:
    """A view of `storage` that cannot change it."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def get(self, key: str) -> StoredObject | None:
        """The object at `key`, or `None`."""
        return self._storage.get(key)

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        """One page of the keys under `prefix`, ascending."""
        return self._storage.list_page(prefix, start_after, limit)

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> NoReturn:  # noqa: ARG002
        """Refused: raises `ReadOnlyError`."""
        raise ReadOnlyError

    def put_if_version(
        self,
        key: str,  # noqa: ARG002
        data: bytes,  # noqa: ARG002
        metadata: Mapping[str, str],  # noqa: ARG002
        expected: VersionToken | None,  # noqa: ARG002
    ) -> NoReturn:
        """Refused: raises `ReadOnlyError`."""
        raise ReadOnlyError

    def delete_if_version(self, key: str, expected: VersionToken) -> NoReturn:  # noqa: ARG002
        """Refused: raises `ReadOnlyError`."""
        raise ReadOnlyError


@runtime_checkable
class Levelled(Storage, ChildListing, Protocol):
    """A storage that also tells levels of keys."""


class ReadOnlyLevelled(ReadOnlyStorage):
    """The same view of a storage that tells levels, which it goes on to tell."""

    def __init__(self, storage: Levelled) -> None:
        super().__init__(storage)
        self._levelled = storage

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        """One page of the prefixes one level below `prefix`, ascending."""
        return self._levelled.list_children(prefix, start_after, limit)


@runtime_checkable
class Kept(Storage, ChildListing, VersionHistory, Protocol):
    """A storage that also tells levels of keys, and keeps former versions."""


class ReadOnlyKept(ReadOnlyLevelled):
    """The same view of a storage that keeps former versions, which it goes on to show."""

    def __init__(self, storage: Kept) -> None:
        super().__init__(storage)
        self._kept = storage

    def list_versions(self, key: str) -> Sequence[ObjectVersion]:
        """The versions of `key` that are still kept, newest first."""
        return self._kept.list_versions(key)

    def get_version(self, key: str, version: VersionToken) -> StoredObject | None:
        """The object as it was at `version`; `None` where that is gone."""
        return self._kept.get_version(key, version)


@runtime_checkable
class FarAway(Kept, Concurrency, BodyReading, Protocol):
    """A storage far away: it also tells bodies alone, and how much it does at once."""


class ReadOnlyFarAway(ReadOnlyKept):
    """The same view of a storage that is far away."""

    def __init__(self, storage: FarAway) -> None:
        super().__init__(storage)
        self._far_away = storage

    @property
    def concurrency(self) -> int:
        """How many calls at a time it serves best."""
        return self._far_away.concurrency

    def get_body(self, listed: ListedObject) -> bytes | None:
        """The body of exactly the version that was listed; `None` where that does not stand any more."""
        return self._far_away.get_body(listed)


def read_only(storage: Storage) -> ReadOnlyStorage:
    """A view of `storage` that cannot change it, and tells as much."""
    if isinstance(storage, FarAway):
        return ReadOnlyFarAway(storage)
    if isinstance(storage, Kept):
        return ReadOnlyKept(storage)
    return ReadOnlyLevelled(storage) if isinstance(storage, Levelled) else ReadOnlyStorage(storage)

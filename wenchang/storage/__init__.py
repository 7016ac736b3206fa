"""What a back end must do, and the values it deals in.

A `Storage` maps flat text keys to a body, a small metadata map and a version, and compares versions in the same step
as it writes. It knows nothing of paths, scopes or what the metadata means. `wenchang.testing.StorageConformance` checks
every line of the contract below.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from wenchang.version_token import VersionToken

__all__ = ["ListedObject", "ListingState", "PreconditionFailedError", "Storage", "StoredObject"]


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A body with the metadata and version it was written with."""

    data: bytes
    metadata: Mapping[str, str]
    version: VersionToken


@dataclass(frozen=True, slots=True)
class ListedObject:
    """One row of a listing: everything about an object but its body; `size` is the body's bytes, where known."""

    key: str
    metadata: Mapping[str, str]
    version: VersionToken
    size: int | None = field(default=None, compare=False)


class PreconditionFailedError(Exception):
    """The object is not at the expected version; nothing was changed. A signal between a storage and its caller."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key

    def __str__(self) -> str:
        return f"Precondition failed for {self.key!r}."


@runtime_checkable
class Storage(Protocol):
    """Objects under flat keys, guarded by versions. Core, section 5.1.

    Every method is atomic, safe to call from several threads, and may raise
    `wenchang.errors.BackendUnavailableError`. Mappings are copied in and copies are handed out.
    """

    def get(self, key: str) -> StoredObject | None:
        """The object at exactly `key`, all of it from one write, or `None`."""
        ...

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        """Replace whatever stands at `key`; return the new version."""
        ...

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        """Write only at version `expected`; `None` means only where no object exists.

        Raises `PreconditionFailedError` in any other situation, having changed nothing.
        """
        ...

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        """Delete only at version `expected`. Raises `PreconditionFailedError` when absent or different."""
        ...

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        """At most `limit` (≥ 1) objects whose keys start with `prefix`, ascending by key, each key greater than
        `start_after` (whether or not that key exists). Reads no bodies.
        """
        ...


@runtime_checkable
class ListingState(Protocol):
    """What a storage may offer beyond `Storage`: to tell cheaply that a listing would come out as before."""

    def listing_state(self, prefix: str) -> object | None:
        """A value that equals an earlier one only if nothing under `prefix` was written between; `None`: unknown."""
        ...


@runtime_checkable
class Concurrency(Protocol):
    """What a storage may say beyond `Storage`: how many calls at a time it serves best."""

    @property
    def concurrency(self) -> int:
        """A number of calls, at least 1: many for a storage far away, 1 for one that waits for nothing."""
        ...


@runtime_checkable
class BodyReading(Protocol):
    """What a storage may offer to those who have listed: the body alone, where that costs less than all of `get`."""

    def get_body(self, listed: ListedObject) -> bytes | None:
        """The body of exactly the version that was listed; `None` where that does not stand any more."""
        ...


@runtime_checkable
class ChildListing(Protocol):
    """What a storage may offer to those who browse: one level of keys at a time, without listing what lies below."""

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        """At most `limit` (≥ 1) distinct beginnings of keys, ascending, each greater than `start_after`.

        Each is `prefix` and what follows it in a key, up to and including the next `/`. A key without one is left out.
        """
        ...


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """One version of an object, past or present: when it was `written`, and when `replaced` or deleted, if it was.

    One that is not `readable` is kept for an undelete, by the means of its back end, and tells no body before.
    """

    version: VersionToken
    metadata: Mapping[str, str]
    size: int | None
    written: datetime
    replaced: datetime | None
    readable: bool


@runtime_checkable
class VersionHistory(Protocol):
    """What a storage may offer that keeps former versions. How many it keeps, and for how long, is not ours to say."""

    def list_versions(self, key: str) -> Sequence[ObjectVersion]:
        """The versions of the object at exactly `key` that are still kept, newest first, the present one included."""
        ...

    def get_version(self, key: str, version: VersionToken) -> StoredObject | None:
        """The object as it was at `version`; `None` where that is not kept, or not readable."""
        ...

"""What a back end must do, and the values it deals in.

A `Storage` maps flat text keys to a body, a small metadata map and a version, and compares versions in the same step
as it writes. It knows nothing of paths, scopes or what the metadata means. `wenchang.testing.StorageConformance` checks
every line of the contract below.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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

"""The last steps of every write: measure, stamp, put at a version, and outdate the cached listing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from wenchang.core.listings import EntityListings
from wenchang.core.values import MemoryFile
from wenchang.errors import OversizeMetadataError, OversizeWriteError
from wenchang.file_format import FileMetadata, metadata_to_map, stored_bytes
from wenchang.storage import Storage, StoredObject
from wenchang.version_token import VersionToken


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take, in UTF-8 bytes: its body, and its four stored metadata keys and values together."""

    file_bytes: int
    metadata_bytes: int


@dataclass(frozen=True, slots=True)
class Draft:
    """One attempt at a write: the file as callers see it, with the bytes and the map that are to be stored."""

    path: str
    content: str
    metadata: FileMetadata
    data: bytes
    stored: Mapping[str, str]

    def landed(self, version: VersionToken) -> MemoryFile:
        """The file, once it stands at `version`."""
        return MemoryFile(self.path, self.content, self.metadata, version)

    def is_what_stands(self, found: StoredObject) -> bool:
        """Whether `found` is exactly what this attempt tried to store."""
        return found.data == self.data and dict(found.metadata) == self.stored


class GuardedWriter:
    """Changes objects of one storage, each only at an expected version. Core, section 6.2."""

    def __init__(
        self, storage: Storage, listings: EntityListings, clock: Callable[[], datetime], limits: Limits
    ) -> None:
        self._storage = storage
        self._listings = listings
        self._clock = clock
        self._limits = limits

    def measured(self, path: str, content: str) -> bytes:
        """The bytes of a body. Raises `OversizeWriteError`."""
        data = content.encode("utf-8")
        if len(data) > self._limits.file_bytes:
            raise OversizeWriteError(path, len(data), self._limits.file_bytes)
        return data

    def draft(self, path: str, content: str, data: bytes, metadata: FileMetadata) -> Draft:
        """Stamp a write. Reads the clock, so it comes after every check of versions.

        Raises `OversizeMetadataError`, and `ValueError` for a clock without an offset.
        """
        metadata = replace(metadata, last_updated=self._clock())
        size = stored_bytes(metadata)
        if size > self._limits.metadata_bytes:
            raise OversizeMetadataError(path, size, self._limits.metadata_bytes)
        return Draft(path, content, metadata, data, metadata_to_map(metadata))

    def put(self, draft: Draft, expected: VersionToken | None) -> MemoryFile:
        """Store a draft at version `expected`. Raises `PreconditionFailedError`."""
        try:
            version = self._storage.put_if_version(draft.path, draft.data, draft.stored, expected)
        finally:
            # Also after an exception: the write may have landed all the same.
            self._listings.outdate(draft.path)
        return draft.landed(version)

    def delete(self, path: str, expected: VersionToken) -> None:
        """Delete at version `expected`. Raises `PreconditionFailedError`."""
        try:
            self._storage.delete_if_version(path, expected)
        finally:
            self._listings.outdate(path)

"""The part of a memory file that a person can change, and a file as it stood at one version."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from wenchang.core import MemoryFile
from wenchang.file_format import FileMetadata, metadata_to_map
from wenchang.paths import PathParts, parse_path
from wenchang.storage import StoredObject
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import OpenFile


@dataclass(frozen=True, slots=True)
class Content:
    """What a save writes: the body as stored, every character of it, and the two fields that search goes by."""

    body: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """UTF-8 bytes of the body; a character that has no UTF-8 form counts too."""
        return len(self.body.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A readable memory file as it stood at one version: as texts, and as the object that holds them."""

    key: str
    content: Content
    metadata: FileMetadata
    stored: StoredObject

    @property
    def version(self) -> VersionToken:
        """The version that guards a change of it."""
        return self.stored.version

    @property
    def parts(self) -> PathParts:
        """Where it lies."""
        return parse_path(self.key)


def snapshot_of(file: OpenFile) -> Snapshot | None:
    """The file as a snapshot; `None` when it cannot be read as a memory file, for which `file.problem` has the why."""
    if file.parts is None or file.metadata is None or file.text is None:
        return None
    content = Content(file.text, file.metadata.description, file.metadata.aliases)
    return Snapshot(file.key, content, file.metadata, StoredObject(file.data, file.stored, file.version))


def snapshot_of_written(file: MemoryFile) -> Snapshot:
    """The snapshot of what a store says it has just written."""
    content = Content(file.content, file.metadata.description, file.metadata.aliases)
    stored = StoredObject(file.content.encode("utf-8"), metadata_to_map(file.metadata), file.version)
    return Snapshot(file.path, content, file.metadata, stored)


_A_MOMENT = datetime(2026, 1, 1, microsecond=1, tzinfo=UTC)  # as long as a time is when stored


def metadata_bytes(description: str, aliases: Iterable[str], sources: Iterable[str]) -> int:
    """UTF-8 bytes of the four stored keys and values together, also for a description that cannot be stored."""
    stored = metadata_to_map(FileMetadata("", tuple(aliases), frozenset(sources), _A_MOMENT))
    return len("".join((*stored, *stored.values(), description)).encode("utf-8", "surrogatepass"))

"""Former versions of a file, on a storage that keeps them: what they were, and the way back to them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from wenchang.core import MemoryFile
from wenchang.file_format import metadata_to_map
from wenchang.storage import ObjectVersion, StoredObject, VersionHistory
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import OpenFile, open_file
from wenchang_tui.model.curation_log import CurationLog, Done, Move, State, Stopped
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.workspace import Workspace


class FormerVersions:
    """The versions of the files of a workspace. `of` makes one; calls block."""

    def __init__(
        self, kept: VersionHistory, source: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._kept = kept
        self._source = source
        self._clock = clock

    @classmethod
    def of(cls, workspace: Workspace) -> "FormerVersions | None":
        """Those of a workspace; `None` where its storage keeps none."""
        storage = workspace.storage
        return cls(storage, workspace.settings.source) if isinstance(storage, VersionHistory) else None

    def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        """The versions that are still kept, newest first, the present one included; of a deleted file, too."""
        return tuple(self._kept.list_versions(key))

    def open(self, key: str, version: VersionToken) -> OpenFile | None:
        """The file as it was at `version`; `None` where that is gone, or not readable before an undelete."""
        stored = self._kept.get_version(key, version)
        return None if stored is None else open_file(key, stored)

    def restore(self, past: OpenFile, present: OpenFile | None, log: CurationLog) -> Done | Stopped:
        """Write body, description, aliases and sources of `past` over `present`, and only over that version of it.

        The profile's source is added, the time is that of the restoring. The storage is written to directly: what stood
        there before may stand there again, whatever the limits say by now, and a damaged file can be replaced as well.
        Ask `Curator.objection` first; undoing is for the log.
        """
        if past.problem is not None or past.metadata is None:
            sentence = f"That version of {past.key} cannot be read as a memory file: {past.problem}."
            return Stopped(past.key, Problem("Not restored", sentence, "Choose another version."), None)
        metadata = replace(past.metadata, sources=past.metadata.sources | {self._source}, last_updated=self._clock())
        before = None if present is None else StoredObject(present.data, present.stored, present.version)
        after = State(past.data, {**past.stored, **metadata_to_map(metadata)})
        return log.make(f"Restored {past.key} as of version {past.version}", [Move(past.key, before, after)])


def memory_file(file: OpenFile) -> MemoryFile | None:
    """A version as a memory file, to be compared with another; `None` when it cannot be read as one."""
    if file.text is None or file.metadata is None or file.problem is not None:
        return None
    return MemoryFile(file.key, file.text, file.metadata, file.version)

"""What people may do to a file memory beyond what agents can: each change holds the same lock and is as safe.

A change of one memory takes the `version` of the row it was decided on, and is refused when anyone changed the memory
since. File memory, section 16.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from wenchang.filememory.changes import delete_memory, describe, edit_memory, rebuild_index, remove_companion
from wenchang.filememory.errors import FileChangedError, FileMemoryError
from wenchang.filememory.memories import memory_names, read_description
from wenchang.filememory.names import LegacyCompanions, checked_name, companion_of, folder_segments
from wenchang.filememory.staging import WritableFolder
from wenchang.filememory.survey import Mark, survey_folder, version_of
from wenchang.filememory.text import is_blank, quoted, well_formed
from wenchang.filememory.view import FolderView


class Curator(FolderView):
    """A view of `root` that can also change what lies there. All texts may hold anything; names are those of memories.

    Methods raise `FileChangedError` where a memory is not at `version` any more, and other `FileMemoryError`s.
    """

    def edit(self, name: str, content: str, version: str, folder: str = "") -> None:
        """Replace the content of a memory; its description and a byte-order mark stay."""
        with self._changing(folder) as work:
            _check_version(work, name, version)
            edit_memory(work, name, name, lambda _: well_formed(content))

    def describe(self, name: str, description: str, version: str, folder: str = "") -> None:
        """Replace the description of a memory; a blank one means none."""
        with self._changing(folder) as work:
            _check_version(work, name, version)
            describe(work, name, well_formed(description))
            rebuild_index(work)

    def delete(self, name: str, version: str, folder: str = "") -> None:
        """Delete a memory and its description."""
        with self._changing(folder) as work:
            _check_version(work, name, version)
            delete_memory(work, name)

    def rename(self, name: str, new_name: str, version: str, folder: str = "") -> None:
        """Give a memory another name, and its description with it. Another memory of that name is no target."""
        target = checked_name(well_formed(new_name))
        with self._changing(folder) as work:
            _check_version(work, name, version)
            _check_free(work, name, target)
            _rename(work, name, target)
            rebuild_index(work)

    def rebuild_index(self, folder: str = "") -> None:
        """Write the index anew from what is there."""
        with self._changing(folder) as work:
            rebuild_index(work)

    def migrate_descriptions(self, folder: str = "") -> tuple[str, ...]:
        """Move descriptions under older names to the names of today; the memories that it concerned."""
        with self._changing(folder) as work:
            moved = tuple(name for name in memory_names(work.directory) if _migrate(work, name))
            rebuild_index(work)
            return moved

    def remove_orphans(self, companions: Collection[str], folder: str = "") -> tuple[str, ...]:
        """Delete those of the descriptions that still describe no file; which they were."""
        with self._changing(folder) as work:
            orphans = [f.name for f in survey_folder(work.directory).findings if f.mark is Mark.ORPHAN_DESCRIPTION]
            return tuple(name for name in orphans if name in companions and work.remove(name))

    @contextmanager
    def _changing(self, folder: str) -> Iterator[WritableFolder]:
        with self._root.writing(folder_segments(folder), create=False) as work:
            if work is None:
                raise FileMemoryError(f"there is no folder {quoted(folder)}")
            yield work


def _check_version(work: WritableFolder, name: str, version: str) -> None:
    if checked_name(name) != name or version_of(work.directory, name) != version:
        raise FileChangedError(quoted(name))


def _check_free(work: WritableFolder, name: str, target: str) -> None:
    """Where letter case does not count, another spelling of a name is the same file, and no obstacle."""
    is_listed = any(entry.name == target for entry in work.directory.entries())
    if is_listed or (work.directory.entry(target) is not None and not _is_same_file(work, name, target)):
        raise FileMemoryError(f"there is already a file {quoted(target)}")


def _is_same_file(work: WritableFolder, name: str, other: str) -> bool:
    here, there = work.directory.entry(name), work.directory.entry(other)
    return here is not None and there is not None and os.path.samestat(here.status, there.status)


def _rename(work: WritableFolder, name: str, target: str) -> None:
    """The description goes first, so that an interruption leaves it twice rather than nowhere."""
    legacy = LegacyCompanions(memory_names(work.directory))
    describe(work, target, read_description(work.directory, name, legacy))
    work.rename(name, target)
    for companion in (companion_of(name), legacy.of(name)):
        if companion is not None and not _is_same_file(work, companion, companion_of(target)):
            remove_companion(work, companion)


def _migrate(work: WritableFolder, name: str) -> bool:
    legacy = LegacyCompanions(memory_names(work.directory))
    older = legacy.of(name)
    entry = None if older is None else work.directory.entry(older)
    if entry is None or not entry.is_file:
        return False
    description = read_description(work.directory, name, legacy)
    if is_blank(description):
        return False
    describe(work, name, description)
    return True

"""The changes that tools and people make to a working folder. Their caller holds the lock.

A memory comes first, then its description, then the index, so that what an interruption leaves is never a description
or an index line that is ahead of its memory. File memory, sections 3.3, 3.7 and 7.
"""

from collections.abc import Callable

from wenchang.filememory.directory import Directory
from wenchang.filememory.index import INDEX_CAP, render_index
from wenchang.filememory.memories import StoredText, list_memories, memory_names, read_memory
from wenchang.filememory.names import INDEX_NAME, LegacyCompanions, companion_of
from wenchang.filememory.staging import WritableFolder
from wenchang.filememory.text import is_blank


def write_memory(folder: WritableFolder, name: str, content: str, description: str) -> None:
    """Create or replace a memory; a blank description removes the one it had."""
    folder.write(name, content.encode())
    describe(folder, name, description)
    rebuild_index(folder)


def delete_memory(folder: WritableFolder, name: str) -> bool:
    """Delete a memory and its description, there or left over; whether there was a memory."""
    was_there = folder.remove(name)
    describe(folder, name, "")
    rebuild_index(folder)
    return was_there


def edit_memory(folder: WritableFolder, name: str, called: str, edit: Callable[[str], str]) -> bool:
    """Put `edit` of the text in place of it, and nothing else; whether there was a memory."""
    stored = read_memory(folder.directory, name, called)
    if stored is None:
        return False
    folder.write(name, StoredText(edit(stored.text), stored.has_mark).data)
    return True


def describe(folder: WritableFolder, name: str, description: str) -> None:
    """Give a memory this description and no other; a blank one means none."""
    companion = companion_of(name)
    if is_blank(description):
        remove_companion(folder, companion)
    else:
        folder.write(companion, description.encode())
    legacy = LegacyCompanions(memory_names(folder.directory)).of(name)
    if legacy is not None:
        remove_companion(folder, legacy)


def remove_companion(folder: WritableFolder, name: str) -> None:
    """Delete a file of ours. A link or a folder of that name describes nothing, and is someone else's."""
    entry = folder.directory.entry(name)
    if entry is not None and entry.is_file:
        folder.remove(name)


def rebuild_index(folder: WritableFolder) -> None:
    """Write the index anew from what is there."""
    folder.write(INDEX_NAME, fresh_index(folder.directory).encode())


def fresh_index(directory: Directory) -> str:
    """The index as it should be."""
    names = memory_names(directory)
    first = set(names[:INDEX_CAP])
    return render_index(list_memories(directory, names, first.__contains__))

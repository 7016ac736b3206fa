"""What a working folder holds, read without changing it: memories in order, their texts and their descriptions.

File memory, sections 3.3, 3.4 and 3.6.
"""

import codecs
import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from wenchang.filememory.directory import Directory
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.index import sort_key
from wenchang.filememory.names import LegacyCompanions, companion_of, is_memory_name
from wenchang.filememory.search import Pattern, search_text
from wenchang.filememory.text import quoted
from wenchang.filememory.values import FileMatch, ListEntry

log = logging.getLogger("wenchang.filememory")


@dataclass(frozen=True, slots=True)
class StoredText:
    """The text of a file, and whether another program put a byte-order mark in front of it."""

    text: str
    has_mark: bool = False

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return codecs.BOM_UTF8 * self.has_mark + self.text.encode()


def decode(data: bytes) -> StoredText | None:
    """The text of a file; `None` where it is not UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return StoredText(text.removeprefix("\ufeff"), has_mark=text.startswith("\ufeff"))


def read_memory(directory: Directory, name: str, called: str) -> StoredText | None:
    """The text of memory `name`, which the caller called `called`; `None` where there is none.

    Raises `FileMemoryError` where it is not UTF-8.
    """
    data = directory.read(name)
    if data is None:
        return None
    stored = decode(data)
    if stored is None:
        raise FileMemoryError(f"file {quoted(called)} is not UTF-8 text")
    return stored


def memory_names(directory: Directory) -> list[str]:
    """The names of all memories, in the order of listings."""
    return sorted((e.name for e in directory.entries() if e.is_file and is_memory_name(e.name)), key=sort_key)


def list_memories(directory: Directory, names: Collection[str], wanted: Callable[[str], bool]) -> list[ListEntry]:
    """The wanted ones of `names`, which are all memories of the folder, with their descriptions."""
    legacy = LegacyCompanions(names)
    return [ListEntry(n, description=read_description(directory, n, legacy)) for n in names if wanted(n)]


def read_description(directory: Directory, name: str, legacy: LegacyCompanions) -> str:
    """The description of a memory, empty where there is none that can be read."""
    own = companion_of(name)
    older = legacy.of(name)
    companion = older if older is not None and directory.entry(own) is None else own
    stored = _read_if_text(directory, companion)
    return "" if stored is None else stored.text


def search_memories(directory: Directory, pattern: Pattern, wanted: Callable[[str], bool]) -> Iterator[FileMatch]:
    """The memories in which `pattern` matches, in the order of listings. What cannot be read as text is passed over."""
    for name in memory_names(directory):
        stored = _read_if_text(directory, name) if wanted(name) else None
        found = None if stored is None else search_text(name, stored.text, pattern)
        if found is not None:
            yield found


def _read_if_text(directory: Directory, name: str) -> StoredText | None:
    """One bad file must not hide the others: it counts as absent."""
    try:
        data = directory.read(name)
    except OSError as error:
        log.warning("Passed over a file of the memory folder that cannot be read: %s", error)
        return None
    return None if data is None else decode(data)

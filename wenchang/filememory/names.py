"""Which names are names of memories, which belong to the system, and which folders an application may choose.

Everything here looks at text alone; whether something of that name exists is asked elsewhere. File memory, sections
3.2, 3.3 and 4.
"""

from collections import Counter
from collections.abc import Iterable

from wenchang._types import is_utf8
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.text import ascii_lowered, is_blank, quoted, well_formed

INDEX_NAME = "memories.md"
DESCRIPTION_SUFFIX = "_description.md"
STAGING_NAME = ".wenchang-staging"

_LONGEST_NAME = 255 - len(DESCRIPTION_SUFFIX)
_CONTROL_CHARACTERS = frozenset(map(chr, (*range(0x20), 0x7F, 0x85, 0x2028, 0x2029)))


def checked_name(raw: str) -> str:
    """The name of a memory file out of what an agent calls it. Raises `FileMemoryError` where it is none."""
    name = raw.replace("\\", "/").strip("/")
    if is_blank(raw) or not name:
        raise FileMemoryError("file_name must not be empty")
    if "/" in name:
        raise FileMemoryError(
            "memory files must not be written into a subdirectory; choose a flat file name without path separators"
        )
    is_invalid = name in (".", "..") or raw[0] in "/\\" or _has_drive(name) or not _CONTROL_CHARACTERS.isdisjoint(name)
    if is_invalid:
        raise _invalid_name(raw)
    if is_hidden(name):
        raise FileMemoryError("the provided file name is reserved by the system for internal use")
    if len(name.encode()) > _LONGEST_NAME:
        raise _invalid_name(raw)
    return name


def _invalid_name(raw: str) -> FileMemoryError:
    return FileMemoryError(f"invalid file_name {quoted(raw)}")


def _has_drive(path: str) -> bool:
    return path[:1].isascii() and path[:1].isalpha() and path[1:2] == ":"


def is_hidden(name: str) -> bool:
    """Whether a file of this name is the system's own: the index, a description, or the staging folder."""
    low = ascii_lowered(name)
    return low in (INDEX_NAME, STAGING_NAME) or low.endswith(DESCRIPTION_SUFFIX)


def is_description(name: str) -> bool:
    """Whether a file of this name holds the description of another."""
    return ascii_lowered(name).endswith(DESCRIPTION_SUFFIX)


def is_memory_name(name: str) -> bool:
    """Whether a file found under this name is a memory: a tool can address it by that very name."""
    try:
        return is_utf8(name) and checked_name(name) == name
    except FileMemoryError:
        return False


def companion_of(name: str) -> str:
    """The file that holds the description of memory `name`."""
    return name + DESCRIPTION_SUFFIX


class LegacyCompanions:
    """Who owns the descriptions that other implementations put in place of the extension. File memory, section 3.3.

    `memories` are the names of all memory files of one folder.
    """

    def __init__(self, memories: Iterable[str]) -> None:
        self._memories = frozenset(memories)
        self._stems = Counter(map(_stem, self._memories))

    def of(self, name: str) -> str | None:
        """The legacy companion of `name`, there or not; `None` where it would belong to another, or to no one alone."""
        stem = _stem(name)
        if stem == name or stem in self._memories or self._stems[stem] > (name in self._memories):
            return None
        return stem + DESCRIPTION_SUFFIX

    def is_ambiguous(self, companion: str) -> bool:
        """Whether several memories could own a companion of this name in the legacy way."""
        return self._stems[companion.removesuffix(DESCRIPTION_SUFFIX)] > 1


def _stem(name: str) -> str:
    """`name` without its extension; all of it where the only dot is the first character, or there is none."""
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name


def folder_segments(folder: str) -> tuple[str, ...]:
    """The folders from the root down to a working folder; none of them for a blank one.

    Raises `FileMemoryError` for a path that could leave the root or reach what is not the application's.
    """
    path = well_formed(folder).replace("\\", "/")
    if is_blank(path):
        return ()
    if path.startswith("/") or _has_drive(path):
        raise _invalid_folder(folder, "paths must be relative and must not start with '/', '\\\\', or a drive root")
    segments = tuple(segment for segment in path.split("/") if segment)
    if "." in segments or ".." in segments:
        raise _invalid_folder(folder, "paths must not contain '.' or '..' segments")
    if not _CONTROL_CHARACTERS.isdisjoint(path):
        raise _invalid_folder(folder, "paths must not contain control characters")
    if ascii_lowered(segments[0]) == STAGING_NAME:
        raise _invalid_folder(folder, "this folder is reserved by the system for internal use")
    return segments


def _invalid_folder(folder: str, why: str) -> FileMemoryError:
    return FileMemoryError(f"invalid path {quoted(folder)}: {why}")

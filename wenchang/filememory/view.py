"""A file memory as a person looks at it: working folders, files, searches. Never writes anything.

An agent has no use for this; it has the tools of the provider. File memory, section 16.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from wenchang.filememory.directory import Directory
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.memories import read_memory, search_memories
from wenchang.filememory.names import (
    INDEX_NAME,
    folder_segments,
    is_memory_name,
)
from wenchang.filememory.patterns import name_matcher
from wenchang.filememory.root import Root
from wenchang.filememory.search import compile_pattern
from wenchang.filememory.survey import Survey, survey_folder
from wenchang.filememory.text import quoted
from wenchang.filememory.values import FileMatch


class FolderView:
    """What lies under `root`, an existing folder. Raises `OSError` where it is none.

    `folder` is everywhere a working folder relative to the root. Methods raise `FileMemoryError`.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Root(Path(os.path.realpath(root)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; may be repeated."""
        self._root.close()

    def working_folders(self) -> tuple[str, ...]:
        """The root, which is `""`, and every folder below it that holds a memory or an index."""
        with self._root.reading(()) as root:
            return () if root is None else ("", *sorted(_working_folders(root, "")))

    def survey(self, folder: str = "") -> Survey:
        """Everything in a working folder; reads every file in it."""
        with self._reading(folder) as directory:
            return survey_folder(directory)

    def text(self, name: str, folder: str = "") -> str:
        """The text of a memory."""
        with self._reading(folder) as directory:
            stored = read_memory(directory, name, name) if is_memory_name(name) else None
        if stored is None:
            raise FileMemoryError(f"there is no memory {quoted(name)}")
        return stored.text

    def search(self, regex: str, glob: str = "", folder: str = "") -> tuple[FileMatch, ...]:
        """The memories with lines that match, as an agent's search finds them."""
        pattern, wanted = compile_pattern(regex), name_matcher(glob)
        with self._reading(folder) as directory:
            return tuple(search_memories(directory, pattern, wanted))

    @contextmanager
    def _reading(self, folder: str) -> Iterator[Directory]:
        with self._root.reading(folder_segments(folder)) as directory:
            if directory is None:
                raise FileMemoryError(f"there is no folder {quoted(folder)}")
            yield directory


def _working_folders(directory: Directory, above: str) -> Iterator[str]:
    for entry in directory.entries():
        if not entry.is_folder or not _may_be_chosen(above + entry.name):
            continue
        with suppress(OSError), ExitStack() as stack:  # one that cannot be read hides no other
            if (child := directory.child(entry.name)) is None:
                continue
            stack.enter_context(child)
            if any(e.is_file and (e.name == INDEX_NAME or is_memory_name(e.name)) for e in child.entries()):
                yield above + entry.name
            yield from _working_folders(child, f"{above}{entry.name}/")


def _may_be_chosen(folder: str) -> bool:
    try:
        return folder_segments(folder) == tuple(folder.split("/"))
    except FileMemoryError:
        return False

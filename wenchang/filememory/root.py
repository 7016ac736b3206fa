"""The root of a file memory: one handle for as long as it is open, folders below it, and one writer at a time.

The lock is on the root folder itself, as a lock file would show up as a memory in other programs. File memory, sections
3.8 and 11.
"""

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wenchang._types import type_name
from wenchang.filememory.directory import Directory, NotRegularError
from wenchang.filememory.errors import FileMemoryClosedError, FileMemoryError
from wenchang.filememory.locks import locked
from wenchang.filememory.staging import WritableFolder, sweep
from wenchang.filememory.text import quoted


class Root:
    """The folder at `path`, opened once; what happens to that path later does not redirect it.

    Raises `OSError` where it is no folder. Its methods raise `FileMemoryClosedError` once it is closed, and
    `FileMemoryError` for what the system refuses, also within a `with` of `reading` and `writing`.
    """

    def __init__(self, path: Path) -> None:
        self._handle = Directory.open(path)
        self._guard = threading.Lock()
        self._writer = threading.Lock()
        self._is_closed = False
        self._release = weakref.finalize(self, self._handle.close)

    def close(self) -> None:
        """Wait for the running change, then let go of the folder. May be repeated."""
        with self._writer, self._guard:
            self._is_closed = True
            self._release()

    def check_open(self) -> None:
        """Raise `FileMemoryClosedError` if it is not."""
        if self._is_closed:
            raise FileMemoryClosedError

    def opened(self) -> Directory:
        """A handle of the root of the caller's own, which outlives a `close` meanwhile."""
        with self._guard:
            self.check_open()
            return self._handle.again()

    @contextmanager
    def reading(self, segments: Sequence[str]) -> Iterator[Directory | None]:
        """The folder below the root; `None` where it is missing."""
        with _errors_as_text(), self.opened() as root, _walked(root, segments) as folder:
            yield folder

    def make(self, segments: Sequence[str]) -> None:
        """Make the folder below the root, level by level, where it is missing."""
        with _errors_as_text(), self.opened() as root, _walked(root, segments, create=True):
            pass

    @contextmanager
    def writing(self, segments: Sequence[str], *, create: bool) -> Iterator[WritableFolder | None]:
        """The folder below the root while no one else changes anything; `None` where it is missing.

        Raises `FileMemoryError` when another process does not let go within ten seconds.
        """
        with (
            _errors_as_text(),
            self._writer,
            self.opened() as root,
            locked(root.fd),
            _walked(root, segments, create=create) as folder,
        ):
            yield None if folder is None else WritableFolder(root, folder)

    def sweep(self) -> None:
        """Remove what writers left behind that died half-way, as far as the system lets us."""
        with suppress(OSError), self.opened() as root:
            sweep(root)


@contextmanager
def _errors_as_text() -> Iterator[None]:
    """What the system refuses, said without telling where the root is."""
    try:
        yield
    except NotRegularError as error:
        raise FileMemoryError(f"file {quoted(str(error.filename))} is not a regular file") from error
    except NotADirectoryError as error:
        raise FileMemoryError(f"{quoted(str(error.filename))} is not a folder") from error
    except OSError as error:
        raise FileMemoryError(f"the memory folder cannot be used: {error.strerror or type_name(error)}") from error


@contextmanager
def _walked(root: Directory, segments: Sequence[str], *, create: bool = False) -> Iterator[Directory | None]:
    """The folder reached by `segments`, one step at a time; only the last stays open."""
    folder: Directory | None = root.again()
    try:
        for segment in segments:
            if folder is None:
                break
            with folder as above:
                folder = None
                folder = above.made_child(segment) if create else above.child(segment)
        yield folder
    finally:
        if folder is not None:
            folder.close()

"""The root of a file memory: one handle for as long as it is open, one writer at a time, and files replaced whole.

The lock is on the root folder itself, and new contents are prepared in a folder of their own below it: anything else
would show up as a memory in other programs. File memory, sections 3.7, 3.8 and 11.
"""

import errno
import os
import secrets
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from wenchang._types import type_name
from wenchang.filememory.directory import CREATE, Directory, NotRegularError, write_all
from wenchang.filememory.errors import FileMemoryClosedError, FileMemoryError
from wenchang.filememory.names import STAGING_NAME
from wenchang.filememory.text import quoted

_LOCK_SECONDS = 10.0
_PAUSE = 0.001

if sys.platform == "win32":

    def _try_lock(_fd: int) -> bool:
        return True

    def _unlock(_fd: int) -> None:
        pass

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        """Whether the lock is ours. A file system that has no locks is no reason to refuse a write."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def _unlock(fd: int) -> None:
        # Said outright, not left to the closing: a forked child may hold a copy of the descriptor.
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)


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
    def writing(self, segments: Sequence[str], *, create: bool) -> Iterator["WritableFolder | None"]:
        """The folder below the root while no one else changes anything; `None` where it is missing.

        Raises `FileMemoryError` when another process does not let go within ten seconds.
        """
        with (
            _errors_as_text(),
            self._writer,
            self.opened() as root,
            _locked(root),
            _walked(root, segments, create=create) as folder,
        ):
            yield None if folder is None else WritableFolder(root, folder)

    def sweep(self) -> None:
        """Remove what writers left behind that died half-way. A living one holds the lock of its file."""
        with suppress(OSError), self.opened() as root, ExitStack() as stack:
            if (staging := root.child(STAGING_NAME)) is not None:
                stack.enter_context(staging)
                for entry in staging.entries():
                    if entry.is_file:
                        _remove_leftover(staging, entry.name)


class WritableFolder:
    """A working folder whose files can be changed: its caller holds the lock of the root."""

    def __init__(self, root: Directory, folder: Directory) -> None:
        self._root = root
        self.directory = folder

    def write(self, name: str, data: bytes) -> None:
        """Put `data` in place of the file `name`: the old content stands until the new one is safe on the disk."""
        existing = self.directory.file(name)
        mode = None if existing is None else existing.status.st_mode & 0o777
        with self._root.made_child(STAGING_NAME) as staging, _staged(staging, data, mode) as staged:
            try:
                self.directory.replace_from(staging, staged, name)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                self.directory.rewrite(name, data)
        self.directory.flush()

    def remove(self, name: str) -> bool:
        """Delete the file `name`; whether there was one."""
        removed = self.directory.remove(name)
        if removed:
            self.directory.flush()
        return removed

    def rename(self, name: str, new_name: str) -> None:
        """Give the file `name` another name, over what is there."""
        self.directory.rename(name, new_name)
        self.directory.flush()


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


@contextmanager
def _locked(root: Directory) -> Iterator[None]:
    if root.fd is None:
        yield
        return
    deadline = time.monotonic() + _LOCK_SECONDS
    while not _try_lock(root.fd):
        if time.monotonic() >= deadline:
            raise FileMemoryError(
                f"the lock on the memory folder was not free within {_LOCK_SECONDS:g} seconds: "
                "another process is writing; try again later"
            )
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _unlock(root.fd)


@contextmanager
def _staged(staging: Directory, data: bytes, mode: int | None) -> Iterator[str]:
    """A file with `data`, safe on the disk and locked while it is not yet in its place; gone afterwards."""
    fd, name = _new_staged_file(staging)
    try:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(fd, mode)
        write_all(fd, data)
        os.fsync(fd)
        if os.name == "nt":  # where an open file cannot be renamed
            os.close(fd)
            fd = -1
        yield name
    finally:
        with suppress(OSError):
            staging.remove(name)
        if fd >= 0:
            os.close(fd)


def _new_staged_file(staging: Directory) -> tuple[int, str]:
    while True:
        name = secrets.token_hex(8)
        fd = staging.open_file(name, CREATE)
        if _try_lock(fd) and os.fstat(fd).st_nlink:
            return fd, name
        os.close(fd)  # a provider that just opened took it for a leftover


def _remove_leftover(staging: Directory, name: str) -> None:
    with suppress(OSError):
        if os.name == "nt":  # where a file that someone has open cannot be removed
            staging.remove(name)
            return
        fd = staging.open_for_reading(name)
        try:
            if _try_lock(fd):
                staging.remove(name)
        finally:
            os.close(fd)

"""Files replaced whole: new contents are prepared in a folder of their own below the root, then moved into place.

Anything that lay beside the memories meanwhile would show up as a memory in other programs. File memory, section 3.7.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wenchang.filememory.directory import CREATE, READ, Directory, write_all
from wenchang.filememory.locks import try_lock
from wenchang.filememory.names import STAGING_NAME


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
        self.directory.replace_from(self.directory, name, new_name)
        self.directory.flush()


def sweep(root: Directory) -> None:
    """Remove what writers left behind that died half-way. A living one holds the lock of its file."""
    staging = root.child(STAGING_NAME)
    if staging is None:
        return
    with staging:
        for entry in staging.entries():
            if entry.is_file:
                _remove_leftover(staging, entry.name)


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
        if try_lock(fd) and os.fstat(fd).st_nlink:
            return fd, name
        os.close(fd)  # a provider that just opened took it for a leftover


def _remove_leftover(staging: Directory, name: str) -> None:
    with suppress(OSError):
        if os.name == "nt":  # where a file that someone has open cannot be removed
            staging.remove(name)
            return
        fd = staging.open_file(name, READ)
        try:
            if try_lock(fd):
                staging.remove(name)
        finally:
            os.close(fd)

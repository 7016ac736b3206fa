"""Files of one folder, read and written so that nothing foreign is followed and nothing is half done.

Reading never follows a link, never blocks on a pipe, and takes an absent file for an answer. Writing goes to a
temporary name first; flushing is the caller's choice.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from wenchang.storage._names import BODY, COMMIT, TEMPORARY

_READ = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | sum(getattr(os, flag, 0) for flag in ("O_CLOEXEC", "O_BINARY"))
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG)
_NO_REGULAR_FILE = (errno.ENXIO, errno.EOPNOTSUPP, errno.EAGAIN, errno.ESPIPE)  # but a socket, or a pipe
_ABSENT = (*_NO_FILE, *_NO_REGULAR_FILE)
_SMALL = 4096
_REPLACE_TRIES = 10
_LEFTOVER_AGE = 3600.0


class FoundFile(NamedTuple):
    """The bytes of a regular file and its modification time at the moment it was opened."""

    data: bytes
    mtime_ns: int


@contextmanager
def absent_is_fine() -> Iterator[None]:
    """Takes every way in which a file can be missing for an answer; any other error passes."""
    try:
        yield
    except OSError as error:
        _raise_unless_absent(error)


def read_file(path: str) -> FoundFile | None:
    """The regular file at `path`; `None` where there is none, or something else."""
    try:
        fd = os.open(path, _READ)
    except OSError as error:
        _raise_unless_absent(error)
        return None
    try:
        status = os.fstat(fd)
        is_regular = stat.S_ISREG(status.st_mode)
        return FoundFile(_read_all(fd, status.st_size), status.st_mtime_ns) if is_regular else None
    finally:
        os.close(fd)


@contextmanager
def open_folder(path: str) -> Iterator[tuple[int | None, str] | None]:
    """Hold a folder open, to find many files in it without going all the way to it each time.

    Gives what `read_bytes` and `stat_file` take as `folder`, and what the path of a file then starts with. Where the
    system knows no such thing, those are `None` and the whole path; `None` where there is no folder, or a link to one.
    """
    if os.open not in os.supports_dir_fd:
        yield None, f"{path}{os.sep}"
        return
    try:
        fd = os.open(path, _READ | os.O_DIRECTORY)
    except OSError as error:
        _raise_unless_absent(error)
        yield None
        return
    try:
        yield fd, ""
    except OSError as error:
        if isinstance(error.filename, str):  # which the system knows by its name alone
            error.filename = os.path.join(path, error.filename)
        raise
    finally:
        os.close(fd)


def read_bytes(path: str, folder: int | None = None) -> bytes | None:
    """The bytes of a small file at `path`; `None` where there is none, or a folder, a pipe or a socket."""
    try:
        fd = os.open(path, _READ, dir_fd=folder)
        try:
            data = os.read(fd, _SMALL)
            if not data and not stat.S_ISREG(os.fstat(fd).st_mode):
                return None
            return data if len(data) < _SMALL else data + _read_all(fd, _SMALL)
        finally:
            os.close(fd)
    except OSError as error:
        _raise_unless_absent(error)
    return None


def request_file(path: str, folder: int | None = None) -> None:
    """Have the system fetch a file that is to be read soon, where it can be asked for that; do not wait for it."""
    if not hasattr(os, "posix_fadvise"):
        return
    with suppress(OSError):  # whoever reads it meets the error
        fd = os.open(path, _READ, dir_fd=folder)
        try:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_WILLNEED)
        finally:
            os.close(fd)


def _raise_unless_absent(error: OSError) -> None:
    if error.errno not in _ABSENT:
        raise error


def _read_all(fd: int, expected: int) -> bytes:
    data = os.read(fd, expected + 1)
    while len(data) > expected:  # it grew meanwhile
        expected = 2 * len(data)
        data += os.read(fd, expected + 1 - len(data))
    return data


def stat_file(path: str, folder: int | None = None) -> os.stat_result | None:
    """The state of the regular file at `path`; `None` where there is none, or something else."""
    try:
        status = os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        _raise_unless_absent(error)
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def is_real_folder(path: str) -> bool:
    """Whether `path` is a folder itself, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError as error:
        _raise_unless_absent(error)
        return False


def write_temporary(folder: str, data: bytes, mode: int, *, durable: bool, stamped: bool = False) -> tuple[str, int]:
    """Write `data` under a temporary name in `folder`; return its path and modification time in nanoseconds.

    `stamped` gives it a modification time of its own, which tells it from any edit within the same clock tick.
    """
    path = os.path.join(folder, TEMPORARY + os.urandom(8).hex())
    fd = os.open(path, _CREATE, 0o600)
    try:
        if mode != 0o600:
            os.chmod(path, mode)
        _write_all(fd, data)
        if stamped:
            now = time.time_ns() - int.from_bytes(os.urandom(4)) % 1_000_000
            os.utime(path, ns=(now, now))
        if durable:
            os.fsync(fd)
        mtime_ns = os.fstat(fd).st_mtime_ns
    except BaseException:
        os.close(fd)
        discard(path)
        raise
    os.close(fd)
    return path, mtime_ns


def _write_all(fd: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def replace(source: str, target: str) -> None:
    """Rename over `target`. On Windows, waits a moment for a reader to let go."""
    for _ in range(_REPLACE_TRIES if os.name == "nt" else 0):
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(0.02)
        else:
            return
    os.replace(source, target)


def discard(path: str) -> None:
    """Remove a file of ours, if it is still there and the system lets us."""
    with suppress(OSError):
        os.unlink(path)


def flush_folder(path: str) -> None:
    """Make the renames in a folder last. Windows knows no such thing."""
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: str, *, durable: bool) -> None:
    """Make a folder and those above it, 0700 less the umask."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    make_folder(parent, durable=durable)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
        if durable:
            flush_folder(parent)


def sweep_leftovers(folder: str) -> None:
    """Remove the temporary files of dead writers: those that nobody has touched for an hour."""
    with absent_is_fine(), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(TEMPORARY):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFTOVER_AGE:
                        os.unlink(entry.path)


def remove_folder(path: str) -> bool:
    """Remove a folder if nothing stands in it; whether it went."""
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def clear_folder(path: str) -> bool:
    """Remove a folder in which nothing stands but what dead writers left; whether it went. For who holds its lock."""
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if not _is_leftover(entry.path, entry.name):
                return False
            os.unlink(entry.path)
    return remove_folder(path)


def _is_leftover(path: str, name: str) -> bool:
    """Whether a file is a temporary one, or announces a body that never came."""
    if name.endswith(COMMIT):
        return not os.path.lexists(path.removesuffix(COMMIT) + BODY)
    return name.startswith(TEMPORARY)

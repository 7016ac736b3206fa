"""One writer at a time among all threads and processes that share a folder: an advisory lock on a file.

The operating system drops the lock of a process that dies, so a stale lock file blocks nobody. Whoever holds a lock may
remove its file: a waiter that then gets the lock of a file that is gone notices, and takes the new one.
"""

import os
import sys
import time

from wenchang.errors import BackendUnavailableError, TransientReason

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_SHORTEST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.01

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(fd: int) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(fd: int) -> None:
        # Said outright, not left to the closing: a forked child may hold a copy of the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)


class LockTimeoutError(BackendUnavailableError):
    """Another writer held a lock for too long. `lock` is the path of the lock file; the message does not tell it."""

    def __init__(self, lock: str, seconds: float) -> None:
        super().__init__(
            TransientReason.TIMEOUT,
            f"The write lock (the %lock file beside the entity's folder) was not free within {seconds:g} seconds: "
            "another process is writing.",
        )
        self.lock = lock


def acquire(path: str, timeout: float) -> int:
    """Take the lock file at `path`, made where it is missing, its folder excepted; return what `release` wants.

    Raises `LockTimeoutError` when it is not free within `timeout` seconds, `FileNotFoundError` when its folder is gone.
    """
    deadline = time.monotonic() + timeout
    while True:
        fd = os.open(path, _FLAGS, 0o600)
        try:
            _wait(fd, path, deadline, timeout)
            if _is_file_at(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def release(fd: int) -> None:
    """Let go of what `acquire` took."""
    try:
        _unlock(fd)
    finally:
        os.close(fd)


def _wait(fd: int, path: str, deadline: float, timeout: float) -> None:
    pause = _SHORTEST_PAUSE
    while not _try_lock(fd):
        if time.monotonic() >= deadline:
            raise LockTimeoutError(path, timeout)
        time.sleep(pause * (1 - os.urandom(1)[0] / 512))  # between half of it and all
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_file_at(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False

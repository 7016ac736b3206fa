"""Advisory locks on open folders and files. The system drops those of a process that dies, so none is ever stale.

Where there are none (Windows, some network folders) everything counts as free: nothing is refused for that. Of two
processes that write at once there, the last one wins.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wenchang.filememory.errors import FileMemoryError

_LOCK_SECONDS = 10.0
_PAUSE = 0.001

if sys.platform == "win32":

    def try_lock(_fd: int) -> bool:
        """Nothing to take."""
        return True

    def _unlock(_fd: int) -> None:
        """Nothing to let go."""

else:
    import fcntl

    def try_lock(fd: int) -> bool:
        """Take the lock if it is free, until `fd` is closed; whether it is ours, or there are no locks here."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return not isinstance(error, BlockingIOError)
        return True

    def _unlock(fd: int) -> None:
        # Said outright, not left to the closing: a forked child may hold a copy of the descriptor.
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def locked(fd: int | None) -> Iterator[None]:
    """Hold the lock of the memory folder that `fd` is; of none where the system has no such descriptors."""
    if fd is None:
        yield
        return
    deadline = time.monotonic() + _LOCK_SECONDS
    while not try_lock(fd):
        if time.monotonic() >= deadline:
            raise FileMemoryError(
                f"the lock on the memory folder was not free within {_LOCK_SECONDS:g} seconds: "
                "another process is writing; try again later"
            )
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        _unlock(fd)

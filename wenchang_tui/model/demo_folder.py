"""The temporary folder of a demo: it goes when its process ends, or, when that was killed, as the next demo begins."""

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = "wenchang-demo-"
_OWNER = "owner"
"""A file that stays locked for as long as the process lives whose demo it is; one that is to be kept has none."""


def new_demo_folder(*, keep: bool) -> Path:
    """A folder for a demo, its user's alone, which goes when the process ends unless `keep`. Raises `OSError`."""
    _clear_away_stale()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    if not keep:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _own(folder)
    return folder


def _own(folder: Path) -> None:
    """Lock a file in the folder until this process ends, however it does."""
    coming = folder / f"{_OWNER}.new"
    with suppress(OSError):  # where nothing can be locked, nothing is cleared away
        descriptor = os.open(coming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        coming.rename(folder / _OWNER)  # so that nobody sees it unlocked


def _clear_away_stale() -> None:
    """Remove what demos left behind whose process was killed."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if _is_stale(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_stale(folder: Path) -> bool:
    """Whether it is a folder of this user, no link to one, whose owner is gone."""
    try:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return False
        descriptor = os.open(folder / _OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True

"""One folder held open, and its entries reached through the handle, so that no link is followed on the way.

A name never leads out of the folder, whatever happens to the paths above it meanwhile. Systems that cannot open
relative to a folder (Windows) get a weaker form: each entry is looked at before it is opened by its path. What the
files mean is not known here. File memory, section 3.8.
"""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

RELATIVE_OPENS = {os.open, os.stat, os.unlink, os.mkdir, os.rename} <= os.supports_dir_fd and {
    os.scandir
} <= os.supports_fd
"""Whether this system opens entries relative to an open folder."""

_COMMON = sum(getattr(os, flag, 0) for flag in ("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"))
_FOLDER = os.O_RDONLY | _COMMON | getattr(os, "O_DIRECTORY", 0)
READ = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
_WRITE = os.O_WRONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON


class NotRegularError(OSError):
    """A link, a folder or a special file stands where a plain file or folder is wanted."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.EINVAL, "not a regular file", name)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it lies there, links not followed."""

    name: str
    status: os.stat_result

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder itself."""
        return stat.S_ISDIR(self.status.st_mode)


class Directory:
    """An open folder. Whoever opens one closes it, best with `with`."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self._path = path
        self._fd = fd

    @classmethod
    def open(cls, path: Path) -> Self:
        """The folder at `path`. Raises `OSError` where there is none."""
        if RELATIVE_OPENS:
            return cls(path, os.open(path, _FOLDER))
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        return cls(path, None)

    def close(self) -> None:
        """Let go of the folder, once."""
        if self._fd is not None:
            os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def fd(self) -> int | None:
        """The descriptor, where the system has such."""
        return self._fd

    def again(self) -> "Directory":
        """The same folder opened once more, independent of this handle."""
        return Directory(self._path, None if self._fd is None else os.open(".", _FOLDER, dir_fd=self._fd))

    def child(self, name: str) -> "Directory | None":
        """The folder `name`, `None` where nothing is; `NotADirectoryError` for a link or a file."""
        entry = self.entry(name)
        if entry is None:
            return None
        if not entry.is_folder:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        path = self._path / name
        with suppress(FileNotFoundError):
            return Directory(path, None if self._fd is None else os.open(name, _FOLDER, dir_fd=self._fd))
        return None

    def made_child(self, name: str) -> "Directory":
        """The folder `name`, made with mode 0700 less the umask where it is missing."""
        while (child := self.child(name)) is None:
            with suppress(FileExistsError):
                self._call(os.mkdir, name, 0o700)
                self.flush()
        return child

    def entries(self) -> list[Entry]:
        """Everything in the folder, in no order."""
        found = []
        with os.scandir(self._path if self._fd is None else self._fd) as rows:
            for row in rows:
                with suppress(FileNotFoundError):
                    found.append(Entry(row.name, row.stat(follow_symlinks=False)))
        return found

    def entry(self, name: str) -> Entry | None:
        """What stands under `name`; `None` for nothing."""
        with suppress(FileNotFoundError):
            return Entry(name, self._call(os.stat, name, follow_symlinks=False))
        return None

    def file(self, name: str) -> Entry | None:
        """The regular file `name`; `None` for nothing, `NotRegularError` for anything else."""
        entry = self.entry(name)
        if entry is not None and not entry.is_file:
            raise NotRegularError(name)
        return entry

    def read(self, name: str) -> bytes | None:
        """The bytes of the regular file `name`; as `file` where there is none."""
        if self.file(name) is None:
            return None
        try:
            fd = self.open_file(name, READ)
        except FileNotFoundError:
            return None
        with os.fdopen(fd, "rb") as opened:
            return opened.read()

    def open_file(self, name: str, flags: int) -> int:
        """A descriptor of the regular file `name`. No link is followed, and nothing waits for a pipe's other end."""
        try:
            fd: int = self._call(os.open, name, flags, 0o600)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
                raise NotRegularError(name) from error
            raise
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise NotRegularError(name)
        return fd

    def rewrite(self, name: str, data: bytes) -> None:
        """Write the file in place, which a crash can leave half done: for where it cannot be replaced as a whole."""
        fd = self.open_file(name, _WRITE | os.O_CREAT)
        try:
            write_all(fd, data)
            os.ftruncate(fd, len(data))
            os.fsync(fd)
        finally:
            os.close(fd)

    def replace_from(self, source: "Directory", staged: str, name: str) -> None:
        """Move the file `staged` out of `source` to `name`, over what is there."""
        if self._fd is not None and source._fd is not None:
            os.replace(staged, name, src_dir_fd=source._fd, dst_dir_fd=self._fd)
        else:
            (source._path / staged).replace(self._path / name)

    def remove(self, name: str) -> bool:
        """Delete the regular file `name`; whether there was one. `NotRegularError` for anything else."""
        if self.file(name) is None:
            return False
        try:
            self._call(os.unlink, name)
        except FileNotFoundError:
            return False
        return True

    def flush(self) -> None:
        """Make changes to the entries last, where the system knows how."""
        if self._fd is not None:
            os.fsync(self._fd)

    def _call(self, function: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        """`function` on the entry `name`, relative to the open folder where that is possible."""
        if self._fd is None:
            return function(self._path / name, *args, **kwargs)
        return function(name, *args, dir_fd=self._fd, **kwargs)


def write_all(fd: int, data: bytes) -> None:
    """All of `data` to a descriptor, which may take it in parts."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]

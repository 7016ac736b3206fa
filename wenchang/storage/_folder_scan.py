"""What one folder of a store holds, in key order; scanned again only when the folder changed.

A folder's own modification time tells: every write of a storage renames or removes something in it. A time so recent
that a second change could fall on the same clock tick is not trusted.
"""

import os
import stat
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

from wenchang.storage._files import absent_is_fine, is_real_folder
from wenchang.storage._names import BODY, SUFFIXES, decode_segments

_TICK_NS = 50_000_000
_COARSE_TICK_NS = 2_500_000_000  # for file systems that keep whole seconds, or every other one
_KEPT_FOLDERS = 512


@dataclass(frozen=True, slots=True)
class FolderScan:
    """The bodies and folders in a folder.

    `texts` are their segments, ascending, a folder's with the slash that follows it in a key: so their order is that of
    the keys below them. `names` are the same on disk, a body's without its suffix; `folders` are the places of folders
    among them.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]
    folders: tuple[int, ...]

    @property
    def folder_names(self) -> list[str]:
        """The folders, as they are called on disk."""
        return [self.names[place] for place in self.folders]

    def starting_with(self, prefix: str, after: str | None) -> range:
        """The places of what starts with `prefix` and can hold a key greater than `after`."""
        first = bisect_left(self.texts, prefix)
        end = bisect_left(self.texts, True, first, key=lambda text: not text.startswith(prefix))
        if after is not None:
            first = max(first, self._first_after(after))
        return range(first, end)

    def _first_after(self, after: str) -> int:
        position = bisect_right(self.texts, after)
        before = self.texts[position - 1] if position else ""
        return position - 1 if before.endswith("/") and after.startswith(before) else position


NOTHING = FolderScan((), (), ())


@dataclass(frozen=True, slots=True)
class FolderState:
    """Which state a folder is in: two equal ones hold the same files, if `is_settled`."""

    path: str
    inode: int
    mtime_ns: int
    is_settled: bool


def folder_state(path: str) -> FolderState | None:
    """The present state of the folder at `path`; `None` where there is none, or a link to one."""
    now = time.time_ns()
    with absent_is_fine():
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            tick = _TICK_NS if status.st_mtime_ns % 1_000_000 else _COARSE_TICK_NS
            return FolderState(path, status.st_ino, status.st_mtime_ns, now - status.st_mtime_ns > tick)
    return None


def scan_folder(path: str) -> FolderScan:
    """What the folder at `path` holds; nothing where there is no folder. Raises `OSError` where it may not be read."""
    # The state is taken before the scan: a change between the two leaves a scan that no later state asks for.
    state = folder_state(path)
    if state is None:
        return NOTHING
    return _kept_scan(state) if state.is_settled else _scan(state)


def tree_state(path: str) -> tuple[FolderState | str, ...] | None:
    """The states of a folder and of all below it; `None` where one of them is too recent to be trusted."""
    states: list[FolderState | str] = []
    pending = [path]
    while pending:
        path = pending.pop()
        state = folder_state(path)
        if state is None:
            states.append(path)
        elif state.is_settled:
            states.append(state)
            pending += [f"{path}{os.sep}{name}" for name in _kept_scan(state).folder_names]
        else:
            return None
    return tuple(states)


def _scan(state: FolderState) -> FolderScan:
    files: list[str] = []
    with absent_is_fine():
        files = os.listdir(state.path)
    names = decode_segments([name[: -len(BODY)] for name in files if name.endswith(BODY)])
    folders = decode_segments([name for name in files if not name.endswith(SUFFIXES) and _is_folder(state.path, name)])
    names |= {f"{segment}/": name for segment, name in folders.items()}
    texts = tuple(sorted(names))
    places = (bisect_left(texts, f"{segment}/") for segment in folders)
    return FolderScan(texts, tuple(map(names.__getitem__, texts)), tuple(sorted(places)))


def _is_folder(path: str, name: str) -> bool:
    return is_real_folder(f"{path}{os.sep}{name}")


_kept_scan = lru_cache(_KEPT_FOLDERS)(_scan)

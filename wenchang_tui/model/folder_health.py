"""What lies in a store's folder beside its objects: halves of objects, leftovers of dead writers, sync copies.

A storage passes all of it over, so it breaks little; but a person who looks into the folder should know what it is.
Files that have nothing to do with a store are left unsaid.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wenchang.storage._names import BODY, COMMIT, LOCK, SIDECAR, TEMPORARY, key_of_parts
from wenchang_tui.model.findings import Finding, Kind, Severity
from wenchang_tui.model.object_health import SYNC_CONFLICT

_LEFTOVER_SECONDS = 3600.0
_OURS = (BODY, SIDECAR, COMMIT)


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of the folder, and the key it belongs to, if any."""

    parts: tuple[str, ...]
    key: str | None

    @property
    def name(self) -> str:
        """The last part."""
        return self.parts[-1]

    def path(self, root: Path) -> Path:
        """Where it lies."""
        return root.joinpath(*self.parts)


def check_folder(root: Path) -> Iterator[Finding]:
    """What lies beside the objects of the store at `root`, folder by folder."""
    for file in _files(root):
        if finding := _check(root, file):
            yield finding


def _files(root: Path) -> Iterator[FolderFile]:
    """The regular files below `root` that bear a mark of ours; no link is followed."""
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        above = Path(folder).relative_to(root).parts
        for name in sorted(names):
            if "%" in name and not name.endswith(LOCK):
                yield FolderFile((*above, name), key_of_parts((*above, name)))


def _check(root: Path, file: FolderFile) -> Finding | None:
    stem, suffix = file.name.rpartition("%")[0], file.name[file.name.rindex("%") :]
    siblings = {other for other in _OURS if os.path.lexists(file.path(root).with_name(stem + other))}
    if _is_sync_copy(file):
        # A copy of both halves is an object of its own, and found as one.
        is_object = file.key is not None and BODY in siblings and len(siblings) > 1
        return None if is_object else _found(Kind.SYNC_CONFLICT, Severity.WARNING, file, *_SYNC_COPY)
    if file.name.startswith(TEMPORARY):
        return _found(Kind.LEFTOVER, Severity.NOTE, file, *_TEMPORARY) if _is_old(file.path(root)) else None
    if file.key is None:
        return _found(Kind.LEFTOVER, Severity.NOTE, file, *_FOREIGN) if file.name.endswith(_OURS) else None
    if suffix == BODY and siblings == {BODY}:
        return _found(Kind.LONE_BODY, Severity.WARNING, file, *_LONE_BODY)
    if suffix == SIDECAR and siblings == {SIDECAR}:
        return _found(Kind.LEFTOVER, Severity.NOTE, file, *_LONE_SIDECAR)
    if suffix == COMMIT and _is_old(file.path(root)):
        return _found(Kind.LEFTOVER, Severity.NOTE, file, *_COMMIT_RECORD)
    return None


_SYNC_COPY = (
    "a copy that a sync program left after two machines changed one file",
    "nothing: no agent sees it; but it may hold what the file itself lacks",
    "take over what it alone holds, then remove it",
)
_TEMPORARY = (
    "a temporary file of a writer that is gone",
    "nothing: no agent sees it",
    "remove it",
)
_FOREIGN = (
    "no key is spelled as this file is named",
    "nothing: no agent sees it",
    "rename or remove it",
)
_LONE_BODY = (
    "a body without its sidecar",
    "no agent sees the file: without metadata and version it is no object",
    "give it metadata, so that it becomes a file again, or remove it",
)
_LONE_SIDECAR = (
    "a sidecar without its body",
    "nothing: no agent sees it",
    "remove it",
)
_COMMIT_RECORD = (
    "the record of a write that was cut off",
    "nothing: readers know which of the two versions counts",
    "write the object again as it reads, which settles it",
)


def _found(kind: Kind, severity: Severity, file: FolderFile, detail: str, breaks: str, repair: str) -> Finding:
    return Finding(kind, severity, "/".join(file.parts), detail, breaks, repair)


def _is_sync_copy(file: FolderFile) -> bool:
    """A conflict mark anywhere, or something behind the suffix, as in `n.md%obj (1)`."""
    is_marked = any(suffix in file.name for suffix in (BODY, SIDECAR))
    return is_marked and (bool(SYNC_CONFLICT.search(file.name)) or not file.name.endswith(_OURS))


def _is_old(path: Path) -> bool:
    """Whether no living writer can still be at it. A file that is gone is not."""
    with suppress(OSError):
        status = path.lstat()
        return stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > _LEFTOVER_SECONDS
    return False

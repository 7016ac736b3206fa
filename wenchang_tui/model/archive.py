"""An entity in one zip file: a member for each object, and a manifest of what they were. Here it is written.

A member is named by the key of its object wherever a zip file can hold that name and any program can safely unpack it;
otherwise by a number, and the manifest tells which. `manifest.jsonl` comes last, with a line for each object: `key`,
`metadata`, `version`, `size` in bytes, `sha256` of the body, and `member` where that is not the key. An entity that has
not changed gives the same bytes again.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wenchang.core import ExportedObject
from wenchang.paths import is_valid_segment
from wenchang_tui.model.problems import OpenError, Problem

MANIFEST = "manifest.jsonl"

_LONGEST_NAME = 65_535
_PRIVATE_FILE = 0o100600


class ArchiveError(OpenError):
    """An archive cannot be written, or not be believed; `problem` says why and what to do."""


@dataclass(frozen=True, slots=True)
class Totals:
    """How many objects, and the bytes of their bodies."""

    objects: int
    bytes: int


def write_archive(file: BinaryIO, objects: Iterable[ExportedObject]) -> Totals:
    """Write objects to an archive in `file` as they come, holding one body at a time."""
    lines, size = [], 0
    with zipfile.ZipFile(file, "w") as archive:
        for number, found in enumerate(objects, 1):
            member = found.key if _is_safe_name(found.key) else f"object-{number:06}"
            archive.writestr(_header(member), found.data)
            lines.append(_manifest_line(found, member))
            size += len(found.data)
        archive.writestr(_header(MANIFEST), b"".join(lines))
    return Totals(len(lines), size)


def _is_safe_name(key: str) -> bool:
    """Whether a zip file gives `key` back as it is, and no program that unpacks it is led astray."""
    try:
        return len(key.encode()) <= _LONGEST_NAME and all(map(is_valid_segment, key.split("/")))
    except UnicodeEncodeError:
        return False


def _header(member: str) -> zipfile.ZipInfo:
    header = zipfile.ZipInfo(member)
    header.compress_type = zipfile.ZIP_DEFLATED
    header.external_attr = _PRIVATE_FILE << 16
    return header


def _manifest_line(found: ExportedObject, member: str) -> bytes:
    record: dict[str, object] = {
        "key": found.key,
        "metadata": dict(found.metadata),
        "version": found.version,
        "size": len(found.data),
        "sha256": hashlib.sha256(found.data).hexdigest(),
    }
    if member != found.key:
        record["member"] = member
    line = json.dumps(record)
    if json.loads(line) != record:  # two surrogates side by side, whose escapes would be read as one character
        line = json.dumps(record, ensure_ascii=False)
    return line.encode("utf-8", "surrogatepass") + b"\n"


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file that stands at `path` once the block has ended well, and never in part. For the eyes of its owner only.

    Raises `ArchiveError` when something stands there, be it at the end; `force` replaces a file. Raises `OSError`.
    """
    _check_place(path, force=force)
    with _named(path):
        descriptor, name = tempfile.mkstemp(prefix=".wenchang-", suffix=".part", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _check_place(path, force=force)
        with _named(path):
            unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _check_place(path: Path, *, force: bool) -> None:
    if not path.parent.is_dir():
        raise ArchiveError(Problem("Not found", f"there is no folder {path.parent}.", "Make it, or name another file."))
    if path.exists() and not path.is_file():
        raise ArchiveError(Problem("Not a file", f"{path} is no ordinary file.", "Name another file."))
    if os.path.lexists(path) and not force:
        raise ArchiveError(
            Problem("Already there", f"{path} exists.", "Name another file, or replace it with --force.")
        )


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let an error of the operating system name the file that is asked for, not the one on the way to it."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise

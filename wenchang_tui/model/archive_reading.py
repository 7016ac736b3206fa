"""Reading the zip file of an entity (`wenchang_tui.model.archive`), wherever it comes from.

Keys are taken from the manifest and members are looked up, never unpacked to disk. Nothing is read beyond the sizes
that were announced, and no announcement is believed before the hash is right.
"""

import errno
import hashlib
import json
import struct
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wenchang.paths import is_valid_segment
from wenchang_tui.model.archive import MANIFEST, ArchiveError, Totals
from wenchang_tui.model.problems import Problem

_LARGEST_MANIFEST = 64 * 1024 * 1024
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without bound
_ENCRYPTED = 0x1
# What `zipfile` and `json` raise when they meet nonsense.
_NONSENSE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
    LookupError,
)


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """One line of a manifest. `size` in bytes, `sha256` in hexadecimal; `member` is where the body lies."""

    key: str
    metadata: Mapping[str, str]
    version: str
    size: int
    sha256: str
    member: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive announces: at least one object, all of one entity, each key once."""

    scope: str
    entity: str
    objects: tuple[ArchivedObject, ...]

    @property
    def totals(self) -> Totals:
        """How much that is."""
        return Totals(len(self.objects), sum(found.size for found in self.objects))


class Archive:
    """An archive that is open for reading, by any number of threads."""

    def __init__(self, name: str, archive: zipfile.ZipFile, largest: int) -> None:
        self._name = name
        self._zip = archive
        self._lock = threading.Lock()
        self.contents = self._contents()
        for found in self.contents.objects:
            if found.size > largest:
                raise _too_large(f"{name}: {found.key}", found.size, largest)

    def read(self, found: ArchivedObject) -> bytes:
        """The body of an object. Raises `ArchiveError` unless it is the one that was announced."""
        data = self._read(found.member, found.size)
        if len(data) != found.size or hashlib.sha256(data).hexdigest() != found.sha256:
            raise _damaged(self._name, f"the body of {found.key} is not the one that was exported")
        return data

    def _contents(self) -> Contents:
        data = self._read(MANIFEST, _LARGEST_MANIFEST)
        if len(data) > _LARGEST_MANIFEST:
            raise _too_large(f"{self._name}: {MANIFEST}", len(data), _LARGEST_MANIFEST)
        with _nonsense_is_damage(self._name, MANIFEST):
            return _parse_manifest(data)

    def _read(self, member: str, limit: int) -> bytes:
        """The start of a member: one byte more than `limit` at most."""
        with self._lock, _nonsense_is_damage(self._name, member):
            header = self._zip.getinfo(member)
            if header.compress_type not in _BOUNDED or header.flag_bits & _ENCRYPTED:
                raise ValueError("encrypted, or compressed in a way that is not used here")
            with self._zip.open(header) as body:
                return body.read(limit + 1)


@contextmanager
def open_archive(path: Path, largest: int) -> Iterator[Archive]:
    """The archive at `path`, no object of which may be larger than `largest` bytes.

    Raises `ArchiveError` for what is none, `OSError` for what cannot be read.
    """
    with path.open("rb") as file:
        with _nonsense_is_damage(str(path), "it is no zip file, or cut short"):
            archive = zipfile.ZipFile(file)
        with archive:
            yield Archive(str(path), archive, largest)


def _parse_manifest(data: bytes) -> Contents:
    """Raises `ValueError`, or another of `_NONSENSE`, for what is no manifest."""
    objects = [_parse_line(line) for line in data.split(b"\n") if line]
    if not objects:
        raise ValueError("it names no objects")
    keys = {found.key for found in objects}
    if len(keys) < len(objects):
        raise ValueError("it names an object twice")
    scope, entity, _ = objects[0].key.split("/", 2)
    if not (is_valid_segment(scope) and is_valid_segment(entity)):
        raise ValueError(f"{objects[0].key} is no key of an entity")
    strangers = [key for key in keys if not key.startswith(f"{scope}/{entity}/")]
    if strangers:
        raise ValueError(f"{min(strangers)} is not of {scope}/{entity}")
    return Contents(scope, entity, tuple(objects))


def _parse_line(line: bytes) -> ArchivedObject:
    record = json.loads(line)
    key, metadata, size = record["key"], record["metadata"], record["size"]
    version, sha256, member = record["version"], record["sha256"], record.get("member", key)
    texts = [key, version, sha256, member, *metadata.keys(), *metadata.values()]
    if not all(type(text) is str for text in texts) or type(size) is not int or size < 0:
        raise ValueError("a line of it is of another form")
    return ArchivedObject(key, metadata, version, size, sha256, member)


@contextmanager
def _nonsense_is_damage(name: str, what: str) -> Iterator[None]:
    try:
        yield
    except ArchiveError:
        raise
    except (*_NONSENSE, AttributeError, TypeError) as error:
        raise _damaged(name, f"{what} cannot be read ({error})") from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise _damaged(name, f"{what} cannot be read (it lies outside the file)") from error


def _damaged(name: str, detail: str) -> ArchiveError:
    return ArchiveError(Problem("Damaged archive", f"{name}: {detail}.", "Nothing was restored; find another copy."))


def _too_large(what: str, size: int, largest: int) -> ArchiveError:
    sentence = f"{what} is {size:,} bytes or more, and {largest:,} are the most that is restored."
    return ArchiveError(Problem("Too large", sentence, "Where that is right, raise max_file_bytes in a profile."))

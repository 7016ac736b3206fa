"""A storage in a local folder, for real use on a developer's machine by any number of threads and processes.

**At rest** an object is two files: `{key}%obj`, the body byte for byte, and `{key}%meta`, its sidecar (`_sidecar`),
with each segment of the key spelled as `_names` says. Either alone is no object.

**A write is one commit.** Body and new sidecar are written to temporary names and flushed. The sidecar is then renamed
to the commit record `{key}%next`, the body to `{key}%obj`, and the record to `{key}%meta`; the folder is flushed. The
rename of the body is the moment of commit: before it the old body stands beside a record that announces another, which
every reader passes over; after it the record is the sidecar of the body in place, whatever `%meta` still says. So a
process killed anywhere leaves the object wholly old or wholly new, and the next writer tidies up. (This asks of the
file system that renames within one folder reach the disk in their order, as every journaling one does.) A delete
removes the sidecar, which is its commit, then the body.

**Writers** of one entity (the first two segments of a key) take turns by a lock file beside the entity's folder;
writers of others go on. **Readers** take no lock: they read again when a write came between the files. **Edits from
outside** count: a body that is not the one its sidecar was written with gives the object a version of its own.

Symbolic links below the root, and files whose names no key is spelled as, are passed over. On a file system that
ignores case, a key that differs from an existing one in case alone is absent, and a write to it is refused as a
precondition failure. Core, section 5.3.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice, pairwise
from pathlib import Path

from wenchang.errors import NameTooLongError
from wenchang.storage import ListedObject, PreconditionFailedError, StoredObject
from wenchang.storage._files import (
    FoundFile,
    absent_is_fine,
    clear_folder,
    discard,
    flush_folder,
    is_real_folder,
    make_folder,
    open_folder,
    read_bytes,
    read_file,
    remove_folder,
    replace,
    request_file,
    stat_file,
    sweep_leftovers,
    write_temporary,
)
from wenchang.storage._folder_scan import scan_folder, tree_state
from wenchang.storage._lock import LockTimeoutError, acquire, release
from wenchang.storage._names import (
    BODY,
    COMMIT,
    LOCK,
    LONGEST_SUFFIX,
    SIDECAR,
    encode_segment,
    key_of_parts,
)
from wenchang.storage._read_ahead import read_each
from wenchang.storage._sidecar import Sidecar, digest_of, governing, parse_sidecar, render_sidecar
from wenchang.storage._walk import Run, walk
from wenchang.version_token import VersionToken

__all__ = ["FilesystemStorage", "LockTimeoutError", "key_of"]

_LOCK_SECONDS = 10.0
_READ_TRIES = 20
_LOOK_AGAIN_SECONDS = 2.0


def key_of(root: str | os.PathLike[str], path: str | os.PathLike[str]) -> str | None:
    """The key whose body, sidecar or commit record is the file at `path`; `None` for any other file."""
    try:
        return key_of_parts(Path(path).relative_to(root).parts)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where one key lives: the folders from the root down to it, and the names of its files."""

    key: str
    folders: tuple[str, ...]
    stem: str

    @property
    def folder(self) -> str:
        return self.folders[-1]

    @property
    def entity(self) -> str:
        """The folder whose writers take turns."""
        return self.folders[:3][-1]

    @property
    def lock(self) -> str:
        """The lock file of the entity: beside its folder, or within the root, which has nothing beside it."""
        return f"{self.entity}{LOCK}" if len(self.folders) > 1 else f"{self.entity}{os.sep}{LOCK}"

    def file(self, suffix: str) -> str:
        return f"{self.folder}{os.sep}{self.stem}{suffix}"

    def is_within_root(self) -> bool:
        """Whether every folder on the way is there, and none is a link to elsewhere."""
        return all(map(is_real_folder, self.folders[1:]))


@lru_cache(1024)
def _spot_of(root: str, key: str) -> _Spot:
    *segments, leaf = map(encode_segment, key.split("/"))
    folders = [root]
    for segment in segments:
        folders.append(f"{folders[-1]}{os.sep}{segment}")
    return _Spot(key, tuple(folders), leaf)


class FilesystemStorage:
    """Objects in files under `root`, which the first write makes.

    `durable=False` leaves out every flush: several times faster, still whole after a kill of the process, but a loss of
    power may lose or tear what was written last. Raises `NameTooLongError` for a key that the file system cannot spell,
    `LockTimeoutError` when another process does not let go of an entity, and `OSError` as the system gives it; after
    either the old object stands.
    """

    concurrency = 1

    def __init__(self, root: str | os.PathLike[str], *, durable: bool = True) -> None:
        self._root = os.path.realpath(root)
        self._durable = durable
        self._swept: set[str] = set()
        self._folds_case: bool | None = None

    def get(self, key: str) -> StoredObject | None:
        """The object at `key`, or `None`."""
        spot = self._spot(key)
        found = self._read(spot) if spot.is_within_root() else None
        if found is not None and self._ignores_case(spot.file(BODY)) and _is_spelled_otherwise(spot):
            return None
        return found

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        """Replace whatever stands at `key`."""
        with self._writing(key) as spot:
            return self._replace(spot, bytes(data), dict(metadata))

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        """Write only at version `expected`; `None` means only where no object exists."""
        if expected is not None:
            self._check_exists(key)
        with self._writing(key) as spot:
            self._check(spot, expected)
            return self._replace(spot, bytes(data), dict(metadata))

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        """Delete only at version `expected`."""
        self._check_exists(key)
        with self._writing(key) as spot:
            self._check(spot, expected)
            os.unlink(spot.file(SIDECAR))
            os.unlink(spot.file(BODY))
            self._flush(spot.folder)
            self._prune(spot)

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        """One page of the keys under `prefix`, ascending. Looks only into folders that can hold them."""
        spot = self._spot(prefix)
        rows: list[ListedObject] = []
        if not spot.is_within_root():
            return rows
        for run in walk(spot.folder, prefix, start_after):
            rows += self._listed(run, limit - len(rows))
            if len(rows) == limit:
                break
        return rows

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        """One level of keys: the distinct beginnings through the next `/`, ascending, behind `start_after`.

        A folder that may not be read is one of them, so that whoever browses meets it there and not in all listings.
        """
        spot = self._spot(prefix)
        above, slash, rest = prefix.rpartition("/")
        if not spot.is_within_root():
            return []
        scan = scan_folder(spot.folder)
        wanted = scan.starting_with(rest, None)
        children = (f"{above}{slash}{scan.texts[place]}" for place in scan.folders if place in wanted)
        return list(islice((child for child in children if self._is_child(child, start_after)), limit))

    def _is_child(self, child: str, start_after: str | None) -> bool:
        if start_after is not None and child <= start_after:
            return False
        try:
            return bool(self.list_page(child, None, 1))
        except PermissionError:
            return True

    def listing_state(self, prefix: str) -> object | None:
        """What the folders under `prefix` are like: equal to an earlier answer only if nothing was written there since.

        `None` where that cannot be told, just after a write. Edits of a file in place leave no mark on its folder; so
        that they count too, no answer equals one from more than two seconds ago.
        """
        states = tree_state(self._spot(prefix).folder)
        return states and (int(time.monotonic() / _LOOK_AGAIN_SECONDS), states)

    # Reading

    def _read(self, spot: _Spot) -> StoredObject | None:
        raw, body = read_bytes(spot.file(SIDECAR)), read_file(spot.file(BODY))
        if body is None:
            return None
        if raw is not None:
            sidecar = parse_sidecar(raw)
            if sidecar.fits(len(body.data), body.mtime_ns):
                return StoredObject(body.data, sidecar.metadata, sidecar.version)
        return self._read_carefully(spot)

    def _read_carefully(self, spot: _Spot) -> StoredObject | None:
        """For a body that is not plainly that of its sidecar: half-way through a write, or edited from outside."""
        for _ in range(_READ_TRIES):
            sidecar, commit = read_bytes(spot.file(SIDECAR)), read_bytes(spot.file(COMMIT))
            body = read_file(spot.file(BODY))
            # In this order: a write moves the record onto the sidecar, and must not slip through between the two.
            commit_again, sidecar_again = read_bytes(spot.file(COMMIT)), read_bytes(spot.file(SIDECAR))
            if (sidecar, commit) == (sidecar_again, commit_again):
                return _settled(sidecar, commit, body)
        with absent_is_fine(), self._locked(spot):
            return _settled(read_bytes(spot.file(SIDECAR)), read_bytes(spot.file(COMMIT)), read_file(spot.file(BODY)))
        return None

    # Writing

    @contextmanager
    def _writing(self, key: str) -> Iterator[_Spot]:
        """Hold the lock of the key's entity, with nothing half done, and no folder on the way a link."""
        spot = self._spot(key)
        self._check_length(spot)
        self._check_links(spot)
        with self._locked(spot):
            self._check_case(spot)
            self._settle(spot)
            yield spot

    @contextmanager
    def _locked(self, spot: _Spot) -> Iterator[None]:
        fd = self._acquire(spot)
        try:
            yield
        finally:
            release(fd)

    def _acquire(self, spot: _Spot) -> int:
        while True:
            make_folder(os.path.dirname(spot.lock), durable=self._durable)
            with suppress(FileNotFoundError):  # a delete took the folder away again
                return acquire(spot.lock, _LOCK_SECONDS)

    def _settle(self, spot: _Spot) -> None:
        """Finish what a dead writer committed, or undo what it did not."""
        commit = read_bytes(spot.file(COMMIT))
        if commit is None:
            return
        record, old = parse_sidecar(commit), _parsed(read_bytes(spot.file(SIDECAR)))
        body = read_file(spot.file(BODY))
        if body and governing(old, record, len(body.data), body.mtime_ns, lambda: digest_of(body.data)) is record:
            replace(spot.file(COMMIT), spot.file(SIDECAR))
        else:
            discard(spot.file(COMMIT))
        self._flush(spot.folder)

    def _check_exists(self, key: str) -> None:
        if stat_file(self._spot(key).file(BODY)) is None:
            raise PreconditionFailedError(key)

    def _check(self, spot: _Spot, expected: VersionToken | None) -> None:
        found = self._read(spot)
        if (found.version if found else None) != expected:
            raise PreconditionFailedError(spot.key)

    def _replace(self, spot: _Spot, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        version = VersionToken(os.urandom(16).hex())
        body, mtime_ns = self._write(spot, BODY, data)
        try:
            described = Sidecar(version, metadata, len(data), mtime_ns, digest_of(data))
            sidecar, _ = self._write(spot, SIDECAR, render_sidecar(described))
        except BaseException:
            discard(body)
            raise
        try:
            replace(sidecar, spot.file(COMMIT))
            replace(body, spot.file(BODY))
            replace(spot.file(COMMIT), spot.file(SIDECAR))
        except BaseException:
            discard(sidecar)
            discard(body)
            self._settle(spot)
            raise
        self._flush(spot.folder)
        return version

    def _write(self, spot: _Spot, suffix: str, data: bytes) -> tuple[str, int]:
        """The bytes under a temporary name, with the mode of the file they are to replace."""
        existing = stat_file(spot.file(suffix))
        mode = existing.st_mode & 0o777 if existing else 0o600
        while True:
            self._prepare(spot.folder)
            with suppress(FileNotFoundError):  # a delete took the folder away again
                return write_temporary(spot.folder, data, mode, durable=self._durable, stamped=suffix == BODY)

    def _prepare(self, folder: str) -> None:
        make_folder(folder, durable=self._durable)
        if folder not in self._swept:
            self._swept.add(folder)
            sweep_leftovers(folder)

    def _flush(self, folder: str) -> None:
        if self._durable:
            flush_folder(folder)

    def _prune(self, spot: _Spot) -> None:
        """Remove the folders that a delete emptied, and the lock with the last of its entity."""
        for folder in reversed(spot.folders[1:]):
            is_ours = folder.startswith(spot.entity)
            if not (clear_folder(folder) if is_ours else remove_folder(folder)):
                return
            if folder == spot.entity:
                discard(spot.lock)

    # Where things are

    def _spot(self, key: str) -> _Spot:
        return _spot_of(self._root, key)

    def _check_length(self, spot: _Spot) -> None:
        longest_name, longest_path = self._limits
        names = [os.path.basename(folder) for folder in spot.folders[1:]]
        size = max(len(name) for name in (*names, spot.stem)) + LONGEST_SUFFIX
        if size > longest_name:
            raise NameTooLongError(spot.key, size, longest_name)
        size = len(os.fsencode(spot.file(""))) + LONGEST_SUFFIX
        if size > longest_path:
            raise NameTooLongError(spot.key, size, longest_path)

    @cached_property
    def _limits(self) -> tuple[int, int]:
        """The longest file name and the longest path that the file system takes, in bytes."""
        if os.name == "nt":
            return 255, 259
        folder = Path(self._root)
        while not folder.is_dir():
            folder = folder.parent
        return min(255, os.pathconf(folder, "PC_NAME_MAX")), os.pathconf(folder, "PC_PATH_MAX") - 1

    def _check_links(self, spot: _Spot) -> None:
        for folder in spot.folders[1:]:
            if os.path.islink(folder):
                raise NotADirectoryError(20, "is a symbolic link: remove it, or put a folder in its place", folder)

    def _check_case(self, spot: _Spot) -> None:
        """Refuse a key that the file system takes for an existing one in other case."""
        if self._ignores_case(spot.lock) and _is_spelled_otherwise(spot):
            raise PreconditionFailedError(spot.key)

    def _ignores_case(self, existing: str) -> bool:
        """Whether the file system finds a file of ours under the same name in capitals. Asked once."""
        if self._folds_case is None:
            stem, _, suffix = existing.rpartition("%")
            self._folds_case = os.path.exists(f"{stem}%{suffix.upper()}")
        return self._folds_case

    # Listing

    def _listed(self, run: Run, count: int) -> list[ListedObject]:
        """The first `count` objects of a run. A body that has no sidecar is none."""
        rows: list[ListedObject] = []
        with open_folder(run.folder) as opened:
            if opened is None:
                return rows
            fd, start = opened
            read = partial(self._row, fd, start, run.above)

            def request(place: tuple[str, str]) -> None:
                request_file(f"{start}{place[1]}{SIDECAR}", fd)

            places = zip(run.texts, run.stems, strict=True)
            while wanted := list(islice(places, count - len(rows))):
                rows += [row for row in read_each(wanted, read, request) if row is not None]
        return rows

    def _row(self, fd: int | None, start: str, above: str, place: tuple[str, str]) -> ListedObject | None:
        text, stem = place
        raw, body = read_bytes(f"{start}{stem}{SIDECAR}", fd), stat_file(f"{start}{stem}{BODY}", fd)
        if body is None:
            return None
        key = above + text
        if raw is not None:
            sidecar = parse_sidecar(raw)
            if sidecar.fits(body.st_size, body.st_mtime_ns):
                return ListedObject(key, sidecar.metadata, sidecar.version, body.st_size)
        found = self._read_carefully(self._spot(key))
        return None if found is None else ListedObject(key, found.metadata, found.version, len(found.data))


def _is_spelled_otherwise(spot: _Spot) -> bool:
    """Whether something on the way to a key stands there under a name that is not the key's."""
    for folder, below in pairwise(spot.folders):
        if os.path.lexists(below) and os.path.basename(below) not in scan_folder(folder).folder_names:
            return True
    return os.path.lexists(spot.file(BODY)) and spot.stem not in scan_folder(spot.folder).names


def _parsed(raw: bytes | None) -> Sidecar | None:
    return None if raw is None else parse_sidecar(raw)


def _settled(sidecar: bytes | None, commit: bytes | None, body: FoundFile | None) -> StoredObject | None:
    """The object that three files make, read with no write between them."""
    if body is None:
        return None
    digest = digest_of(body.data)
    ours = governing(_parsed(sidecar), _parsed(commit), len(body.data), body.mtime_ns, lambda: digest)
    return None if ours is None else StoredObject(body.data, ours.metadata, ours.version_with(digest))

"""The repair of each kind of finding: shown with what it would change, made only at the versions it was shown for.

Proposing reads; nothing is written before a person accepts. Every repair of objects lands in the curation log and can
be undone; removing a mere file from a folder cannot.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from wenchang.file_format import FileMetadata, metadata_to_map
from wenchang.paths import is_valid_path, parse_path
from wenchang.storage import StoredObject
from wenchang.storage.filesystem import key_of
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.curation_log import CurationLog, Done, Move, State, Stopped
from wenchang_tui.model.findings import Finding, Kind
from wenchang_tui.model.folding import fold
from wenchang_tui.model.line_text import split_lines
from wenchang_tui.model.metadata_repair import first_fact, fitting, repaired_metadata
from wenchang_tui.model.object_health import distinct_aliases
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.model.suggestions import free_key, suggested_key
from wenchang_tui.model.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """A file of the folder that is no object, to be removed if it is still the one that was found."""

    path: Path
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to repair a finding: `moves` with their before and after, or a file to be removed."""

    title: str
    moves: tuple[Move, ...] = ()
    removal: FileRemoval | None = None

    @property
    def deletes(self) -> bool:
        """Whether something goes and nothing takes its place, so that it takes a typed confirmation."""
        return self.removal is not None or all(move.after is None for move in self.moves)


@dataclass(frozen=True, slots=True)
class Removed:
    """The file is gone from the folder."""

    path: Path


def propose(
    workspace: Workspace, finding: Finding, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> tuple[Proposal, ...]:
    """The repairs of a finding, the best first, on the store as it is now; none for what takes a person's judgement.

    Storage errors propagate.
    """
    desk = _RepairDesk(workspace, clock())
    if finding.version is None:
        return tuple(desk.for_folder_file(finding))
    file = workspace.catalog.open(finding.key)
    if file is None:
        return ()
    proposals = list(desk.for_object(finding, file))
    return (*proposals, Proposal(f"Delete {file.key}", (Move(file.key, _stored(file), None),)))


def propose_moving(
    workspace: Workspace, key: str, to: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Proposal | None:
    """Moving an object to a memory path of a person's choice, its metadata put right on the way; `None` if it is gone.

    Storage errors propagate. Raises `ValueError` when `to` is no memory path.
    """
    parse_path(to)
    file = workspace.catalog.open(key)
    return None if file is None else _RepairDesk(workspace, clock()).moving(file, to)


def propose_describing(
    workspace: Workspace, key: str, description: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Proposal | None:
    """Another description of a person's choice, on one line; `None` for a file that is gone or has no metadata.

    Storage errors propagate.
    """
    file = workspace.catalog.open(key)
    if file is None or file.metadata is None:
        return None
    described = replace(file.metadata, description=description)
    return _RepairDesk(workspace, clock()).stamped(file, "Write the description", described)


def apply(workspace: Workspace, log: CurationLog, proposal: Proposal) -> Done | Stopped | Removed:
    """Make a repair that a person accepted."""
    if proposal.removal is None:
        return log.make(proposal.title, proposal.moves)
    return _remove(workspace, proposal.removal)


class _RepairDesk:
    """Makes proposals for one workspace, at one moment."""

    def __init__(self, workspace: Workspace, now: datetime) -> None:
        self._workspace = workspace
        self._now = now
        self._source = workspace.settings.source

    def for_object(self, finding: Finding, file: OpenFile) -> Iterator[Proposal]:
        """What can be done about an object, short of deleting it."""
        match finding.kind:
            case Kind.MALFORMED_METADATA:
                yield self._with_metadata(file, "Set the four metadata keys", self._repaired(file))
            case Kind.NOT_A_PATH | Kind.UNREACHABLE | Kind.SAME_LOOKING:
                yield from self._moving_to_suggestion(file)
            case Kind.NOT_UTF8:
                yield self._as_utf8(file)
            case Kind.TOO_LARGE:
                yield from self._split(file)
            case Kind.METADATA_TOO_LARGE | Kind.DUPLICATE_ALIAS | Kind.SHARED_ALIAS | Kind.VAGUE_DESCRIPTION:
                yield from self._better_metadata(finding, file)

    def for_folder_file(self, finding: Finding) -> Iterator[Proposal]:
        """What can be done about a file that is no object."""
        root = self._workspace.root
        if root is None or finding.kind not in (Kind.LONE_BODY, Kind.LEFTOVER, Kind.SYNC_CONFLICT):
            return
        path = root.joinpath(*finding.key.split("/"))
        key = key_of(root, path)
        file = self._workspace.catalog.open(key) if key is not None else None
        if file is not None:
            # The record of a write may be what holds the object together: writing it anew settles both.
            yield Proposal(f"Write {file.key} again as it reads", (_rewrite(file, file.data, file.stored),))
            return
        if finding.kind is Kind.LONE_BODY and key is not None:
            yield self._adopted(key, path)
        status = path.lstat()
        yield Proposal(f"Remove {finding.key}", removal=FileRemoval(path, status.st_size, status.st_mtime_ns))

    def moving(self, file: OpenFile, to: str) -> Proposal:
        """The object at another key: made there first, then deleted here."""
        name = parse_path(to).name
        metadata = repaired_metadata(file.stored, file.shown_text, name, self._source, self._now)
        moves = Move(to, None, State(file.data, metadata)), Move(file.key, _stored(file), None)
        return Proposal(f"Move {file.key} to {to}", moves)

    def stamped(self, file: OpenFile, title: str, metadata: FileMetadata) -> Proposal:
        """The object with other metadata, as a write of now."""
        stamped = replace(metadata, sources=metadata.sources | {self._source}, last_updated=self._now)
        return self._with_metadata(file, title, {**file.stored, **metadata_to_map(stamped)})

    def _repaired(self, file: OpenFile) -> dict[str, str]:
        name = file.parts.name if file.parts else file.key
        return repaired_metadata(file.stored, file.shown_text, name, self._source, self._now)

    def _with_metadata(self, file: OpenFile, title: str, metadata: dict[str, str]) -> Proposal:
        return Proposal(f"{title} of {file.key}", (_rewrite(file, file.data, metadata),))

    def _moving_to_suggestion(self, file: OpenFile) -> Iterator[Proposal]:
        suggestion = suggested_key(file.key)
        if suggestion is not None:
            yield self.moving(file, free_key(self._workspace.storage, suggestion))

    def _as_utf8(self, file: OpenFile) -> Proposal:
        try:
            text = file.data.decode("cp1252")
        except UnicodeDecodeError:
            text = file.data.decode("latin-1")
        data = text.encode("utf-8")
        return Proposal(f"Read {file.key} as Windows-1252", (_rewrite(file, data, self._repaired(file)),))

    def _better_metadata(self, finding: Finding, file: OpenFile) -> Iterator[Proposal]:
        old = file.metadata
        if old is None:
            return
        match finding.kind:
            case Kind.DUPLICATE_ALIAS:
                title, new = "Keep one of each alias", replace(old, aliases=distinct_aliases(old.aliases))
            case Kind.SHARED_ALIAS:
                others = tuple(alias for alias in old.aliases if fold(alias) != fold(finding.subject))
                title, new = f"Take the alias {finding.subject}", replace(old, aliases=others)
            case Kind.VAGUE_DESCRIPTION:
                fact = first_fact(file.shown_text) or old.description
                title, new = "Take the first fact as description", replace(old, description=fact)
            case _:
                # What fits must do so with the source that the repair itself adds.
                room = replace(old, sources=old.sources | {self._source})
                title, new = "Shorten the metadata", replace(fitting(room), sources=old.sources)
        if new != old:
            yield self.stamped(file, title, new)

    def _split(self, file: OpenFile) -> Iterator[Proposal]:
        """The first lines stay, the others move into files of their own, each within the limit."""
        pieces = _pieces(file.text or "", self._workspace.settings.max_file_bytes)
        if len(pieces) < 2 or file.parts is None or file.metadata is None:
            return
        first, *others = pieces
        taken: set[str] = set()
        moves = []
        for number, piece in enumerate(others, start=2):
            key = free_key(self._workspace.storage, file.key, taken)
            taken.add(key)
            moves.append(Move(key, None, State(piece.encode("utf-8"), self._part(file.metadata, number))))
        moves.append(_rewrite(file, first.encode("utf-8"), {**file.stored, **self._part(file.metadata, 1)}))
        yield Proposal(f"Move the last lines of {file.key} into {len(others)} more", tuple(moves))

    def _part(self, metadata: FileMetadata, number: int) -> dict[str, str]:
        description = metadata.description if number == 1 else f"{metadata.description} (part {number})"
        stamped = FileMetadata(description, metadata.aliases, metadata.sources | {self._source}, self._now)
        return metadata_to_map(stamped)

    def _adopted(self, key: str, path: Path) -> Proposal:
        """A lone body made an object by the metadata that it lacks. Its bytes stay."""
        data = path.read_bytes()
        name = parse_path(key).name if is_valid_path(key) else key
        metadata = repaired_metadata({}, data.decode("utf-8", "replace"), name, self._source, self._now)
        return Proposal(f"Give {key} its metadata", (Move(key, None, State(data, metadata)),))


def _stored(file: OpenFile) -> StoredObject:
    return StoredObject(file.data, file.stored, file.version)


def _rewrite(file: OpenFile, data: bytes, metadata: Mapping[str, str]) -> Move:
    return Move(file.key, _stored(file), State(data, metadata))


def _pieces(text: str, limit: int) -> list[str]:
    """The text in runs of whole lines of at most `limit` bytes each; nothing if a single line is longer."""
    pieces: list[str] = []
    size = limit
    for line in split_lines(text):
        bytes_of_line = len(line.encode("utf-8"))
        if bytes_of_line > limit:
            return []
        if size + bytes_of_line > limit:
            pieces.append("")
            size = 0
        pieces[-1] += line
        size += bytes_of_line
    return pieces


def _remove(workspace: Workspace, removal: FileRemoval) -> Removed | Stopped:
    problem = None
    try:
        status = removal.path.lstat()
        if workspace.settings.read_only:
            problem = Problem("Read-only", "The store is opened read-only.", "Open it without --read-only.")
        elif (status.st_size, status.st_mtime_ns) != (removal.size, removal.mtime_ns):
            problem = Problem("Changed meanwhile", f"{removal.path} was changed.", "Check again.")
        else:
            removal.path.unlink()
    except OSError as error:
        problem = describe(error)
    return Stopped(str(removal.path), problem, None) if problem else Removed(removal.path)

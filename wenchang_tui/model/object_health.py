"""What is wrong with the objects of a store, as far as their listing and their bodies tell."""

import re
from collections.abc import Iterable, Iterator

from wenchang.core import DEFAULT_MAX_METADATA_BYTES
from wenchang.file_format import FileMetadata
from wenchang.paths import PathParts
from wenchang.scope import SYSTEM_AREA
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import FileRow, OpenFile
from wenchang_tui.model.content import metadata_bytes
from wenchang_tui.model.findings import Finding, Kind, Severity
from wenchang_tui.model.folding import fold
from wenchang_tui.model.linting import NEARLY_FULL, is_vague, unreachable_reason
from wenchang_tui.model.lookalikes import look_of
from wenchang_tui.model.settings import Settings

SYNC_CONFLICT = re.compile(r"\.sync-conflict-\d{8}-\d{6}|conflicted copy|\(conflict|_conf\(\d", re.IGNORECASE)
"""How Syncthing, Dropbox, Nextcloud, Seafile name the copy they keep of a file changed on two machines."""


def check_rows(rows: Iterable[FileRow], settings: Settings) -> Iterator[Finding]:
    """What a listing of a whole store, in key order, tells."""
    entity = _EntityCheck("", settings)
    for row in rows:
        prefix = f"{row.parts.scope}/{row.parts.entity_id}/" if row.parts else entity.prefix
        if prefix != entity.prefix:
            yield from entity.finish()
            entity = _EntityCheck(prefix, settings)
        yield from entity.check(row)
    yield from entity.finish()


def check_body(file: OpenFile) -> Finding | None:
    """What only a body tells: whether it is text."""
    if file.parts is None or file.text is not None:
        return None
    return Finding(
        Kind.NOT_UTF8,
        Severity.ERROR,
        file.key,
        f"the body is not UTF-8 ({_first_bad_byte(file.data)})",
        f"read_file, append_line and replace_fact of this file fail for {_agents(file.parts)}; its row is listed",
        "read the body as Windows-1252 and store it as UTF-8, or delete the file",
        file.version,
    )


def check_size(key: str, parts: PathParts, size: int | None, version: VersionToken, limit: int) -> Iterator[Finding]:
    """A body over its limit; of an unknown size nothing is said."""
    if size is not None and size > limit:
        yield Finding(
            Kind.TOO_LARGE,
            Severity.ERROR,
            key,
            f"the body is {size:,} bytes, over the limit of {limit:,}",
            f"every append and most edits are refused for {_agents(parts)}; reading works",
            "move its last lines into further files, shorten it by hand, or raise the limit",
            version,
        )


class _EntityCheck:
    """The files of one entity, which lie together in a listing."""

    def __init__(self, prefix: str, settings: Settings) -> None:
        self.prefix = prefix
        self._settings = settings
        self._counted = 0
        self._looks: dict[tuple[str, str], str] = {}
        self._aliases: dict[str, str] = {}

    def check(self, row: FileRow) -> Iterator[Finding]:
        """What is wrong with one object, by itself and beside those before it."""
        if row.parts is None:
            yield _not_a_path(row)
            return
        self._counted += row.parts.area != SYSTEM_AREA
        if row.metadata is None:
            yield _malformed(row, row.parts)
        else:
            yield from _check_metadata(row, row.parts, row.metadata)
            yield from self._check_shared_aliases(row, row.metadata)
        yield from check_size(row.key, row.parts, row.size, row.version, self._settings.max_file_bytes)
        yield from self._check_name(row, row.parts)

    def finish(self) -> Iterator[Finding]:
        """What the number of files tells, once all are counted."""
        limit = self._settings.max_files
        if limit is None or self._counted < NEARLY_FULL * limit:
            return
        is_full = self._counted >= limit
        _, entity, _ = self.prefix.split("/")
        left = limit - self._counted
        breaks = "fails: FileQuotaExceededError" if is_full else f"will fail after {left:,} more"
        yield Finding(
            Kind.FILE_CAP if is_full else Kind.NEAR_FILE_CAP,
            Severity.ERROR if is_full else Severity.WARNING,
            self.prefix,
            f"{self._counted:,} files outside {SYSTEM_AREA}/, of at most {limit:,}",
            f"creating a file {breaks}, for every agent of {entity}",
            "merge related files into one, delete what is no longer needed, or raise the limit",
        )

    def _check_name(self, row: FileRow, parts: PathParts) -> Iterator[Finding]:
        if SYNC_CONFLICT.search(parts.name):
            yield _sync_conflict(row, parts)
        if reason := unreachable_reason(parts):
            yield Finding(
                Kind.UNREACHABLE,
                Severity.WARNING,
                row.key,
                reason,
                f"{_agents(parts)} sees the file in the index, and no tool can read or change it",
                "rename it",
                row.version,
            )
        look = parts.area, look_of(parts.name)
        twin = self._looks.setdefault(look, parts.name)
        if twin != parts.name:
            yield Finding(
                Kind.SAME_LOOKING,
                Severity.WARNING,
                row.key,
                f"{_spelled(parts.name)} looks like {_spelled(twin)} in the same area",
                f"people and {_agents(parts)} take one for the other",
                "merge the two, or rename one",
                row.version,
            )

    def _check_shared_aliases(self, row: FileRow, metadata: FileMetadata) -> Iterator[Finding]:
        for folded, alias in {fold(alias): alias for alias in metadata.aliases}.items():
            other = self._aliases.setdefault(folded, row.key)
            if other != row.key and folded:
                yield Finding(
                    Kind.SHARED_ALIAS,
                    Severity.NOTE,
                    row.key,
                    f"the alias {alias} is also one of {other}",
                    "whoever looks for it finds two files and may add to the wrong one",
                    "take the alias from one of the two",
                    row.version,
                    alias,
                )


def _sync_conflict(row: FileRow, parts: PathParts) -> Finding:
    return Finding(
        Kind.SYNC_CONFLICT,
        Severity.WARNING,
        row.key,
        "a copy that a sync program left after two machines changed one file",
        f"{_agents(parts)} sees two files on one subject and may trust the older",
        "take over what it alone holds, then delete it",
        row.version,
    )


def _not_a_path(row: FileRow) -> Finding:
    return Finding(
        Kind.NOT_A_PATH,
        Severity.WARNING,
        row.key,
        "the key is not of the form SCOPE/ENTITY/AREA/NAME.md",
        "no agent can see, read or delete it; only a purge of its entity takes it along",
        "move it to a memory path, or delete it",
        row.version,
    )


def _malformed(row: FileRow, parts: PathParts) -> Finding:
    return Finding(
        Kind.MALFORMED_METADATA,
        Severity.ERROR,
        row.key,
        row.problem or "",
        f"get_memory_index fails for {_agents(parts)} in scope {parts.scope}, and so do read_file of this file and the "
        f"page of list_prefix that holds it",
        "set the four metadata keys, keeping what can be read of them, or delete the file",
        row.version,
    )


def _check_metadata(row: FileRow, parts: PathParts, metadata: FileMetadata) -> Iterator[Finding]:
    size = metadata_bytes(metadata.description, metadata.aliases, metadata.sources)
    if size > DEFAULT_MAX_METADATA_BYTES:
        yield Finding(
            Kind.METADATA_TOO_LARGE,
            Severity.ERROR,
            row.key,
            f"the metadata is {size:,} bytes, over the limit of {DEFAULT_MAX_METADATA_BYTES:,}",
            f"every write to the file is refused for {_agents(parts)}",
            "drop its last aliases, and cut its description if that is not enough",
            row.version,
        )
    if duplicates := _duplicates(metadata.aliases):
        yield Finding(
            Kind.DUPLICATE_ALIAS,
            Severity.NOTE,
            row.key,
            f"there more than once: {', '.join(duplicates)}",
            "each costs room in the index for nothing",
            "keep the first of each",
            row.version,
        )
    if is_vague(metadata.description):
        yield Finding(
            Kind.VAGUE_DESCRIPTION,
            Severity.WARNING,
            row.key,
            f"the description is {metadata.description!r}" if metadata.description else "the description is empty",
            f"{_agents(parts)} chooses files by description and would not find this one",
            "take the first fact as its description, or write one",
            row.version,
        )


def distinct_aliases(aliases: tuple[str, ...]) -> tuple[str, ...]:
    """The first of each alias that reads the same, in order."""
    first: dict[str, str] = {}
    for alias in aliases:
        first.setdefault(fold(alias), alias)
    return tuple(first.values())


def _duplicates(aliases: tuple[str, ...]) -> tuple[str, ...]:
    left = list(aliases)
    for alias in distinct_aliases(aliases):
        left.remove(alias)
    return tuple(left)


def _agents(parts: PathParts) -> str:
    return f"every agent of {parts.entity_id}"


def _spelled(name: str) -> str:
    return name if name.isascii() and name.isprintable() else f"{name} ({ascii(name)[1:-1]})"


def _first_bad_byte(data: bytes) -> str:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte 0x{data[error.start]:02X} at offset {error.start}"
    return "no bad byte"

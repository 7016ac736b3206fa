"""Curated content from a folder of markdown files: what the folder says, what that would change, and changing it.

A file is `NAME.md`: YAML front matter with `description` and `aliases` between two lines `---`, then the body, byte for
byte. Everything is read and checked before the first write.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wenchang._types import is_utf8
from wenchang.core import DEFAULT_MAX_METADATA_BYTES
from wenchang.file_format import FileMetadata, check_description
from wenchang.paths import build_path, build_prefix, is_valid_segment
from wenchang.scope import SYSTEM_AREA
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import FileRow, OpenFile
from wenchang_tui.model.content import Content, metadata_bytes
from wenchang_tui.model.workspace import Workspace

_ENDING = ".md"
_FRONT_MATTER = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?P<head>.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_NEVER = datetime.fromtimestamp(0, UTC)  # the store stamps the time of a write itself


class SeedError(Exception):
    """A file of the folder cannot be written to the store; the text names it and says why."""


@dataclass(frozen=True, slots=True)
class Seed:
    """What one file of the folder says: the name, and the content that shall stand under it."""

    name: str
    content: Content


@dataclass(frozen=True, slots=True)
class SeedFolder:
    """The seeds of a folder by name, and the names of the files in it that are none."""

    seeds: tuple[Seed, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of `system/`; `version` is the one that stands there, `None` where none does."""

    name: str
    content: Content
    version: VersionToken | None


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """What seeding an entity comes to, each part in the order of names."""

    scope: str
    entity: str
    created: tuple[PlannedFile, ...]
    replaced: tuple[PlannedFile, ...]
    unchanged: tuple[str, ...]
    deleted: tuple[tuple[str, VersionToken], ...]


def read_folder(folder: Path) -> SeedFolder:
    """Read every `NAME.md` of a folder, in the order of names. Hidden files, others and subfolders are ignored.

    Raises `SeedError` for a file that is no seed, `OSError` where something cannot be read.
    """
    paths = sorted(folder.iterdir())
    chosen = [path for path in paths if _is_seed(path)]
    ignored = tuple(path.name for path in paths if path not in chosen)
    return SeedFolder(tuple(_read_seed(path) for path in chosen), ignored)


def plan_seeding(
    workspace: Workspace, scope: str, entity: str, seeds: Iterable[Seed], *, prune: bool = False
) -> SeedPlan:
    """Compare seeds with what stands in `system/`. Writes nothing.

    Raises `SeedError` for a seed that the store would refuse; storage errors propagate.
    """
    wanted = {seed.name: seed.content for seed in seeds}
    for name, content in wanted.items():
        _check_fits(workspace, name, content)
    standing = _standing(workspace, scope, entity)
    created, replaced, unchanged = [], [], []
    for name, content in sorted(wanted.items()):
        file = workspace.catalog.open(standing[name].key) if name in standing else None
        if file is None:
            created.append(PlannedFile(name, content, None))
        elif _says(file, name) == content:
            unchanged.append(name)
        else:
            replaced.append(PlannedFile(name, content, file.version))
    gone = [(name, row.version) for name, row in sorted(standing.items()) if prune and name not in wanted]
    return SeedPlan(scope, entity, tuple(created), tuple(replaced), tuple(unchanged), tuple(gone))


def carry_out(workspace: Workspace, plan: SeedPlan) -> None:
    """Make a plan true, each file only as it was when the plan was made.

    Stops at the first file that changed meanwhile; doing it all again goes on from there. Raises what `MemoryStore`
    raises.
    """
    for file in (*plan.created, *plan.replaced):
        metadata = FileMetadata(file.content.description, file.content.aliases, frozenset(), _NEVER)
        path = build_path(plan.scope, plan.entity, SYSTEM_AREA, file.name)
        source = workspace.settings.source
        workspace.store.write_file(path, file.content.body, metadata, file.version, source=source)
    for name, version in plan.deleted:
        workspace.store.delete_file(build_path(plan.scope, plan.entity, SYSTEM_AREA, name), version)


def parse_seed(name: str, data: bytes) -> Seed:
    """The seed that a file says. Raises `SeedError`."""
    match = _FRONT_MATTER.match(data)
    if match is None:
        raise SeedError("it has no front matter; start it with a line ---, description and aliases, and a line ---")
    try:
        fields = _fields((match["head"] or b"").decode("utf-8"))
        body = data[match.end() :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise SeedError(f"it is not UTF-8 (byte {error.start})") from error
    return Seed(name, Content(body, _description(fields), _aliases(fields)))


def _is_seed(path: Path) -> bool:
    return path.name.endswith(_ENDING) and not path.name.startswith(".") and path.is_file()


def _read_seed(path: Path) -> Seed:
    name = path.name.removesuffix(_ENDING)
    try:
        if not is_valid_segment(name) or not is_utf8(name):
            raise SeedError("its name cannot be that of a memory file")
        return parse_seed(name, path.read_bytes())
    except SeedError as error:
        raise SeedError(f"{path.name}: {error}") from error


def _fields(head: str) -> Mapping[str, Any]:
    """The fields of front matter; every scalar is the text that is written there, also a date or a number."""
    import yaml  # nothing else in the app needs it

    try:
        fields = yaml.load(head, Loader=yaml.BaseLoader) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SeedError(f"its front matter is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict):
        raise SeedError("its front matter must hold description and aliases")
    unknown = [str(key) for key in fields if key not in ("description", "aliases")]
    if unknown:
        raise SeedError(f"its front matter holds {', '.join(unknown)}; only description and aliases are known")
    return fields


def _description(fields: Mapping[str, Any]) -> str:
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        raise SeedError("its front matter lacks a description")
    try:
        check_description(description)
    except ValueError as error:
        raise SeedError(str(error)) from error
    return description


def _aliases(fields: Mapping[str, Any]) -> tuple[str, ...]:
    aliases = fields.get("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise SeedError("aliases must be a list of texts")
    return tuple(aliases)


def _check_fits(workspace: Workspace, name: str, content: Content) -> None:
    limit = workspace.settings.max_file_bytes
    if not all(map(is_utf8, (content.description, *content.aliases))):
        raise SeedError(f"{name}{_ENDING}: its front matter holds half a character, which cannot be stored")
    if content.size > limit:
        raise SeedError(f"{name}{_ENDING}: its body is {content.size:,} bytes, over the limit of {limit:,}; split it")
    size = metadata_bytes(content.description, content.aliases, [workspace.settings.source])
    if size > DEFAULT_MAX_METADATA_BYTES:
        raise SeedError(
            f"{name}{_ENDING}: description and aliases take {size:,} bytes, over the limit of "
            f"{DEFAULT_MAX_METADATA_BYTES:,}; shorten them"
        )


def _standing(workspace: Workspace, scope: str, entity: str) -> dict[str, FileRow]:
    """The files that stand in `system/`, by name."""
    rows = workspace.catalog.rows(build_prefix(scope, entity, SYSTEM_AREA))
    return {row.parts.name: row for row in rows if row.parts}


def _says(file: OpenFile, name: str) -> Content | None:
    """What a standing file says, `None` for a body that is no text. Raises `SeedError` if nothing may replace it."""
    if file.metadata is None:
        raise SeedError(f"{name}: what stands there has malformed metadata ({file.problem}); wenchang check repairs it")
    return None if file.text is None else Content(file.text, file.metadata.description, file.metadata.aliases)

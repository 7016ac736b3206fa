"""The four metadata keys put right, keeping whatever of them, and of other keys, can still be read."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from wenchang._types import is_utf8
from wenchang.core import DEFAULT_MAX_METADATA_BYTES
from wenchang.file_format import (
    ALIASES_KEY,
    DESCRIPTION_KEY,
    LAST_UPDATED_KEY,
    SOURCES_KEY,
    FileMetadata,
    metadata_from_map,
    metadata_to_map,
    parse_fact,
)
from wenchang_tui.model.content import metadata_bytes

_LONGEST_DESCRIPTION = 120
_SOUND = {DESCRIPTION_KEY: "", ALIASES_KEY: "[]", SOURCES_KEY: "[]", LAST_UPDATED_KEY: "2026-01-01T00:00:00Z"}


def repaired_metadata(stored: Mapping[str, str], body: str, name: str, source: str, now: datetime) -> dict[str, str]:
    """A map that every reader can read: sound keys as they are, the others with sensible values.

    The description comes from the first fact of the body, else from the name; sources gain `source`; a time that
    cannot be read becomes `now`. Other keys stay.
    """
    read = {key: _read(key, stored[key]) for key in _SOUND if key in stored}
    moment = read.get(LAST_UPDATED_KEY)
    description = read.get(DESCRIPTION_KEY)
    metadata = FileMetadata(
        description.description if description else _description(stored, body, name),
        _texts(ALIASES_KEY, stored),
        frozenset((*_texts(SOURCES_KEY, stored), source)),
        moment.last_updated if moment else now,
    )
    return {**stored, **metadata_to_map(metadata)}


def first_fact(body: str) -> str | None:
    """The text of the first fact of a body as a description: one line, not long."""
    facts = filter(None, map(parse_fact, body.split("\n")))
    return next((_one_line(fact.text) for fact in facts), None)


def fitting(metadata: FileMetadata) -> FileMetadata:
    """The metadata within its limit: without its last aliases, and if need be with a shorter description."""
    description, aliases = metadata.description, list(metadata.aliases)
    while aliases and metadata_bytes(description, aliases, metadata.sources) > DEFAULT_MAX_METADATA_BYTES:
        aliases.pop()
    if metadata_bytes(description, aliases, metadata.sources) > DEFAULT_MAX_METADATA_BYTES:
        description = _one_line(description)
    return FileMetadata(description, tuple(aliases), metadata.sources, metadata.last_updated)


def _read(key: str, value: str) -> FileMetadata | None:
    """What one stored key says, all others being sound; `None` if it cannot be read, or not written again."""
    try:
        metadata = metadata_from_map({**_SOUND, key: value})
        metadata_to_map(metadata)
    except (ValueError, OverflowError):
        return None
    return metadata if is_utf8(value) else None


def _description(stored: Mapping[str, str], body: str, name: str) -> str:
    broken = _one_line(stored.get(DESCRIPTION_KEY, ""))
    return broken or first_fact(body) or _one_line(name.replace("-", " ").replace("_", " "))


def _one_line(text: str) -> str:
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return line if len(line) <= _LONGEST_DESCRIPTION else f"{line[: _LONGEST_DESCRIPTION - 1]}…"


def _texts(key: str, stored: Mapping[str, str]) -> tuple[str, ...]:
    """The texts of a list, without members that are none; of what is no JSON, nothing."""
    try:
        items = json.loads(stored.get(key, "[]"))
    except (ValueError, RecursionError):
        return ()
    found: Iterable[object] = items if isinstance(items, list) else [items]
    return tuple(item for item in found if isinstance(item, str) and is_utf8(item))

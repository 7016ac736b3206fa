"""What an agent gets to see: results and errors of the tools as JSON values with fixed keys in a fixed order.

Files are named by scope, area and name; no storage path, prefix or entity ID ever leaves through here. Nothing that a
value or exception holds can make rendering fail: what is not of the expected type is left out. Agent layer, sections
4.3 and 4.4.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from wenchang._types import exact_str, really, type_name
from wenchang.core import CappedPrefix, FileEntry, ListPage, MemoryFile, MemoryIndex
from wenchang.errors import ErrorCategory, WenchangError
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.paths import is_valid_path, is_valid_prefix, parse_path

__all__ = ["render_error", "render_result"]

INTERNAL = "internal"
"""The category of an error that is nobody's to correct in this conversation."""

_ERROR_FIELDS = (
    "scope",
    "area",
    "name",
    "content",
    "version",
    "size",
    "limit",
    "match_count",
    "reason",
    "required_roles",
    "argument",
)


def render_result(value: object) -> dict[str, Any]:
    """The JSON object for what a tool returned. Raises `TypeError` for a value that no tool returns."""
    if value is None:
        return {"ok": True}
    if really(value, MemoryFile):
        return _file(value.path, value.version, value.metadata, content=value.content)
    if really(value, FileEntry):
        return _file(value.path, value.version, value.metadata)
    if really(value, ListPage):
        return {"entries": _entries(value.entries), **_cursor(value.next_cursor)}
    if really(value, MemoryIndex):
        return {"entries": _entries(value.entries), "capped": _capped(value.capped)}
    raise TypeError(f"cannot render a {type_name(value)}")


def _file(path: object, version: object, metadata: object, **content: object) -> dict[str, Any]:
    return {**_location(path), **_texts(**content, version=version), **_metadata(metadata)}


def _location(path: object) -> dict[str, str | None]:
    if not really(path, str):
        return {}
    exact = exact_str(path)
    if not is_valid_path(exact):
        return {"scope": None, "area": None, "name": None}
    parts = parse_path(exact)
    return {"scope": parts.scope, "area": parts.area, "name": parts.name}


def _texts(**values: object) -> dict[str, str]:
    return {key: exact_str(value) for key, value in values.items() if really(value, str)}


def _metadata(metadata: object) -> dict[str, Any]:
    if not really(metadata, FileMetadata):
        return {}
    aliases, sources = _strings(metadata.aliases), _strings(metadata.sources)
    moment = _moment(metadata.last_updated)
    return {
        **_texts(description=metadata.description),
        **({} if aliases is None else {"aliases": aliases}),
        **({} if sources is None else {"sources": sorted(sources)}),
        **({} if moment is None else {"last_updated": moment}),
    }


def _strings(values: object) -> list[str] | None:
    return None if (members := _members(values)) is None else [exact_str(m) for m in members if really(m, str)]


def _members(values: object) -> list[object] | None:
    try:
        return list(values) if really(values, Iterable) else None  # type: ignore[type-abstract]
    except Exception:
        return None


def _moment(value: object) -> str | None:
    """A time in UTC, as the stored metadata spells it; `None` for what is no time or has no spelling."""
    try:
        if not really(value, datetime) or value.utcoffset() is None:
            return None
        return datetime.isoformat(datetime.astimezone(value, UTC)).removesuffix("+00:00") + "Z"
    except Exception:
        return None


def _entries(entries: object) -> list[dict[str, Any]]:
    return [render_result(entry) for entry in _members(entries) or () if really(entry, FileEntry)]


def _cursor(cursor: object) -> dict[str, str | None]:
    return {"next_cursor": None} if cursor is None else {**_texts(next_cursor=cursor)}


def _capped(rows: object) -> list[dict[str, Any]]:
    return [row for member in _members(rows) or () if really(member, CappedPrefix) for row in _capped_row(member)]


def _capped_row(row: CappedPrefix) -> Iterator[dict[str, Any]]:
    prefix: object = row.prefix
    omitted: object = row.omitted
    if not really(prefix, str) or not really(omitted, int) or really(omitted, bool):
        return
    exact = exact_str(prefix)
    parts = exact.split("/")[:-1] if is_valid_prefix(exact) else []
    scope, _entity, area = (*parts, None, None, None)[:3]
    yield {"scope": scope, "area": area, "omitted": int.__int__(omitted)}


def render_error(exc: BaseException) -> dict[str, Any]:
    """The JSON object for an error that a tool raised: what, of which kind, and what the agent needs to go on.

    Never raises. Of an error outside the taxonomy nothing but its type shows, save for corrupt stored data.
    """
    head = {"error": type_name(exc)}
    category = _read(exc, "category") if really(exc, WenchangError) else None
    if really(category, ErrorCategory):
        return {**head, "category": category.value, "message": _message(exc), **dict(_error_fields(exc))}
    corrupt_data = really(exc, MetadataFormatError) or really(exc, UnicodeDecodeError)
    return {**head, "category": INTERNAL, "message": _message(exc) if corrupt_data else "internal error"}


def _read(exc: BaseException, field: str) -> object:
    try:
        return getattr(exc, field, None)
    except Exception:
        return None


def _message(exc: BaseException) -> str:
    try:
        return exact_str(str(exc))
    except Exception:
        return "<unreadable>"


def _error_fields(exc: BaseException) -> Iterator[tuple[str, Any]]:
    for field in _ERROR_FIELDS:
        value = _field_value(_read(exc, field))
        if value is not None:
            yield field, value


def _field_value(value: object) -> str | int | list[str] | None:
    if really(value, Enum):
        value = value.value
    if really(value, str):
        return exact_str(value)
    if really(value, int) and not really(value, bool):
        return int.__int__(value)
    if really(value, frozenset):
        members = list(frozenset.__iter__(value))
        strings = [exact_str(member) for member in members if really(member, str)]
        return sorted(strings) if len(strings) == len(members) else None
    return None

"""What stands in a memory file: fact lines in the body, and four metadata fields beside it.

Bodies are kept byte for byte: a line that is no fact is as welcome as one that is. Only `\\n` ends a line.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

DESCRIPTION_KEY = "description"
ALIASES_KEY = "aliases"
SOURCES_KEY = "sources"
LAST_UPDATED_KEY = "last-updated"

_SEVERAL_LINES = "description must not contain a newline or carriage return"
_STORED_KEYS = (DESCRIPTION_KEY, ALIASES_KEY, SOURCES_KEY, LAST_UPDATED_KEY)
# A time in UTC is always rendered in as many bytes, but for the fraction of a second, which is left out when it is 0.
_FIXED_BYTES = len("".join(_STORED_KEYS)) + len("2026-01-01T00:00:00Z")
_FRACTION_BYTES = len(".000001")


class ConfidenceLabel(StrEnum):
    """How a fact is known: said by the user, seen, concluded, or curated by people."""

    STATED = "stated"
    OBSERVED = "observed"
    INFERRED = "inferred"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact line. Raises `ValueError` when the text is blank or holds a line break."""

    label: ConfidenceLabel
    text: str

    def __post_init__(self) -> None:
        if "\n" in self.text:
            raise ValueError("fact text must be a single line")
        if not self.text.strip():
            raise ValueError("fact text must not be blank")


BodyLine: TypeAlias = Fact | str

_FACT = re.compile(rf"- \[({'|'.join(ConfidenceLabel)})\] ([^\n]+)")


def parse_fact(line: str) -> Fact | None:
    """The fact that `line` states, or `None`. Never raises for a `str`. Core, section 3.1."""
    match = _FACT.fullmatch(line)
    if match is None or not match[2].strip():
        return None
    return Fact(ConfidenceLabel(match[1]), match[2])


def format_fact(fact: Fact) -> str:
    """The line of a fact; `parse_fact` reads it back."""
    return f"- [{fact.label.value}] {fact.text}"


def parse_body(body: str) -> tuple[BodyLine, ...]:
    """The lines of a body, split on `\\n` alone, each that parses as a `Fact`. Core, section 3.2."""
    return tuple(parse_fact(line) or line for line in body.split("\n"))


def serialize_body(lines: Sequence[BodyLine]) -> str:
    """The exact inverse of `parse_body`.

    Raises `ValueError` for no lines at all, and for a text that holds a line break or would read as a fact.
    """
    if not lines:
        raise ValueError("a body has at least one line")
    return "\n".join(_body_line(line) for line in lines)


def _body_line(line: BodyLine) -> str:
    if isinstance(line, Fact):
        return format_fact(line)
    if "\n" in line:
        raise ValueError("a body line must not contain a newline")
    if parse_fact(line) is not None:
        raise ValueError("a line that reads as a fact must be given as a Fact")
    return line


class MetadataFormatError(ValueError):
    """Stored metadata that cannot be read: which key, and what is wrong with it."""

    def __init__(self, key: str, detail: str) -> None:
        super().__init__(f"{key}: {detail}")
        self.key = key
        self.detail = detail

    def __reduce__(self) -> tuple[type["MetadataFormatError"], tuple[str, str]]:
        return type(self), (self.key, self.detail)


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """The four metadata fields of a file. Core, section 3.3.

    `description` is one line; `aliases` keep their order; `last_updated` carries an offset. Raises `ValueError`
    otherwise.
    """

    description: str
    aliases: tuple[str, ...]
    sources: frozenset[str]
    last_updated: datetime

    def __post_init__(self) -> None:
        check_description(self.description)
        if self.last_updated.utcoffset() is None:
            raise ValueError("last_updated must be timezone-aware")


def check_description(description: str) -> None:
    """Raises `ValueError` when a description is more than one line."""
    if "\n" in description or "\r" in description:
        raise ValueError(_SEVERAL_LINES)


def metadata_to_map(metadata: FileMetadata) -> dict[str, str]:
    """The four stored texts, in their order. Raises `OverflowError` for a time that UTC cannot hold."""
    moment = metadata.last_updated.astimezone(UTC).isoformat()
    return {
        DESCRIPTION_KEY: metadata.description,
        ALIASES_KEY: _render_texts(metadata.aliases),
        SOURCES_KEY: _render_texts(metadata.sources),
        LAST_UPDATED_KEY: moment.removesuffix("+00:00") + "Z",
    }


def stored_bytes(metadata: FileMetadata) -> int:
    """What `metadata_to_map` gives costs in UTF-8, keys and values. Raises `OverflowError` as that does."""
    texts = metadata.description + _render_texts(metadata.aliases) + _render_texts(metadata.sources)
    moment = metadata.last_updated
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    fraction = _FRACTION_BYTES if moment.microsecond else 0
    return len(texts.encode("utf-8", "surrogatepass")) + _FIXED_BYTES + fraction


# Many files of a store share their sources, and their want of aliases.
_shared = lru_cache(4096)


@_shared
def _render_texts(texts: tuple[str, ...] | frozenset[str]) -> str:
    return json.dumps(texts if isinstance(texts, tuple) else sorted(texts))


def metadata_from_map(values: Mapping[str, str]) -> FileMetadata:
    """The fields that a stored map holds; other keys are ignored. Raises `MetadataFormatError`."""
    return FileMetadata(*_read_fields(values))


def read_last_updated(values: Mapping[str, str]) -> datetime:
    """When a file was last updated, going by a stored map that `metadata_from_map` reads. Raises as that does."""
    return _read_fields(values)[3]


def _read_fields(values: Mapping[str, str]) -> tuple[str, tuple[str, ...], frozenset[str], datetime]:
    try:
        description, moment = values[DESCRIPTION_KEY], values[LAST_UPDATED_KEY]
        aliases, sources = values[ALIASES_KEY], values[SOURCES_KEY]
    except KeyError:
        missing = next(key for key in _STORED_KEYS if key not in values)
        raise MetadataFormatError(missing, "missing required key") from None
    fields = (
        description,
        _read_texts(ALIASES_KEY, aliases)[0],
        _read_texts(SOURCES_KEY, sources)[1],
        _read_moment(moment),
    )
    if "\n" in description or "\r" in description:
        raise MetadataFormatError(DESCRIPTION_KEY, _SEVERAL_LINES)
    return fields


@_shared
def _read_texts(key: str, value: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The texts of a stored list, in their order and as a set."""
    try:
        items = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise MetadataFormatError(key, f"not valid JSON: {error}") from error
    if not isinstance(items, list):
        raise MetadataFormatError(key, "must be a JSON array")
    if not all(isinstance(item, str) for item in items):
        raise MetadataFormatError(key, "all array items must be strings")
    return tuple(items), frozenset(items)


def _read_moment(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        detail = f"not a valid ISO 8601 timestamp: {error}"
        raise MetadataFormatError(LAST_UPDATED_KEY, detail) from error
    if moment.tzinfo is None:
        raise MetadataFormatError(LAST_UPDATED_KEY, "must include a UTC offset")
    return moment

"""Narrowing and ordering the rows of a list: the words a person types, and the column they choose."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.folding import fold

_IS_NOT = "is: takes cut, for what the index leaves out, not "
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Clause:
    """One word of a filter. `since` is a moment or a span counted back from now."""

    kind: str
    text: str
    inverse: bool = False
    since: datetime | timedelta | None = None

    def matches(self, row: FileRow, now: datetime, cut: Collection[str]) -> bool:
        """Whether the row passes this word."""
        return self._holds(row, now, cut) != self.inverse

    def _holds(self, row: FileRow, now: datetime, cut: Collection[str]) -> bool:
        match self.kind:
            case "by":
                return row.metadata is not None and any(self.text in fold(source) for source in row.metadata.sources)
            case "since":
                return self._is_since(row, now)
            case "is":
                return row.key in cut
        return any(self.text in fold(text) for text in _searchable(row))

    def _is_since(self, row: FileRow, now: datetime) -> bool:
        earliest = now - self.since if isinstance(self.since, timedelta) else self.since
        return row.metadata is not None and earliest is not None and row.metadata.last_updated >= earliest


@dataclass(frozen=True, slots=True)
class Filter:
    """All words of a filter must match; `error` says which could not be understood, and that one is ignored."""

    clauses: tuple[Clause, ...] = ()
    error: str | None = None

    def matches(self, row: FileRow, *, now: datetime, cut: Collection[str] = ()) -> bool:
        """Whether the row is shown.

        `now` is the aware moment that `since:3d` counts from, `cut` the keys of the files that the index leaves out.
        """
        return all(clause.matches(row, now, cut) for clause in self.clauses)


def parse_filter(text: str) -> Filter:
    """The filter a person typed: `word`, `!word`, `by:SOURCE`, `since:2026-01-01`, `since:3d`, `is:cut`.

    Never raises.
    """
    clauses, error = [], None
    for word in text.split():
        clause = _parse_word(word)
        if isinstance(clause, str):
            error = clause
        elif clause.text:
            clauses.append(clause)
    return Filter(tuple(clauses), error)


def _parse_word(word: str) -> Clause | str:
    inverse = word.startswith("!")
    kind, colon, value = word.removeprefix("!").partition(":")
    if not colon or kind not in ("by", "since", "is"):
        return Clause("word", fold(word.removeprefix("!")), inverse)
    if kind == "by":
        return Clause("by", fold(value), inverse)
    if kind == "is":
        return Clause("is", value, inverse) if value in ("", "cut") else _IS_NOT + value
    since = _parse_since(value)
    if value and since is None:
        return f"since: takes a date such as 2026-01-31, or a span such as 12h, 3d or 2w, not {value}"
    return Clause("since", value, inverse, since)


def _parse_since(value: str) -> datetime | timedelta | None:
    number, unit = value[:-1], value[-1:]
    try:
        if unit in _UNITS and number.isdecimal():
            return int(number) * _UNITS[unit]
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _searchable(row: FileRow) -> Iterable[str]:
    """What an agent can search as well, and the whole key of a row that has no name."""
    yield row.parts.name if row.parts else row.key
    if row.metadata:
        yield row.metadata.description
        yield from row.metadata.aliases


def sort_rows(rows: Iterable[FileRow], column: str, reverse: bool = False) -> list[FileRow]:
    """The rows ordered by `name`, `description`, `aliases`, `sources`, `updated` or `size`.

    Rows without a value come last in either direction; equal ones by key.
    """
    value = _COLUMNS[column]
    by_key = sorted(rows, key=lambda row: row.key)
    known = [row for row in by_key if value(row) is not None]
    unknown = [row for row in by_key if value(row) is None]
    return sorted(known, key=value, reverse=reverse) + unknown


_COLUMNS: dict[str, Callable[[FileRow], Any]] = {
    "name": lambda row: fold(row.parts.name if row.parts else row.key),
    "description": lambda row: row.metadata and fold(row.metadata.description),
    "aliases": lambda row: row.metadata and tuple(fold(alias) for alias in row.metadata.aliases),
    "sources": lambda row: row.metadata and tuple(sorted(fold(source) for source in row.metadata.sources)),
    "updated": lambda row: row.metadata and row.metadata.last_updated,
    "size": lambda row: row.size,
}

"""The memory index as pure arithmetic: which entry comes first, what it costs, where the cut falls. Core, section 8.3.

Where entries come from is the business of `wenchang.core.listings`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import TypeVar

from wenchang.core.paging import file_entry
from wenchang.core.values import INDEX_SYSTEM_AREA, CappedPrefix, FileEntry, MemoryIndex
from wenchang.file_format import LAST_UPDATED_KEY, MetadataFormatError, read_last_updated, stored_bytes
from wenchang.storage import ListedObject

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


T = TypeVar("T", FileEntry, ListedObject)
Moment = TypeVar("Moment", datetime, timedelta)


def index_of(files: Iterable[ListedObject], scope_priority: Sequence[str], limit: int) -> MemoryIndex:
    """The index over listed memory files: ordered as by `order_entries`, cut as by `cap_entries`.

    Entries are made only of the files that claim room in time. Raises `MetadataFormatError` for a file that cannot be
    read or sized, wherever it would stand.
    """
    path = attrgetter("key")
    return _cut(_in_order(files, path, _moment_of, scope_priority), path, file_entry, limit)


def _moment_of(listed: ListedObject) -> datetime:
    return _in_utc(read_last_updated(listed.metadata))


def order_entries(entries: Iterable[FileEntry], scope_priority: Sequence[str]) -> list[FileEntry]:
    """The order in which entries claim room in the index.

    Area `system` of every scope comes first, then the scopes of `scope_priority` one after the other, then all other
    scopes together; within each, newest first, ties by path.
    """
    return _in_order(entries, attrgetter("path"), _since_epoch, scope_priority)


def _since_epoch(entry: FileEntry) -> timedelta:
    # For any time zone: times of one zone compare by what its clocks show, which goes back once a year.
    return entry.metadata.last_updated - _EPOCH


def _in_order(
    files: Iterable[T], path_of: Callable[[T], str], moment_of: Callable[[T], Moment], scope_priority: Sequence[str]
) -> list[T]:
    ranks = {scope: rank for rank, scope in enumerate(scope_priority)}

    @cache
    def tier(area: str) -> int:
        scope, _, name, _ = area.split("/")
        return -1 if name == INDEX_SYSTEM_AREA else ranks.get(scope, len(ranks))

    tiers: defaultdict[int, list[T]] = defaultdict(list)
    for file in sorted(files, key=path_of):
        tiers[tier(_area_of(path_of(file)))].append(file)
    for of_tier in tiers.values():
        of_tier.sort(key=moment_of, reverse=True)  # which keeps the order of equals
    return list(chain.from_iterable(tiers[rank] for rank in sorted(tiers)))


def _area_of(path: str) -> str:
    return path[: path.rindex("/") + 1]


def index_entry_bytes(entry: FileEntry) -> int:
    """What an entry costs: UTF-8 bytes of its path, its metadata in canonical rendering, keys included, and version.

    Raises `MetadataFormatError` for a `last_updated` that has no rendering in UTC.
    """
    try:
        metadata_bytes = stored_bytes(entry.metadata)
    except OverflowError as error:
        raise _unrenderable(error) from error
    return metadata_bytes + len((entry.path + entry.version).encode("utf-8", "surrogatepass"))


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise _unrenderable(error) from error


def _unrenderable(error: OverflowError) -> MetadataFormatError:
    return MetadataFormatError(LAST_UPDATED_KEY, f"cannot be rendered in UTC: {error}")


def cap_entries(ordered: Sequence[FileEntry], limit: int) -> MemoryIndex:
    """The longest run of leading entries that costs at most `limit` bytes; the rest counted per area.

    An entry that does not fit ends the run, even where a later one would fit. Raises `MetadataFormatError` for an
    entry that cannot be sized, wherever it stands.
    """
    for entry in ordered:
        _in_utc(entry.metadata.last_updated)
    return _cut(ordered, attrgetter("path"), lambda entry: entry, limit)


def _cut(
    ordered: Sequence[T], path_of: Callable[[T], str], entry_of: Callable[[T], FileEntry], limit: int
) -> MemoryIndex:
    kept = _fitting(map(entry_of, ordered), limit)
    omitted = Counter(_area_of(path_of(file)) for file in ordered[len(kept) :])
    return MemoryIndex(
        entries=tuple(kept),
        capped=tuple(CappedPrefix(prefix, count) for prefix, count in sorted(omitted.items())),
    )


def _fitting(entries: Iterable[FileEntry], limit: int) -> list[FileEntry]:
    """The leading entries that cost at most `limit` together. Asks for none beyond the first that does not fit."""
    total, kept = 0, []
    for entry in entries:
        total += index_entry_bytes(entry)
        if total > limit:
            break
        kept.append(entry)
    return kept

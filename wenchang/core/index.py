"""The memory index as pure arithmetic: which entry comes first, what it costs, where the cut falls. Core, section 8.3.

Where entries come from is the business of `wenchang.core.listings`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from wenchang.core.values import INDEX_SYSTEM_AREA, CappedPrefix, FileEntry, MemoryIndex
from wenchang.file_format import LAST_UPDATED_KEY, MetadataFormatError, metadata_to_map

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def order_entries(entries: Iterable[FileEntry], scope_priority: Sequence[str]) -> list[FileEntry]:
    """The order in which entries claim room in the index.

    Area `system` of every scope comes first, then the scopes of `scope_priority` one after the other, then all other
    scopes together; within each, newest first, ties by path.
    """
    ranks = {scope: rank for rank, scope in enumerate(scope_priority)}

    def key(entry: FileEntry) -> tuple[int, int, str]:
        scope, _, area, _ = entry.path.split("/")
        tier = -1 if area == INDEX_SYSTEM_AREA else ranks.get(scope, len(ranks))
        return tier, -_microseconds(entry.metadata.last_updated), entry.path

    return sorted(entries, key=key)


def _microseconds(moment: datetime) -> int:
    # Exact integers: a float timestamp() would lose the last microseconds.
    return (moment - _EPOCH) // _MICROSECOND


def index_entry_bytes(entry: FileEntry) -> int:
    """What an entry costs: UTF-8 bytes of its path, its metadata in canonical rendering, keys included, and version.

    Raises `MetadataFormatError` for a `last_updated` that has no rendering in UTC.
    """
    _check_renderable(entry)
    stored = metadata_to_map(entry.metadata)
    texts = (entry.path, *stored.keys(), *stored.values(), entry.version)
    return len("".join(texts).encode("utf-8", "surrogatepass"))


def _check_renderable(entry: FileEntry) -> None:
    try:
        entry.metadata.last_updated.astimezone(UTC)
    except OverflowError as error:
        raise MetadataFormatError(LAST_UPDATED_KEY, f"cannot be rendered in UTC: {error}") from error


def cap_entries(ordered: Sequence[FileEntry], limit: int) -> MemoryIndex:
    """The longest run of leading entries that costs at most `limit` bytes; the rest counted per area.

    An entry that does not fit ends the run, even where a later one would fit. Raises `MetadataFormatError` for an
    entry that cannot be sized, wherever it stands.
    """
    for entry in ordered:
        _check_renderable(entry)
    kept = _fitting(map(index_entry_bytes, ordered), limit)
    omitted = Counter(entry.path[: entry.path.rindex("/") + 1] for entry in ordered[kept:])
    return MemoryIndex(
        entries=tuple(ordered[:kept]),
        capped=tuple(CappedPrefix(prefix, count) for prefix, count in sorted(omitted.items())),
    )


def _fitting(sizes: Iterable[int], limit: int) -> int:
    """How many leading sizes stay within `limit` in total. Asks for no size beyond the first that does not."""
    total = count = 0
    for size in sizes:
        total += size
        if total > limit:
            break
        count += 1
    return count

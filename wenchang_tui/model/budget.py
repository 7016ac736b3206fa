"""The index as the agent gets it: what each entry costs, where the cut falls, what lies behind it.

Planning is pure, so that a person can ask *what if* about the limit and the priority without a second look at storage.
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from wenchang.core import CappedPrefix, FileEntry, MemoryStore
from wenchang.core.index import cap_entries, index_entry_bytes, order_entries
from wenchang.paths import PathParts, build_prefix, parse_path
from wenchang.storage import Storage
from wenchang.tools import render_error, render_result
from wenchang_tui.model.catalog import Catalog, FileRow
from wenchang_tui.model.derived import Derived


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One entry in index order, its `number` counted from 1. `running` sums the bytes through it, even past the cut."""

    number: int
    entry: FileEntry
    bytes: int
    running: int
    included: bool

    @property
    def parts(self) -> PathParts:
        """What the path of the entry says."""
        return parse_path(self.entry.path)


@dataclass(frozen=True, slots=True)
class Budget:
    """The plan of an index of at most `limit` bytes, and what would break the real one.

    Of `entries`, in index order, the leading `included` are sent; `running` sums their bytes through each.
    `scope_bytes` are the bytes included and the bytes cut of each scope, in the order in which scopes first appear.
    """

    limit: int
    entries: tuple[FileEntry, ...]
    running: Sequence[int]
    included: int
    scope_bytes: Mapping[str, tuple[int, int]]
    capped: tuple[CappedPrefix, ...]
    problems: tuple[FileRow, ...]

    @property
    def used(self) -> int:
        """Bytes of the included entries."""
        return self._bytes_of_first(self.included)

    @property
    def total(self) -> int:
        """Bytes of all entries."""
        return self._bytes_of_first(len(self.entries))

    @property
    def rows(self) -> Sequence[BudgetRow]:
        """All entries, each with what it costs."""
        return Derived(len(self.entries), self._row)

    def _row(self, place: int) -> BudgetRow:
        entry, running = self.entries[place], self.running[place]
        size = running - self._bytes_of_first(place)
        return BudgetRow(place + 1, entry, size, running, place < self.included)

    def _bytes_of_first(self, count: int) -> int:
        return self.running[count - 1] if count else 0


@dataclass(frozen=True, slots=True)
class Collected:
    """Every file of an identity, and the objects that would make its index fail."""

    entries: tuple[FileEntry, ...]
    problems: tuple[FileRow, ...]


def collect_entries(storage: Storage, scope_map: Mapping[str, str]) -> Collected:
    """Drain the listings of the given entities. Keys that are no memory paths are passed over, as the index does."""
    catalog = Catalog(storage)
    entries, problems = [], []
    for scope, entity in sorted(scope_map.items()):
        for row in catalog.rows(build_prefix(scope, entity)):
            if row.metadata is not None:
                entries.append(FileEntry(row.key, row.metadata, row.version))
            elif row.parts is not None:
                problems.append(row)
    return Collected(tuple(entries), tuple(problems))


def plan_budget(collected: Collected, limit: int, priority: Sequence[str]) -> Budget:
    """What an index of at most `limit` bytes includes, with `priority` scopes first. Core, section 8.3."""
    ordered = tuple(order_entries(collected.entries, priority))
    index = cap_entries(ordered, limit)
    included = len(index.entries)
    sizes = array("Q", map(index_entry_bytes, ordered))
    running = array("Q", accumulate(sizes))
    sums = _scope_bytes(ordered, sizes, included)
    return Budget(limit, ordered, running, included, sums, index.capped, collected.problems)


def _scope_bytes(entries: Sequence[FileEntry], sizes: Sequence[int], included: int) -> dict[str, tuple[int, int]]:
    sums: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for place, (entry, size) in enumerate(zip(entries, sizes, strict=True)):
        scope = entry.path[: entry.path.index("/")]
        sent, cut = sums[scope]
        sums[scope] = (sent + size, cut) if place < included else (sent, cut + size)
    return dict(sums)


def payload(store: MemoryStore, scope_map: Mapping[str, str]) -> str:
    """Exactly the text that the agent receives for its index: the result, or the error in its place."""
    try:
        answer = render_result(store.get_memory_index(scope_map))
    except Exception as error:
        answer = render_error(error)
    return json.dumps(answer)

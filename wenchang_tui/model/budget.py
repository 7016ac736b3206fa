"""The index as the agent gets it: what each entry costs, where the cut falls, what lies behind it.

Planning is pure, so that a person can ask *what if* about the limit and the priority without a second look at storage.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wenchang.core import CappedPrefix, FileEntry, MemoryStore
from wenchang.core.index import cap_entries, index_entry_bytes, order_entries
from wenchang.paths import PathParts, build_prefix, parse_path
from wenchang.storage import Storage
from wenchang.tools import render_error, render_result
from wenchang_tui.model.catalog import Catalog, FileRow


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One entry in index order. `running` sums the bytes through this row, and goes on past the cut."""

    entry: FileEntry
    parts: PathParts
    bytes: int
    running: int
    included: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """The plan of an index: `used` bytes of included entries, `total` of all, and what would break the real one."""

    limit: int
    used: int
    total: int
    rows: tuple[BudgetRow, ...]
    capped: tuple[CappedPrefix, ...]
    problems: tuple[FileRow, ...]

    def scope_bytes(self) -> dict[str, tuple[int, int]]:
        """Bytes included and bytes cut of each scope, in the order in which scopes first appear."""
        sums: dict[str, tuple[int, int]] = {}
        for row in self.rows:
            included, cut = sums.get(row.parts.scope, (0, 0))
            sums[row.parts.scope] = (included + row.bytes, cut) if row.included else (included, cut + row.bytes)
        return sums


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
    ordered = order_entries(collected.entries, priority)
    index = cap_entries(ordered, limit)
    rows, running = [], 0
    for position, entry in enumerate(ordered):
        size = index_entry_bytes(entry)
        running += size
        rows.append(BudgetRow(entry, parse_path(entry.path), size, running, position < len(index.entries)))
    used = rows[len(index.entries) - 1].running if index.entries else 0
    return Budget(limit, used, running, tuple(rows), index.capped, collected.problems)


def payload(store: MemoryStore, scope_map: Mapping[str, str]) -> str:
    """Exactly the text that the agent receives for its index: the result, or the error in its place."""
    try:
        answer = render_result(store.get_memory_index(scope_map))
    except Exception as error:
        answer = render_error(error)
    return json.dumps(answer)

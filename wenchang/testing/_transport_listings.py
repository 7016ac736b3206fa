"""The part of the transport suite about what is there: pages, cursors, and the memory index with its order and cap."""

from collections.abc import Mapping
from functools import partial

from wenchang.core import CappedPrefix, FileEntry, ListCursor, MemoryFile, MemoryIndex, index_entry_bytes
from wenchang.errors import NotFoundError, NotFoundReason
from wenchang.testing._transport_checks import SENTINEL_AREA, Memory, metadata, require, require_refusal


class Listings:
    """Files under a prefix, ascending by path, a page at a time."""

    def test_pages_are_full_and_in_order(self, memory: Memory, list_page_size: int) -> None:
        """The last one has no cursor; entries are those of the files, without content."""
        made = _fill(memory, list_page_size + 2)
        first = memory.client.list_prefix(memory.prefix("notes"))
        require(len(first.entries) == list_page_size, f"a page holds {len(first.entries)} entries")
        require(first.next_cursor is not None, "a page before the last has no cursor")
        second = memory.client.list_prefix(memory.prefix("notes"), first.next_cursor)
        require(second.next_cursor is None, "the last page has a cursor")
        _require_entries((*first.entries, *second.entries), made)

    def test_an_exactly_full_page_is_the_last(self, memory: Memory, list_page_size: int) -> None:
        """There is no cursor to an empty page."""
        _fill(memory, list_page_size)
        page = memory.client.list_prefix(memory.prefix("notes"))
        require(len(page.entries) == list_page_size, f"a page holds {len(page.entries)} entries")
        require(page.next_cursor is None, "an exactly full last page has a cursor")

    def test_scope_entity_and_area_are_levels(self, memory: Memory) -> None:
        """A prefix shows what is under it, and ends at its slash."""
        inside = [memory.path("a"), memory.path("b", "notes-more"), memory.path("c", "system")]
        outside = [memory.path("d", scope=1)]
        for path in (*inside, *outside):
            memory.create("x", path)
        sentinel = memory.path("sentinel", SENTINEL_AREA)
        scope, _entity = memory.scopes[0]
        for prefix in (memory.prefix(), f"{scope}/"):
            found = [entry.path for entry in memory.entries(prefix)]
            require(found == sorted([*inside, sentinel]), f"listing {prefix!r} gave {found}")
        found = [entry.path for entry in memory.entries(memory.prefix("notes"))]
        require(found == inside[:1], f"listing an area gave {found}")
        require(memory.entries(memory.prefix("nothing")) == [], "an area without files has entries")

    def test_a_bad_prefix_is_told(self, memory: Memory) -> None:
        """As a place that cannot be."""
        for prefix in ("", "notes", "/", "a//", "../", "a/b/c/d/", memory.path()):
            expected = NotFoundError(prefix, NotFoundReason.INVALID_PATH)
            require_refusal(expected, f"listing {prefix!r}", partial(memory.client.list_prefix, prefix))

    def test_a_bad_cursor_is_told(self, memory: Memory) -> None:
        """Malformed ones, and an empty one, which was issued for no prefix."""
        client, prefix = memory.client, memory.prefix("notes")
        for text in ("!", "not a cursor", "YQ", "\u00e9", "YQ==\n"):
            cursor = ListCursor(text)
            expected = ValueError(f"Malformed list cursor: {cursor!r}")
            require_refusal(expected, f"listing with cursor {text!r}", partial(client.list_prefix, prefix, cursor))
        empty = ListCursor("")
        expected = ValueError(f"Cursor {empty!r} was not issued for prefix {prefix!r}")
        require_refusal(expected, "listing with an empty cursor", lambda: client.list_prefix(prefix, empty))

    def test_a_cursor_of_another_prefix_is_refused(self, memory: Memory, list_page_size: int) -> None:
        """Wherever else it is used."""
        _fill(memory, list_page_size + 1)
        cursor = memory.client.list_prefix(memory.prefix("notes")).next_cursor
        for prefix in (memory.prefix("note"), memory.prefix("notes", scope=1), memory.prefix(scope=1)):
            expected = ValueError(f"Cursor {cursor!r} was not issued for prefix {prefix!r}")
            attempt = f"listing {prefix!r} with the cursor of another"
            require_refusal(expected, attempt, partial(memory.client.list_prefix, prefix, cursor))


class Index:
    """All files of the caller's entities, the most relevant first, as far as they fit."""

    def test_the_index_covers_exactly_the_entities_asked_for(
        self, memory: Memory, scope_map: Mapping[str, str]
    ) -> None:
        """Each of them, none beside them, every area."""
        made = [
            memory.create("x", memory.path(area=area, scope=scope))
            for scope in range(len(memory.scopes))
            for area in ("notes", "system")
        ]
        sentinel = memory.path("sentinel", SENTINEL_AREA)
        index = memory.client.get_memory_index(scope_map)
        require(index.capped == (), "a small index is capped")
        found = {entry.path for entry in index.entries}
        require(found == {sentinel, *(file.path for file in made)}, f"the index covers {sorted(found)}")
        scope, entity_id = memory.scopes[1]
        (system, notes) = memory.client.get_memory_index({scope: entity_id}).entries
        _require_entries((notes, system), [file for file in made if file.path.startswith(f"{scope}/")])

    def test_no_entities_are_an_empty_index(self, memory: Memory) -> None:
        """Not an error."""
        require(memory.client.get_memory_index({}) == MemoryIndex(), "the index of no entities is not empty")

    def test_the_index_is_ordered(
        self, memory: Memory, scope_map: Mapping[str, str], scope_priority: tuple[str, ...]
    ) -> None:
        """Curated files, then scopes by priority, then the rest; the newest first in each tier."""
        made = [
            memory.create("x", memory.path(name, area, scope))
            for name in ("n1", "n2")
            for area in ("system", "notes")
            for scope in range(len(memory.scopes))
        ]

        def tier(file: MemoryFile) -> int:
            scope, _entity, area, _name = file.path.split("/")
            if area == "system":
                return -1
            return scope_priority.index(scope) if scope in scope_priority else len(scope_priority)

        newest_first = made[::-1]
        expected = [file.path for file in sorted(newest_first, key=tier)]
        entries = memory.client.get_memory_index(scope_map).entries
        found = [entry.path for entry in entries if SENTINEL_AREA not in entry.path]
        require(found == expected, f"the index is ordered {found} instead of {expected}")

    def test_the_index_is_cut_at_its_size(self, memory: Memory, index_max_bytes: int) -> None:
        """At the first entry that does not fit; the others are counted by area."""
        length = min(4000, index_max_bytes // 4)
        made = [
            memory.create("x", memory.path(f"n{number:05}", scope=1), metadata("d" * length))
            for number in range(index_max_bytes // length + 2)
        ]
        scope, entity_id = memory.scopes[1]
        index = memory.client.get_memory_index({scope: entity_id})
        used = 0
        fitting: list[MemoryFile] = []
        for file in reversed(made):
            used += index_entry_bytes(FileEntry(file.path, file.metadata, file.version))
            if used > index_max_bytes:
                break
            fitting.append(file)
        _require_entries(index.entries, fitting)
        omitted = (CappedPrefix(memory.prefix("notes", scope=1), len(made) - len(fitting)),)
        require(index.capped == omitted, f"the index counts {index.capped} instead of {omitted}")


def _fill(memory: Memory, count: int) -> list[MemoryFile]:
    """As many files in one area, ascending by path."""
    names = [f"n{number:05}" for number in range(count)]
    made = {name: memory.create("x", memory.path(name)) for name in reversed(names)}
    return [made[name] for name in names]


def _require_entries(entries: tuple[FileEntry, ...], files: list[MemoryFile]) -> None:
    """Hold a listing to exactly these files, in this order. Versions are never compared."""
    found = [(entry.path, entry.metadata) for entry in entries]
    wanted = [(file.path, file.metadata) for file in files]
    require(all(type(entry) is FileEntry for entry in entries), "an entry is something else than a FileEntry")
    require([path for path, _ in found] == [path for path, _ in wanted], "a listing has other files or another order")
    require(found == wanted, "the metadata listed is not that of the files")

"""The part of the transport suite about whole files: round trips, atomicity, versions, conflicts, sizes."""

from wenchang.core import MemoryFile
from wenchang.errors import OversizeWriteError
from wenchang.testing._transport_checks import (
    FACT,
    Memory,
    metadata,
    require,
    require_absent,
    require_conflict,
    require_refusal,
)

CONTENTS = (
    "",
    "\n",
    "no final newline",
    "- [stated] caf\u00e9, cafe\u0301, 乔, \U0001f600, \u200f\u2028\u0085\n",
    "- [Stated] near\n-[stated] miss\n - [stated] es\n* [stated] of\n- [guessed] facts\n- [stated]\n",
    "\ufeffa\r\nb\rc\x0b\x0c\x1c\x00\n\n",
    '{"a": [1, null]}',
    "null",
)


class RoundTrips:
    """What is written is what is read."""

    def test_contents_are_kept_character_for_character(self, memory: Memory) -> None:
        """Other scripts, near misses of the fact syntax, other line ends, no final newline, nothing at all."""
        for number, content in enumerate(CONTENTS):
            written = memory.create(content, memory.path(f"n{number}"))
            require(written.content == content, f"write_file returned another content than {content!r}")
            memory.require_stands(written, f"after write_file with content {content!r}")

    def test_metadata_is_kept(self, memory: Memory) -> None:
        """No aliases with many sources, and aliases in their order with duplicates."""
        sources = frozenset(f"s{number}" for number in range(20))
        for number, given in enumerate(
            (metadata("", (), sources), metadata("\u4e54 \x0b", ("b", "a", "", "b", "caf\u00e9"), frozenset()))
        ):
            written = memory.create("x", memory.path(f"n{number}"), given)
            found = written.metadata
            require(found.description == given.description, "write_file changed the description")
            require(found.aliases == given.aliases, "write_file changed the aliases")
            require(found.sources == given.sources | {memory.source}, "write_file does not add the source to sources")
            memory.require_stands(written, "after write_file")

    def test_a_replacement_accumulates_sources(self, memory: Memory) -> None:
        """Those that stood there, those given, and the writer's; description and aliases are replaced."""
        first = memory.create("x", given=metadata("old", ("a",), frozenset({"one"})))
        second = memory.replace(first, "y", metadata("new", ("b",), frozenset({"two"})))
        require(second.metadata.sources == {"one", "two", memory.source}, "a replacement lost or invented sources")
        require(second.metadata.description == "new", "a replacement kept the description")
        require(second.metadata.aliases == ("b",), "a replacement merged the aliases")
        memory.require_stands(second, "after a replacement")


class Atomicity:
    """Body and metadata move together, or not at all."""

    def test_a_rejected_replacement_changes_nothing(self, memory: Memory) -> None:
        """Neither body nor metadata."""
        first = memory.create("x", given=metadata("old", ("a",)))
        second = memory.replace(first, "y", metadata("new", ("b",)))
        require_conflict(second, "a stale write_file", lambda: memory.replace(first, "z", metadata("newest", ("c",))))
        memory.require_stands(second, "after a rejected replacement")

    def test_delete_removes_body_and_metadata(self, memory: Memory) -> None:
        """A file made at the same path afterwards starts anew."""
        first = memory.create("x", given=metadata("old", ("a",), frozenset({"one"})))
        returned = memory.client.delete_file(first.path, first.version)  # type: ignore[func-returns-value]
        require(returned is None, "delete_file returned something")
        require_absent(first.path, "reading a deleted file", lambda: memory.client.read_file(first.path))
        again = memory.create("y")
        require(again.metadata.sources == {memory.source}, "metadata of a deleted file came back")
        require_conflict(again, "a write at the deleted version", lambda: memory.replace(first, "z"))

    def test_append_moves_body_and_time(self, memory: Memory) -> None:
        """The time of the change is later than before, and is the one that is stored."""
        first = memory.create("x\n")
        second = memory.append(first, FACT)
        require(second.content == f"x\n{FACT}\n", "append_line returned another content")
        require(second.metadata.last_updated > first.metadata.last_updated, "append_line kept the time")
        memory.require_stands(second, "after append_line")


class Versions:
    """Versions are handed back, never compared."""

    def test_every_operation_gives_a_version_that_the_next_accepts(self, memory: Memory) -> None:
        """Writing, reading, appending, replacing, and deleting."""
        client = memory.client
        file = memory.create("a")
        file = client.read_file(file.path)
        file = memory.replace(file, "b\n")
        file = memory.append(file, FACT)
        file = memory.exchange(file, "b\n", "c\n")
        require(client.read_file(file.path).content == f"c\n{FACT}\n", "a chain of changes gave another content")
        client.delete_file(file.path, file.version)
        require_absent(file.path, "reading a deleted file", lambda: client.read_file(file.path))

    def test_versions_from_listings_and_index_are_accepted(self, memory: Memory) -> None:
        """As if the file had been read."""
        path = memory.create("a").path
        (listed,) = memory.client.list_prefix(memory.prefix("notes")).entries
        memory.replace(MemoryFile(path, "", listed.metadata, listed.version), "b")
        entries = memory.client.get_memory_index(dict(memory.scopes[:1])).entries
        (indexed,) = (entry for entry in entries if entry.path == path)
        memory.replace(MemoryFile(path, "", indexed.metadata, indexed.version), "c")
        require(memory.client.read_file(path).content == "c", "a change at a listed version is lost")


class Conflicts:
    """A change from a version that no longer stands is refused, with what stands there."""

    def test_stale_changes_carry_the_current_content(self, memory: Memory) -> None:
        """And a version at which the change goes through."""
        first = memory.create("a\n")
        second = memory.replace(first, "b\n")
        require_conflict(second, "a stale append_line", lambda: memory.append(first, FACT))
        require_conflict(second, "a stale delete_file", lambda: memory.client.delete_file(first.path, first.version))
        error = require_conflict(second, "a stale write_file", lambda: memory.replace(first, "c\n"))
        memory.client.write_file(first.path, "c\n", metadata(), error.version, source=memory.source)
        require(memory.client.read_file(first.path).content == "c\n", "a change at a conflict's version is lost")

    def test_creating_over_a_file_is_a_conflict(self, memory: Memory) -> None:
        """And leaves it as it was."""
        first = memory.create("a", given=metadata("first"))
        require_conflict(first, "creating over a file", lambda: memory.create("b"))
        memory.require_stands(first, "after creating over a file")

    def test_a_version_where_nothing_stands_is_absence(self, memory: Memory) -> None:
        """For every operation that takes one."""
        version = memory.create("a", memory.path("other")).version
        ghost = MemoryFile(memory.path(), "", metadata(), version)
        require_absent(ghost.path, "write_file of an absent file", lambda: memory.replace(ghost, "x"))
        require_absent(ghost.path, "append_line to an absent file", lambda: memory.append(ghost, FACT))
        require_absent(ghost.path, "replace_fact in an absent file", lambda: memory.exchange(ghost, "a", "b"))
        require_absent(
            ghost.path, "delete_file of an absent file", lambda: memory.client.delete_file(ghost.path, version)
        )


class Sizes:
    """The limit counts the UTF-8 bytes of the body as it would be stored."""

    def test_a_body_of_exactly_the_limit_fits(self, memory: Memory, max_file_bytes: int) -> None:
        """One byte more does not, and stores nothing."""
        wide = "\u00e9" * (max_file_bytes // 2 - 1)
        exact = wide + "x" * (max_file_bytes - len(wide.encode()))
        over = OversizeWriteError(memory.path("over"), max_file_bytes + 1, max_file_bytes)
        require_refusal(over, "an oversize write_file", lambda: memory.create(f"{exact}x", memory.path("over")))
        require_absent(over.path, "reading after an oversize write", lambda: memory.client.read_file(over.path))
        memory.require_stands(memory.create(exact), "after a write of exactly the limit")

    def test_append_and_replace_count_the_outcome(self, memory: Memory, max_file_bytes: int) -> None:
        """Not the line or the text that was handed in."""
        line = "- [stated] \u00e9"
        room = max_file_bytes - len(f"\n{line}\n".encode())
        file = memory.create("x" * (room + 1))
        over = OversizeWriteError(file.path, max_file_bytes + 1, max_file_bytes)
        require_refusal(over, "an oversize append_line", lambda: memory.append(file, line))
        file = memory.replace(file, "x" * room)
        full = memory.append(file, line)
        require(len(full.content.encode()) == max_file_bytes, "append_line to exactly the limit gave another size")
        require_refusal(over, "an oversize replace_fact", lambda: memory.exchange(full, "\u00e9", "\u00e9x"))
        memory.require_stands(full, "after an oversize replace_fact")

    def test_the_system_area_can_be_written(self, memory: Memory) -> None:
        """Who may write there is decided above a transport."""
        path = memory.path(area="system")
        memory.require_stands(memory.create("- [system] x\n", path), "after a write under system/")

    def test_oversize_comes_before_staleness(self, memory: Memory, max_file_bytes: int) -> None:
        """There is no point in merging what can never be stored."""
        stale = memory.create("a")
        memory.replace(stale, "b")
        over = OversizeWriteError(stale.path, max_file_bytes + 1, max_file_bytes)
        require_refusal(over, "an oversize stale write_file", lambda: memory.replace(stale, "x" * (max_file_bytes + 1)))

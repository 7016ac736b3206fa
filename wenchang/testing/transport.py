"""The suite that any transport must pass: that the tools cannot tell it from a `MemoryStore` in their own process.

Everything is checked through the seven operations. The suite knows the limits of the store behind the client, because
the fixtures tell it; versions are handed back and never compared.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from wenchang.errors import NotFoundError, NotFoundReason
from wenchang.paths import is_valid_segment
from wenchang.testing._transport_checks import (
    FACT,
    Memory,
    fresh_memory,
    metadata,
    require,
    require_absent,
    require_refusal,
)
from wenchang.testing._transport_edits import Appends, MetadataEdits, Replacements
from wenchang.testing._transport_files import Atomicity, Conflicts, RoundTrips, Sizes, Versions
from wenchang.testing._transport_listings import Index, Listings
from wenchang.transport import TransportClient

__all__ = ["TransportConformance"]


class _Baseline:
    """The client is one, and the fixtures describe its store."""

    def test_is_a_transport(self, client: TransportClient) -> None:
        """It has the methods of the protocol."""
        require(isinstance(client, TransportClient), "a method of the protocol is missing")

    def test_fixtures_can_be_used(
        self,
        source: str,
        scope_map: Mapping[str, str],
        max_file_bytes: int,
        index_max_bytes: int,
        scope_priority: tuple[str, ...],
        list_page_size: int,
    ) -> None:
        """They have the types and the room that the suite needs."""
        require(type(source) is str and source != "", "the fixture source must be a non-empty str")
        segments = [segment for pair in scope_map.items() for segment in pair]
        require(len(scope_map) >= 2, "the fixture scope_map must name at least two scopes")
        require(all(is_valid_segment(segment) for segment in segments), "the fixture scope_map is no map of segments")
        for name, value, least in (
            ("max_file_bytes", max_file_bytes, 64),
            ("index_max_bytes", index_max_bytes, 1024),
            ("list_page_size", list_page_size, 1),
        ):
            require(type(value) is int and value >= least, f"the fixture {name} must be an int of at least {least}")
        exact = type(scope_priority) is tuple and all(type(scope) is str for scope in scope_priority)
        require(exact, "the fixture scope_priority must be a tuple of str")

    def test_what_is_written_can_be_read(self, memory: Memory) -> None:
        """Content and metadata, and nothing where nothing was written."""
        written = memory.create("x\n", given=metadata("d", ("a",)))
        require(written.path == memory.path(), "write_file returned another path")
        memory.require_stands(written, "after write_file")
        absent = memory.path("absent")
        require_absent(absent, "reading an absent file", lambda: memory.client.read_file(absent))


class _ErrorParity:
    """Errors are those of a `MemoryStore`, to the letter."""

    def test_a_bad_path_is_told_by_every_operation(self, memory: Memory) -> None:
        """As a place that cannot be, before anything else is looked at."""
        version = memory.create("x").version
        for path in ("", "a/b/c", "a/b/c/d.txt", "a/b/../d.md", f"/{memory.path()}", f"{memory.path()}/"):
            for name, call in _calls(memory, path, version, source="").items():
                require_refusal(NotFoundError(path, NotFoundReason.INVALID_PATH), f"{name} of {path!r}", call)

    def test_an_absent_file_is_told_by_every_operation(self, memory: Memory) -> None:
        """As a file that may be created."""
        version = memory.create("x", memory.path("other")).version
        for name, call in _calls(memory, memory.path(), version, source=memory.source).items():
            require_absent(memory.path(), f"{name} of an absent file", call)

    def test_an_empty_source_is_told_by_every_write(self, memory: Memory) -> None:
        """As a mistake of the caller, and nothing is written."""
        file = memory.create("x\n")
        calls = _calls(memory, file.path, file.version, source="")
        for name, message in (
            ("write_file", "source must be non-empty"),
            ("append_line", "line must be a single fact line and source must be non-empty"),
            ("replace_fact", "old_string and source must be non-empty"),
        ):
            require_refusal(ValueError(message), f"{name} with an empty source", calls[name])
        memory.require_stands(file, "after writes with an empty source")

    def test_a_bad_scope_map_is_told(self, memory: Memory) -> None:
        """By type, then by value."""
        wrong: tuple[tuple[Any, Exception], ...] = (
            ([("user", "u")], TypeError("scope_map must be a Mapping, not list")),
            (None, TypeError("scope_map must be a Mapping, not NoneType")),
            ({1: "u"}, TypeError("scope_map key must be str, got int")),
            ({"user": None}, TypeError("scope_map value must be str, got NoneType")),
            ({"a/b": "u"}, ValueError("invalid scope: 'a/b'")),
            ({"user": ""}, ValueError("invalid entity_id: ''")),
        )
        for given, error in wrong:
            require_refusal(error, f"the index of {given!r}", partial(memory.client.get_memory_index, given))


def _calls(memory: Memory, path: str, version: Any, *, source: str) -> dict[str, Callable[[], object]]:
    """Every operation on one file, at a version."""
    client = memory.client
    return {
        "read_file": lambda: client.read_file(path),
        "write_file": lambda: client.write_file(path, "x", metadata(), version, source=source),
        "append_line": lambda: client.append_line(path, FACT, version, source=source),
        "replace_fact": lambda: client.replace_fact(path, "x", "y", version, source=source),
        "delete_file": lambda: client.delete_file(path, version),
    }


class TransportConformance(
    _Baseline,
    RoundTrips,
    Atomicity,
    Versions,
    Conflicts,
    Sizes,
    Appends,
    Replacements,
    MetadataEdits,
    Listings,
    Index,
    _ErrorParity,
):
    """The contract of `wenchang.transport.TransportClient`, as tests. Agent layer, section 7.

    Subclass it under a name that pytest collects and supply these fixtures: `client`, over a store that is fresh and
    empty for each test; `source`, what writes name; `scope_map`, at least two scopes with the entities to write for;
    and what the store was made with: `max_file_bytes` (at least 64), `index_max_bytes` (at least 1024),
    `scope_priority` (a tuple), `list_page_size`. The store must take `list_page_size + 2` files an entity, and its
    clock must give each write a later time than the one before.

        class TestMyClient(TransportConformance):
            @pytest.fixture
            def client(self) -> TransportClient:
                return MyClient()
            ...
    """

    @pytest.fixture
    def memory(self, client: TransportClient, source: str, scope_map: Mapping[str, str]) -> Memory:
        """What most tests work in: the client, over a store that is found to be fresh."""
        return fresh_memory(client, source, scope_map)

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from tests.core.support import LINE, PATH, Interposed, meta, put_corrupt, put_entry, raising, seed, ticking, version
from wenchang.core import (
    DEFAULT_INDEX_MAX_BYTES,
    DEFAULT_LIST_PAGE_SIZE,
    DEFAULT_MAX_FILE_BYTES,
    DEFAULT_MAX_FILES_PER_ENTITY,
    DEFAULT_MAX_METADATA_BYTES,
    CappedPrefix,
    ListPage,
    MemoryFile,
    MemoryIndex,
    MemoryStore,
)
from wenchang.core.cursor import encode_cursor
from wenchang.errors import BackendUnavailableError, NotFoundError, NotFoundReason, TransientReason
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.index_cache import IndexCache, InMemoryIndexCache
from wenchang.storage.memory import InMemoryStorage

BAD_PATHS = ["", "user/u/a", "user/u/a/b.txt", "user//a/b.md", "/user/u/a/b.md", "user/u/a/../b.md", "user/u/a/.md"]


class Text(str):
    pass


class Pretender:
    """Says that it is a `str` and a `Sequence`; it is neither."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return str


# Construction


def test_the_defaults_are_the_documented_ones() -> None:
    assert (DEFAULT_MAX_FILE_BYTES, DEFAULT_LIST_PAGE_SIZE, DEFAULT_INDEX_MAX_BYTES) == (16384, 100, 65536)
    assert (DEFAULT_MAX_FILES_PER_ENTITY, DEFAULT_MAX_METADATA_BYTES) == (500, 8192)
    store = MemoryStore(InMemoryStorage())
    assert (store.index_max_bytes, store.scope_priority, store.index_cache) == (65536, (), None)


def test_the_default_clock_gives_the_current_time_in_utc() -> None:
    before = datetime.now(UTC)
    written = MemoryStore(InMemoryStorage()).write_file(PATH, "", meta(), None, source="t")
    assert before <= written.metadata.last_updated <= datetime.now(UTC)
    assert written.metadata.last_updated.utcoffset() == timedelta(0)


def test_the_priority_is_copied_to_exact_text() -> None:
    given = [Text("user"), "project"]
    store = MemoryStore(InMemoryStorage(), scope_priority=given)
    given.clear()
    assert store.scope_priority == ("user", "project")
    assert all(type(scope) is str for scope in store.scope_priority)


@pytest.mark.parametrize(
    ("priority", "message"),
    [
        ("user", "scope_priority must be a sequence of str, not str"),
        (b"user", "scope_priority must be a sequence of str, not bytes"),
        (bytearray(), "scope_priority must be a sequence of str, not bytearray"),
        ({"user"}, "scope_priority must be a sequence of str, not set"),
        pytest.param(Pretender(), "scope_priority must be a sequence of str, not Pretender", id="pretender"),
        (["user", 1], "scope_priority entry must be str, got int"),
        ([Pretender()], "scope_priority entry must be str, got Pretender"),
    ],
)
def test_a_priority_that_is_no_sequence_of_text_is_a_type_error(priority: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        MemoryStore(InMemoryStorage(), scope_priority=cast(Any, priority), max_file_bytes=0)
    assert str(caught.value) == message


def test_a_cache_that_is_none_is_a_type_error_before_any_value_error() -> None:
    with pytest.raises(TypeError):
        MemoryStore(InMemoryStorage(), index_cache=cast(Any, InMemoryIndexCache()), max_file_bytes=0)


@pytest.mark.parametrize("value", [0, -1])
@pytest.mark.parametrize(
    "name", ["max_file_bytes", "list_page_size", "index_max_bytes", "max_files_per_entity", "max_metadata_bytes"]
)
def test_a_limit_is_positive(name: str, value: int) -> None:
    with pytest.raises(ValueError, match="must be positive") as caught:
        MemoryStore(InMemoryStorage(), **cast(Any, {name: value}))
    assert str(caught.value) == f"{name} must be positive"


@pytest.mark.parametrize(
    ("priority", "message"),
    [
        (["user", ""], "invalid scope_priority entry: ''"),
        (["a/b"], "invalid scope_priority entry: 'a/b'"),
        (["user", "project", "user"], "duplicate scope_priority entry: 'user'"),
    ],
)
def test_a_priority_names_valid_scopes_once(priority: Sequence[str], message: str) -> None:
    with pytest.raises(ValueError, match="scope_priority") as caught:
        MemoryStore(InMemoryStorage(), scope_priority=priority)
    assert str(caught.value) == message


# Paths and reading


@pytest.mark.parametrize("path", BAD_PATHS)
def test_every_operation_refuses_a_malformed_path_before_anything_else(path: str) -> None:
    storage = Interposed()
    store = MemoryStore(storage)
    for operation in (
        lambda: store.read_file(path),
        lambda: store.write_file(path, "x" * 20000, meta(), None, source=""),
        lambda: store.append_line(path, "no fact", version("1"), source=""),
        lambda: store.replace_fact(path, "", "", version("1"), source=""),
        lambda: store.delete_file(path, version("1")),
    ):
        with pytest.raises(NotFoundError) as caught:
            operation()
        assert (caught.value.path, caught.value.reason) == (path, NotFoundReason.INVALID_PATH)
    assert storage.calls == []


def test_a_file_reads_back_as_written() -> None:
    store = MemoryStore(InMemoryStorage(), clock=ticking())
    content = "\ufeff- [stated] Käse\r\n\u2028\x85 no final newline"
    written = store.write_file(PATH, content, meta("é", ["b", "a", "b"], ["x"]), None, source="t")
    assert store.read_file(PATH) == written
    assert written == MemoryFile(
        PATH, content, meta("é", ["b", "a", "b"], ["t", "x"], datetime(2026, 1, 1, tzinfo=UTC)), version("1")
    )


def test_reading_an_absent_file_says_so() -> None:
    with pytest.raises(NotFoundError) as caught:
        MemoryStore(InMemoryStorage()).read_file(PATH)
    assert caught.value.reason is NotFoundReason.FILE_ABSENT


def test_a_body_that_is_no_utf8_is_reported_not_repaired() -> None:
    storage = InMemoryStorage()
    storage.put(PATH, b"\xff", metadata_to_map(meta()))
    with pytest.raises(UnicodeDecodeError):
        MemoryStore(storage).read_file(PATH)


def test_what_the_backend_raises_comes_through() -> None:
    storage = Interposed()
    storage.before["get"].append(raising(BackendUnavailableError(TransientReason.TIMEOUT)))
    with pytest.raises(BackendUnavailableError):
        MemoryStore(storage).read_file(PATH)


# Listing


def test_pages_cover_everything_once_in_order() -> None:
    storage = InMemoryStorage()
    paths = [f"user/u-1/a/{n}.md" for n in range(5)] + ["user/u-1/a-b/x.md", "user/u-2/a/x.md", "users/u/a/x.md"]
    for path in paths:
        put_entry(storage, path)
    store = MemoryStore(storage, list_page_size=2)
    seen, page = [], store.list_prefix("user/")
    while True:
        assert len(page.entries) <= 2
        seen += [entry.path for entry in page.entries]
        if page.next_cursor is None:
            break
        page = store.list_prefix("user/", page.next_cursor)
    assert seen == sorted(path for path in paths if path.startswith("user/"))


def test_a_full_last_page_has_no_successor() -> None:
    storage = Interposed()
    for n in range(2):
        put_entry(storage, f"user/u-1/a/{n}.md")
    page = MemoryStore(storage, list_page_size=2).list_prefix("user/u-1/a/")
    assert (len(page.entries), page.next_cursor) == (2, None)
    assert [call for call in storage.calls if call[0] != "put"] == [("list_page", "user/u-1/a/", None, 3)]


def test_keys_that_are_no_files_are_passed_over_but_keep_the_place() -> None:
    storage = InMemoryStorage()
    for key in ("user/u-1/a/0", "user/u-1/a/1/2.md"):
        storage.put(key, b"", {})
    put_entry(storage, "user/u-1/a/9.md")
    store = MemoryStore(storage, list_page_size=2)
    page = store.list_prefix("user/u-1/")
    assert page == ListPage((), encode_cursor("user/u-1/a/1/2.md"))
    assert [entry.path for entry in store.list_prefix("user/u-1/", page.next_cursor).entries] == ["user/u-1/a/9.md"]


def test_corrupt_metadata_fails_its_own_page_alone() -> None:
    storage = InMemoryStorage()
    put_entry(storage, "user/u-1/a/0.md")
    put_corrupt(storage, "user/u-1/a/1.md")
    put_entry(storage, "user/u-1/a/2.md")
    store = MemoryStore(storage, list_page_size=1)
    first = store.list_prefix("user/")
    assert [entry.path for entry in first.entries] == ["user/u-1/a/0.md"]
    with pytest.raises(MetadataFormatError):
        store.list_prefix("user/", first.next_cursor)
    after = store.list_prefix("user/", encode_cursor("user/u-1/a/1.md"))
    assert [entry.path for entry in after.entries] == ["user/u-1/a/2.md"]


@pytest.mark.parametrize("prefix", ["", "user", "user//", "a/b/c/d/", "/"])
def test_an_invalid_prefix_is_not_found(prefix: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        MemoryStore(InMemoryStorage()).list_prefix(prefix, encode_cursor("bad"))
    assert caught.value.reason is NotFoundReason.INVALID_PATH


def test_a_foreign_cursor_is_refused_before_storage_is_asked() -> None:
    storage = Interposed()
    with pytest.raises(ValueError, match="was not issued for prefix 'user/'"):
        MemoryStore(storage).list_prefix("user/", encode_cursor("project/p/a/b.md"))
    assert storage.calls == []


# The index


@pytest.mark.parametrize(
    ("scope_map", "message"),
    [
        ([("user", "u")], "scope_map must be a Mapping, not list"),
        (None, "scope_map must be a Mapping, not NoneType"),
        ({1: "u"}, "scope_map key must be str, got int"),
        ({"user": None}, "scope_map value must be str, got NoneType"),
        ({"": "u", "user": Pretender()}, "scope_map value must be str, got Pretender"),
    ],
)
def test_a_scope_map_of_the_wrong_types_is_a_type_error(scope_map: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        MemoryStore(InMemoryStorage()).get_memory_index(cast(Any, scope_map))
    assert str(caught.value) == message


class OddItems(dict[str, str]):
    def __init__(self, *items: object) -> None:
        super().__init__()
        self.odd = items
        self.reads = 0

    def items(self) -> Any:
        self.reads += 1
        return iter(self.odd)


@pytest.mark.parametrize("item", [["user", "u"], ("user",), ("user", "u", "x"), "ab"])
def test_a_scope_map_item_is_a_pair(item: object) -> None:
    with pytest.raises(TypeError) as caught:
        MemoryStore(InMemoryStorage()).get_memory_index(OddItems(item))
    assert str(caught.value) == "scope_map items must be (str, str) pairs"


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([("user", "u"), ("a/b", "u")], "invalid scope: 'a/b'"),
        ([("user", "..")], "invalid entity_id: '..'"),
        ([("user", "u"), (Text("user"), "v")], "duplicate scope: 'user'"),
    ],
)
def test_a_scope_map_of_invalid_names_is_a_value_error(items: list[object], message: str) -> None:
    storage = Interposed()
    with pytest.raises(ValueError, match=r"scope|entity_id") as caught:
        MemoryStore(storage).get_memory_index(OddItems(*items))
    assert str(caught.value) == message
    assert storage.calls == []


def test_the_items_of_a_scope_map_are_read_once() -> None:
    scope_map = OddItems(("user", "u"))
    MemoryStore(InMemoryStorage()).get_memory_index(scope_map)
    assert scope_map.reads == 1


def test_an_empty_map_gives_an_empty_index() -> None:
    storage = Interposed()
    assert MemoryStore(storage).get_memory_index({}) == MemoryIndex()
    assert storage.calls == []


@pytest.mark.parametrize("page_size", [1, 2, 3, 100])
def test_the_index_drains_every_page_also_past_empty_ones(page_size: int) -> None:
    storage = InMemoryStorage()
    for n in range(4):
        storage.put(f"user/u-1/a/{n}", b"", {})
    put_entry(storage, "user/u-1/a/9.md")
    put_entry(storage, "user/u-2/a/9.md")
    put_entry(storage, "project/p-1/a/9.md")
    index = MemoryStore(storage, list_page_size=page_size).get_memory_index({"user": "u-1", "project": "p-1"})
    assert [entry.path for entry in index.entries] == ["project/p-1/a/9.md", "user/u-1/a/9.md"]


def test_the_index_pages_by_itself_whatever_a_subclass_makes_of_list_prefix() -> None:
    class Closed(MemoryStore):
        def list_prefix(self, prefix: str, cursor: object = None) -> ListPage:
            raise AssertionError("the index must not come through here")

    storage = InMemoryStorage()
    put_entry(storage, PATH)
    assert len(Closed(storage).get_memory_index({"user": "u-1"}).entries) == 1


def test_one_corrupt_file_fails_the_whole_index() -> None:
    storage = InMemoryStorage()
    put_entry(storage, PATH)
    put_corrupt(storage, "project/p-1/a/b.md")
    store = MemoryStore(storage)
    with pytest.raises(MetadataFormatError, match="aliases: missing required key"):
        store.get_memory_index({"user": "u-1", "project": "p-1"})
    assert len(store.get_memory_index({"user": "u-1"}).entries) == 1


def test_the_size_check_cuts_at_the_byte() -> None:
    storage = InMemoryStorage()
    path = "user/u-tianlong/preferences/prose-style.md"
    seed_store = MemoryStore(storage, clock=ticking())
    metadata = meta("Prose style preferences", ["narration", "voice"])
    seed_store.write_file(path, LINE, metadata, None, source="inkwell-web")
    fits = MemoryStore(storage, index_max_bytes=160).get_memory_index({"user": "u-tianlong"})
    assert ([entry.path for entry in fits.entries], fits.capped) == ([path], ())
    capped = MemoryStore(storage, index_max_bytes=159).get_memory_index({"user": "u-tianlong"})
    assert capped == MemoryIndex((), (CappedPrefix("user/u-tianlong/preferences/", 1),))


def test_an_index_with_a_cache_equals_one_without() -> None:
    storage = InMemoryStorage()
    cache = InMemoryIndexCache()
    plain = MemoryStore(storage, clock=ticking(), scope_priority=["user"], index_max_bytes=500)
    cached = MemoryStore(
        storage, scope_priority=["user"], index_max_bytes=500, index_cache=IndexCache(cache.get, cache.set)
    )
    for n in range(6):
        seed(plain, f"user/u-1/a{n % 2}/{n}.md", metadata=meta("é💡", ["\u2028", "é"]))
    scope_map = {"user": "u-1", "project": "none"}
    expected = plain.get_memory_index(scope_map)
    assert expected.capped
    assert [cached.get_memory_index(scope_map) for _ in range(2)] == [expected, expected]

"""Creating, replacing and deleting files; and the limits and refusals that all writes share."""

from collections.abc import Callable
from datetime import datetime

import pytest

from tests.core.support import LINE, PATH, Interposed, attached, meta, put_corrupt, seed, ticking, version
from wenchang.core import MemoryStore
from wenchang.errors import (
    NotFoundError,
    NotFoundReason,
    OversizeMetadataError,
    OversizeWriteError,
    VersionConflictError,
)
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.storage.memory import InMemoryStorage

Write = Callable[[MemoryStore], object]

WRITES: dict[str, Write] = {
    "write": lambda store: store.write_file(PATH, "new", meta(), version("1"), source="t"),
    "append": lambda store: store.append_line(PATH, LINE, version("1"), source="t"),
    "replace": lambda store: store.replace_fact(PATH, LINE, "new", version("1"), source="t"),
    "delete": lambda store: store.delete_file(PATH, version("1")),
}
UPDATES = {name: write for name, write in WRITES.items() if name != "delete"}
every_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
every_update = pytest.mark.parametrize("write", UPDATES.values(), ids=UPDATES)


# Creating and replacing


def test_creating_over_a_file_is_a_conflict_that_shows_it() -> None:
    store = MemoryStore(InMemoryStorage())
    seed(store, PATH, "there")
    with pytest.raises(VersionConflictError) as caught:
        seed(store, PATH, "mine")
    assert attached(caught.value) == ("there", "1")
    assert store.read_file(PATH).content == "there"


def test_creating_reads_nothing() -> None:
    storage = Interposed()
    MemoryStore(storage, max_files_per_entity=None).write_file(PATH, "", meta(), None, source="t")
    assert storage.calls == [("put_if_version", PATH, None)]


def test_replacing_sets_description_and_aliases_and_adds_to_sources() -> None:
    store = MemoryStore(InMemoryStorage(), clock=ticking())
    seed(store, PATH, metadata=meta("old", ["old"], ["first"]))
    when = datetime.fromisoformat("2001-01-01T00:00:00Z")
    written = store.write_file(PATH, "", meta("new", ["new"], ["given"], when), version("1"), source="t")
    assert written.metadata == meta(
        "new", ["new"], ["first", "given", "seed-job", "t"], datetime.fromisoformat("2026-01-01T00:00:01Z")
    )
    assert store.read_file(PATH) == written


@pytest.mark.parametrize("token", ["2", "", "0", "01", "1\n", " 1", "abc"])
@every_write
def test_any_token_but_the_current_one_is_a_conflict(write: Write, token: str) -> None:
    store = MemoryStore(InMemoryStorage())
    seed(store, PATH, "other")
    calls: list[Write] = [
        lambda s: s.write_file(PATH, "new", meta(), version(token), source="t"),
        lambda s: s.append_line(PATH, LINE, version(token), source="t"),
        lambda s: s.replace_fact(PATH, "absent", "", version(token), source="t"),
        lambda s: s.delete_file(PATH, version(token)),
    ]
    for call in calls:
        with pytest.raises(VersionConflictError) as caught:
            call(store)
        assert attached(caught.value) == ("other", "1")


@every_write
def test_a_token_on_an_absent_file_is_file_absent(write: Write) -> None:
    with pytest.raises(NotFoundError) as caught:
        write(MemoryStore(InMemoryStorage()))
    assert caught.value.reason is NotFoundReason.FILE_ABSENT


def test_replacing_unreadable_metadata_reports_it_even_when_stale() -> None:
    storage = InMemoryStorage()
    put_corrupt(storage, PATH)
    store = MemoryStore(storage)
    for token in ("1", "9"):
        with pytest.raises(MetadataFormatError):
            store.write_file(PATH, "new", meta(), version(token), source="t")


def test_replacing_does_not_read_the_body_it_replaces() -> None:
    storage = InMemoryStorage()
    storage.put(PATH, b"\xff", metadata_to_map(meta()))
    written = MemoryStore(storage).write_file(PATH, "healed", meta(), version("1"), source="t")
    assert (written.content, written.version) == ("healed", "2")


@pytest.mark.parametrize("expected", [None, version("1")])
def test_a_write_that_loses_at_the_put_is_a_conflict_and_is_not_repeated(expected: None) -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    if expected is not None:
        seed(other, PATH)
    storage.before["put_if_version"].append(lambda: storage.inner.put(PATH, b"theirs", metadata_to_map(meta())))
    with pytest.raises(VersionConflictError) as caught:
        MemoryStore(storage).write_file(PATH, "mine", meta(), expected, source="t")
    assert caught.value.content == "theirs"
    assert storage.count("put_if_version") == 1


@every_write
def test_a_file_deleted_just_before_the_change_is_absent(write: Write) -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH)
    method = "delete_if_version" if write is WRITES["delete"] else "put_if_version"
    storage.before[method].append(lambda: other.delete_file(PATH, version("1")))
    with pytest.raises(NotFoundError) as caught:
        write(MemoryStore(storage))
    assert caught.value.reason is NotFoundReason.FILE_ABSENT


def test_a_stale_writer_is_refused_after_delete_and_create() -> None:
    store = MemoryStore(InMemoryStorage())
    seed(store, PATH, "first")
    store.delete_file(PATH, version("1"))
    seed(store, PATH, "second")
    with pytest.raises(VersionConflictError) as caught:
        store.write_file(PATH, "mine", meta(), version("1"), source="t")
    assert attached(caught.value) == ("second", "2")


# Arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.write_file(PATH, "", meta(), None, source=""), "source must be non-empty"),
        (
            lambda s: s.append_line(PATH, LINE, version("1"), source="", aliases=1),
            "line must be a single fact line and source must be non-empty",
        ),
        (
            lambda s: s.append_line(PATH, "no fact", version("1"), source="t", aliases=1),
            "line must be a single fact line and source must be non-empty",
        ),
        (
            lambda s: s.append_line(PATH, LINE + "\n" + LINE, version("1"), source="t"),
            "line must be a single fact line and source must be non-empty",
        ),
        (
            lambda s: s.replace_fact(PATH, "", "b", version("1"), source="t", aliases=1),
            "old_string and source must be non-empty",
        ),
        (
            lambda s: s.replace_fact(PATH, "a", "b", version("1"), source=""),
            "old_string and source must be non-empty",
        ),
    ],
)
def test_empty_and_malformed_arguments_are_refused_before_storage(call: Write, message: str) -> None:
    storage = Interposed()
    with pytest.raises(ValueError, match="non-empty") as caught:
        call(MemoryStore(storage))
    assert str(caught.value) == message
    assert storage.calls == []


@pytest.mark.parametrize(
    ("extra", "error", "message"),
    [
        ({"aliases": "ab"}, TypeError, "aliases must be a sequence of str, not str"),
        ({"aliases": b"ab"}, TypeError, "aliases must be a sequence of str, not bytes"),
        ({"aliases": {"a"}}, TypeError, "aliases must be a sequence of str, not set"),
        ({"aliases": ["a", None]}, TypeError, "aliases entry must be str, got NoneType"),
        ({"description": 1}, TypeError, "description must be a str, not int"),
        ({"description": "a\nb", "aliases": [1]}, TypeError, "aliases entry must be str, got int"),
        ({"description": "a\nb"}, ValueError, "description must not contain a newline or carriage return"),
        ({"description": "a\r"}, ValueError, "description must not contain a newline or carriage return"),
        ({"description": "\ud800"}, ValueError, "description is not valid UTF-8 text"),
        ({"aliases": ["a", "\ud800"]}, ValueError, "aliases is not valid UTF-8 text"),
        ({"source": "\ud800"}, ValueError, "source is not valid UTF-8 text"),
    ],
)
def test_extra_metadata_is_checked_before_storage(
    extra: dict[str, object], error: type[Exception], message: str
) -> None:
    storage = Interposed()
    store = MemoryStore(storage)
    calls: list[Callable[..., object]] = [
        lambda **given: store.append_line(PATH, LINE, version("1"), **given),
        lambda **given: store.replace_fact(PATH, "a", "b", version("1"), **given),
    ]
    for call in calls:
        with pytest.raises(error) as caught:
            call(**{"source": "t", **extra})
        assert str(caught.value) == message
    assert storage.calls == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.write_file(PATH, "\udfff", meta(), None, source="t"), "content is not valid UTF-8 text"),
        (lambda s: s.write_file(PATH, "", meta("\udfff"), None, source="t"), "description is not valid UTF-8 text"),
        (lambda s: s.write_file(PATH, "", meta("", ["\udfff"]), None, source="t"), "aliases is not valid UTF-8 text"),
        (
            lambda s: s.write_file(PATH, "", meta("", [], ["\udfff"]), None, source="t"),
            "sources is not valid UTF-8 text",
        ),
        (lambda s: s.write_file(PATH, "", meta(), None, source="\udfff"), "source is not valid UTF-8 text"),
        (
            lambda s: s.append_line(PATH, "- [stated] \udfff", version("1"), source="t"),
            "line is not valid UTF-8 text",
        ),
        (
            lambda s: s.replace_fact(PATH, "a", "\udfff", version("1"), source="t"),
            "new_string is not valid UTF-8 text",
        ),
    ],
)
def test_unpaired_surrogates_are_refused_before_storage(call: Write, message: str) -> None:
    storage = Interposed()
    with pytest.raises(ValueError, match="UTF-8") as caught:
        call(MemoryStore(storage))
    assert str(caught.value) == message
    assert storage.calls == []


def test_a_path_with_an_unpaired_surrogate_is_read_listed_and_deleted_but_not_written() -> None:
    path = "user/u-1/notes/\ud800.md"
    storage = InMemoryStorage()
    storage.put(path, b"old", metadata_to_map(meta()))
    store = MemoryStore(storage)
    writes: list[Callable[[], object]] = [
        lambda: store.write_file(path, "", meta(), None, source="t"),
        lambda: store.append_line(path, LINE, version("1"), source="t"),
        lambda: store.replace_fact(path, "old", "", version("1"), source="t"),
    ]
    for write in writes:
        with pytest.raises(NotFoundError) as caught:
            write()
        assert (caught.value.path, caught.value.reason) == (path, NotFoundReason.INVALID_PATH)
    assert store.read_file(path).content == "old"
    assert [entry.path for entry in store.list_prefix("user/").entries] == [path]
    assert len(store.get_memory_index({"user": "u-1"}).entries) == 1
    store.delete_file(path, version("1"))
    assert store.list_prefix("user/").entries == ()


# Sizes


def test_a_body_may_be_exactly_as_large_as_the_limit_in_utf8_bytes() -> None:
    store = MemoryStore(InMemoryStorage(), max_file_bytes=4)
    assert store.write_file(PATH, "éé", meta(), None, source="t").content == "éé"
    with pytest.raises(OversizeWriteError) as caught:
        store.write_file("user/u-1/notes/b.md", "ééa", meta(), None, source="t")
    assert (caught.value.size, caught.value.limit) == (5, 4)


def test_the_size_of_a_write_is_told_before_its_staleness_and_without_reading() -> None:
    storage = Interposed()
    with pytest.raises(OversizeWriteError):
        MemoryStore(storage, max_file_bytes=1).write_file(PATH, "ab", meta(), version("9"), source="t")
    assert storage.calls == []


def test_staleness_is_told_before_the_size_of_an_append_or_replacement() -> None:
    storage = InMemoryStorage()
    seed(MemoryStore(storage), PATH, LINE)
    store = MemoryStore(storage, max_file_bytes=len(LINE))
    with pytest.raises(VersionConflictError):
        store.append_line(PATH, LINE, version("9"), source="t")
    with pytest.raises(VersionConflictError):
        store.replace_fact(PATH, "absent", "x" * 99, version("9"), source="t")
    with pytest.raises(OversizeWriteError) as caught:
        store.append_line(PATH, LINE, version("1"), source="t")
    assert (caught.value.size, caught.value.limit) == (2 * len(LINE) + 2, len(LINE))
    with pytest.raises(OversizeWriteError):
        store.replace_fact(PATH, LINE, LINE + "é", version("1"), source="t")
    assert store.read_file(PATH).content == LINE


@every_update
def test_metadata_may_be_exactly_as_large_as_the_limit(write: Write) -> None:
    storage = InMemoryStorage()
    seed(MemoryStore(storage, clock=ticking()), PATH)
    clock = ticking()
    clock()
    write(MemoryStore(storage, clock=clock))
    stored = storage.get(PATH)
    assert stored is not None
    size = len("".join([*stored.metadata.keys(), *stored.metadata.values()]).encode())

    again = InMemoryStorage()
    seed(MemoryStore(again, clock=ticking()), PATH)
    with pytest.raises(OversizeMetadataError) as caught:
        write(MemoryStore(again, clock=ticking(), max_metadata_bytes=size - 1))
    assert (caught.value.size, caught.value.limit) == (size, size - 1)
    assert (again.get(PATH) or stored).version == "1"
    write(MemoryStore(again, clock=ticking(), max_metadata_bytes=size))


def test_metadata_is_measured_as_stored() -> None:
    # 37 bytes of keys, 20 of time, `["t"]`, `["\\u00e9"]` escaped, the description in UTF-8.
    store = MemoryStore(InMemoryStorage(), clock=ticking(), max_metadata_bytes=1)
    with pytest.raises(OversizeMetadataError) as caught:
        store.write_file(PATH, "", meta("é", ["é"]), None, source="t")
    assert caught.value.size == 37 + 20 + 5 + 10 + 2


# The clock


@every_update
def test_a_clock_without_an_offset_stops_the_write(write: Write) -> None:
    storage = InMemoryStorage()
    seed(MemoryStore(storage), PATH)
    with pytest.raises(ValueError, match="last_updated must be timezone-aware"):
        write(MemoryStore(storage, clock=lambda: datetime(2026, 1, 1)))
    assert MemoryStore(storage).read_file(PATH).content == LINE + "\n"


def test_only_a_write_that_reaches_the_put_reads_the_clock() -> None:
    ticks: list[int] = []
    clock = ticking()

    def counted() -> datetime:
        ticks.append(1)
        return clock()

    store = MemoryStore(InMemoryStorage(), clock=counted, max_file_bytes=100, max_files_per_entity=1)
    seed(store, PATH)
    refused: list[Callable[[], object]] = [
        lambda: seed(store, "user/u-1/notes/new.md"),
        lambda: store.write_file(PATH, "x" * 101, meta(), version("1"), source="t"),
        lambda: store.write_file(PATH, "", meta(), version("9"), source="t"),
        lambda: store.append_line(PATH, LINE, version("9"), source="t"),
        lambda: store.append_line(PATH, LINE + "x" * 99, version("1"), source="t"),
        lambda: store.replace_fact(PATH, "absent", "", version("1"), source="t"),
        lambda: store.delete_file(PATH, version("9")),
    ]
    for call in refused:
        with pytest.raises(Exception, match="scope user"):
            call()
    store.read_file(PATH)
    store.get_memory_index({"user": "u-1"})
    assert len(ticks) == 1
    store.delete_file(PATH, version("1"))
    assert len(ticks) == 1


# Deleting


def test_deleting_removes_body_and_metadata() -> None:
    storage = InMemoryStorage()
    store = MemoryStore(storage)
    seed(store, PATH)
    store.delete_file(PATH, version("1"))
    assert storage.get(PATH) is None
    assert store.list_prefix("user/").entries == ()


def test_a_corrupt_file_can_be_deleted() -> None:
    storage = InMemoryStorage()
    storage.put(PATH, b"\xff", {})
    store = MemoryStore(storage)
    with pytest.raises(UnicodeDecodeError):
        store.delete_file(PATH, version("9"))
    store.delete_file(PATH, version("1"))
    assert storage.get(PATH) is None


def test_a_delete_that_loses_at_the_last_step_is_a_conflict() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH)
    storage.before["delete_if_version"].append(lambda: other.append_line(PATH, LINE, version("1"), source="t"))
    with pytest.raises(VersionConflictError) as caught:
        MemoryStore(storage).delete_file(PATH, version("1"))
    assert attached(caught.value) == (LINE + "\n" + LINE + "\n", "2")


def test_the_system_area_is_written_like_any_other() -> None:
    store = MemoryStore(InMemoryStorage())
    seed(store, "user/u-1/system/style.md")
    store.append_line("user/u-1/system/style.md", LINE, version("1"), source="t")
    assert store.read_file("user/u-1/system/style.md").version == "2"

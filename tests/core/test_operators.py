import logging
import pickle
import threading
from itertools import count
from typing import Any, cast

import pytest

from tests.core.support import PATH, Interposed, put_corrupt, put_entry, raising, seed
from wenchang.core import (
    PURGE_MAX_PASSES,
    ExportedObject,
    MemoryStore,
    OperationCancelledError,
    Progress,
    PurgeIncompleteError,
)
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.index_cache import IndexCache
from wenchang.storage.memory import InMemoryStorage

ENTITY = "user/u-1/"
PATIENCE = 30


class Sets:
    """A cache that counts what is set, and fails when told to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.keys: list[str] = []
        self.error = error

    def set(self, key: str, value: str, ttl: object) -> None:
        self.keys.append(key)
        if self.error is not None:
            raise self.error

    def cache(self) -> IndexCache:
        return IndexCache(get=lambda key: None, set=self.set)


def mixed(storage: Interposed | InMemoryStorage) -> list[str]:
    """A file, a system file, a corrupt file, a malformed key, and a neighbour that is none of the entity's."""
    put_entry(storage, PATH)
    put_entry(storage, "user/u-1/system/a.md")
    put_corrupt(storage, "user/u-1/notes/corrupt.md")
    storage.put("user/u-1/no file", b"\xff", {"k": "v"})
    put_entry(storage, "user/u-10/notes/a.md")
    return sorted([PATH, "user/u-1/system/a.md", "user/u-1/notes/corrupt.md", "user/u-1/no file"])


# Purge


@pytest.mark.parametrize("page_size", [1, 2, 100])
def test_a_purge_deletes_everything_of_the_entity_and_nothing_else(page_size: int) -> None:
    storage = Interposed()
    mixed(storage)
    assert MemoryStore(storage, list_page_size=page_size).purge("user", "u-1") == 4
    assert storage.list_page(ENTITY, None, 9) == []
    assert storage.inner.get("user/u-10/notes/a.md") is not None
    assert storage.count("get") == 0
    assert MemoryStore(storage).purge("user", "u-1") == 0


def test_what_is_written_during_a_purge_goes_in_the_next_pass() -> None:
    storage = Interposed()
    mixed(storage)
    storage.before["delete_if_version"].append(lambda: put_entry(storage.inner, PATH))
    storage.after["delete_if_version"] += [lambda: None, lambda: put_entry(storage.inner, "user/u-1/a/behind.md")]
    # Three of the four listed, then the rewritten one and the one that came in behind the listing.
    assert MemoryStore(storage).purge("user", "u-1") == 5
    starts = [call for call in storage.calls if call[0] == "list_page" and call[2] is None]
    assert len(starts) == 3


def test_a_purge_gives_up_after_its_passes_and_one_last_look() -> None:
    storage = Interposed()
    put_entry(storage, PATH)
    storage.after["delete_if_version"] += [lambda: put_entry(storage.inner, PATH)] * 10
    with pytest.raises(PurgeIncompleteError) as caught:
        MemoryStore(storage).purge("user", "u-1", max_passes=3)
    assert (caught.value.scope, caught.value.entity_id, caught.value.passes) == ("user", "u-1", 3)
    assert storage.count("list_page") == 4
    assert storage.count("delete_if_version") == 3


def test_a_purge_that_ends_with_its_last_pass_is_complete() -> None:
    storage = Interposed()
    put_entry(storage, PATH)
    assert MemoryStore(storage).purge("user", "u-1", max_passes=1) == 1
    assert PURGE_MAX_PASSES == 5


def test_a_purge_deletes_each_object_at_the_version_it_listed() -> None:
    storage = Interposed()
    put_entry(storage, PATH)
    storage.before["delete_if_version"].append(lambda: put_entry(storage.inner, PATH))
    assert MemoryStore(storage).purge("user", "u-1") == 1
    assert [call[2] for call in storage.calls if call[0] == "delete_if_version"] == ["1", "2"]


@pytest.mark.parametrize(
    ("scope", "entity_id", "passes", "error"),
    [
        (1, "u", 1, TypeError),
        ("", None, 1, TypeError),
        ("", "u", True, TypeError),
        ("", "u", 1.0, TypeError),
        ("", "u", 1, ValueError),
        ("user", "a/b", 1, ValueError),
        ("user", "u", 0, ValueError),
        ("user", "u", -1, ValueError),
    ],
)
def test_a_purge_checks_its_arguments_before_storage_and_cache(
    scope: object, entity_id: object, passes: object, error: type[Exception]
) -> None:
    storage, sets = Interposed(), Sets()
    store = MemoryStore(storage, index_cache=sets.cache())
    with pytest.raises(error):
        store.purge(cast(Any, scope), cast(Any, entity_id), max_passes=cast(Any, passes))
    assert (storage.calls, sets.keys) == ([], [])


def test_a_purge_invalidates_once_after_the_last_storage_call() -> None:
    storage, sets = Interposed(), Sets()
    mixed(storage)
    storage.after["list_page"] += [lambda: sets.keys.append("listed")] * 2
    MemoryStore(storage, index_cache=sets.cache()).purge("user", "u-1")
    prefix = "wenchang:index:"
    assert sets.keys == ["listed", "listed", f"{prefix}token/user/u-1", f"{prefix}listing/user/u-1"]


def test_a_cache_that_fails_after_a_purge_is_the_operators_business() -> None:
    storage = InMemoryStorage()
    put_entry(storage, PATH)
    with pytest.raises(OSError, match="down"):
        MemoryStore(storage, index_cache=Sets(OSError("down")).cache()).purge("user", "u-1")
    assert storage.list_page(ENTITY, None, 1) == []


@pytest.mark.parametrize(
    "error", [BackendUnavailableError(TransientReason.TIMEOUT), KeyboardInterrupt()], ids=["backend", "interrupt"]
)
def test_a_failing_purge_raises_its_own_error_and_logs_that_of_the_cache(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    storage, sets = Interposed(), Sets(OSError("u-1"))
    mixed(storage)
    storage.before["delete_if_version"] += [lambda: None, raising(error)]
    with pytest.raises(type(error)), caplog.at_level(logging.WARNING, "wenchang.core"):
        MemoryStore(storage, index_cache=sets.cache()).purge("user", "u-1")
    assert len(sets.keys) == 1
    assert [record.name for record in caplog.records] == ["wenchang.core"]
    assert "OSError" in caplog.text
    assert "u-1" not in caplog.text
    # Deletions before the failure stand.
    assert len(storage.inner.list_page(ENTITY, None, 9)) == 3


# Export


@pytest.mark.parametrize("page_size", [1, 100])
def test_an_export_holds_every_object_as_stored_in_order(page_size: int) -> None:
    storage, sets = InMemoryStorage(), Sets()
    keys = mixed(storage)
    exported = MemoryStore(storage, list_page_size=page_size, index_cache=sets.cache()).export("user", "u-1")
    assert [found.key for found in exported] == keys
    assert exported[0] == ExportedObject("user/u-1/no file", b"\xff", {"k": "v"}, exported[0].version)
    assert exported[0].version == "4"
    assert sets.keys == []


def test_exported_metadata_is_read_only() -> None:
    storage = InMemoryStorage()
    put_entry(storage, PATH)
    (exported,) = MemoryStore(storage).export("user", "u-1")
    with pytest.raises(TypeError):
        cast(Any, exported.metadata)["description"] = "changed"


def test_an_object_that_vanishes_during_an_export_is_left_out() -> None:
    storage = Interposed()
    mixed(storage)
    other = MemoryStore(storage.inner)
    storage.before["get"].append(lambda: other.purge("user", "u-1"))
    assert MemoryStore(storage).export("user", "u-1") == ()


@pytest.mark.parametrize(("scope", "entity_id", "error"), [("", 1, TypeError), ("", "u", ValueError)])
def test_an_export_checks_its_arguments(scope: str, entity_id: object, error: type[Exception]) -> None:
    storage = Interposed()
    with pytest.raises(error):
        MemoryStore(storage).export(scope, cast(Any, entity_id))
    assert storage.calls == []


def test_an_export_can_be_restored() -> None:
    storage = InMemoryStorage()
    store = MemoryStore(storage)
    seed(store, PATH, "- [stated] Käse\r")
    exported = store.export("user", "u-1")
    store.purge("user", "u-1")
    for found in exported:
        storage.put(found.key, found.data, found.metadata)
    again = store.export("user", "u-1")
    assert [(o.key, o.data, dict(o.metadata)) for o in again] == [(o.key, o.data, dict(o.metadata)) for o in exported]
    assert again[0].version != exported[0].version


# Many requests at a time


class Crowd(Interposed):
    """A storage far away: `together` deletions, gets or listings of a whole prefix are under way before one ends."""

    def __init__(self, together: int) -> None:
        super().__init__()
        self.concurrency = together
        self._barrier = threading.Barrier(together)
        self.crowded: set[str] = set()
        self.refused: dict[str, BaseException] = {}

    def _enter(self, method: str, *details: object) -> None:
        self.calls.append((method, *details))
        if method in self.crowded:
            self._barrier.wait(PATIENCE)
        error = self.refused.get(str(details[0]))
        if error is not None:
            raise error


def many(storage: Interposed, number: int) -> list[str]:
    keys = [f"user/u-1/notes/{at:03}.md" for at in range(number)]
    for key in keys:
        put_entry(storage.inner, key)
    return keys


@pytest.mark.parametrize("method", ["delete_if_version", "get"])
def test_a_purge_and_an_export_send_many_requests_at_a_time_and_list_once(method: str) -> None:
    storage = Crowd(8)
    keys = many(storage, 24)
    storage.crowded.add(method)
    if method == "get":
        assert [found.key for found in MemoryStore(storage).export("user", "u-1")] == keys
        assert storage.count("list_page") == 1
    else:
        assert MemoryStore(storage).purge("user", "u-1") == 24
        assert storage.count("list_page") == 2
    assert storage.count(method) == 24


def test_progress_counts_each_object_once() -> None:
    storage = Crowd(4)
    keys = many(storage, 3)
    told: list[Progress] = []
    MemoryStore(storage).export("user", "u-1", on_progress=told.append)
    assert told == [Progress(1, 3, keys[0]), Progress(2, 3, keys[1]), Progress(3, 3, keys[2])]
    told.clear()
    assert MemoryStore(storage).purge("user", "u-1", on_progress=told.append) == 3
    assert told == [Progress(1, 3, keys[0]), Progress(2, 3, keys[1]), Progress(3, 3, keys[2])]


def test_progress_of_a_purge_counts_confirmed_deletions_alone() -> None:
    storage = Interposed()
    keys = many(storage, 3)
    storage.before["delete_if_version"] += [lambda: None, lambda: put_entry(storage.inner, keys[1])]
    told: list[Progress] = []
    MemoryStore(storage).purge("user", "u-1", on_progress=told.append)
    assert told == [Progress(1, 3, keys[0]), Progress(2, 3, keys[2]), Progress(3, 3, keys[1])]


def test_when_one_deletion_fails_those_under_way_count() -> None:
    storage, sets = Crowd(4), Sets()
    keys = many(storage, 4)
    storage.crowded.add("delete_if_version")
    storage.refused[keys[1]] = BackendUnavailableError(TransientReason.TIMEOUT)
    told: list[Progress] = []
    with pytest.raises(BackendUnavailableError):
        MemoryStore(storage, index_cache=sets.cache()).purge("user", "u-1", on_progress=told.append)
    assert told == [Progress(1, 4, keys[0]), Progress(2, 4, keys[2]), Progress(3, 4, keys[3])]
    assert [listed.key for listed in storage.inner.list_page(ENTITY, None, 9)] == [keys[1]]
    assert len(sets.keys) == 2


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_cancelled_purge_tells_exactly_what_it_did(concurrency: int) -> None:
    storage, sets, asked = Crowd(concurrency), Sets(), count()
    many(storage, 40)
    told: list[Progress] = []
    with pytest.raises(OperationCancelledError) as caught:
        MemoryStore(storage, index_cache=sets.cache()).purge(
            "user", "u-1", on_progress=told.append, is_cancelled=lambda: next(asked) >= 50
        )
    left = len(storage.inner.list_page(ENTITY, None, 99))
    # 40 questions for the listing, then one for each deletion.
    assert caught.value.done == len(told) == 40 - left == 10
    assert (caught.value.scope, caught.value.entity_id) == ("user", "u-1")
    assert "u-1" not in str(caught.value)
    assert len(sets.keys) == 2
    assert MemoryStore(storage).purge("user", "u-1") == left


def test_a_purge_can_be_cancelled_while_it_lists() -> None:
    storage = Interposed()
    many(storage, 5)
    with pytest.raises(OperationCancelledError, match="after 0 objects"):
        MemoryStore(storage).purge("user", "u-1", is_cancelled=lambda: True)
    assert storage.count("delete_if_version") == 0


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_cancelled_export_ends(concurrency: int) -> None:
    storage, asked = Crowd(concurrency), count()
    many(storage, 40)
    with pytest.raises(OperationCancelledError) as caught:
        MemoryStore(storage).export("user", "u-1", is_cancelled=lambda: next(asked) >= 50)
    assert caught.value.done == storage.count("get") == 10


def test_a_cancellation_can_be_copied() -> None:
    copied = pickle.loads(pickle.dumps(OperationCancelledError("user", "u-1", 3)))
    assert (copied.scope, copied.entity_id, copied.done) == ("user", "u-1", 3)
    assert str(copied) == "The operation on memory in scope user was cancelled after 3 objects."


def test_a_streamed_export_reads_as_it_goes() -> None:
    storage = Interposed()
    keys = many(storage, 9)
    objects = MemoryStore(storage).iter_export("user", "u-1")
    assert next(objects).key == keys[0]
    assert storage.count("get") == 1
    assert [found.key for found in objects] == keys[1:]


def test_a_streamed_export_checks_its_arguments_before_it_begins() -> None:
    with pytest.raises(ValueError, match="invalid scope"):
        MemoryStore(InMemoryStorage()).iter_export("", "u")


def test_an_index_lists_its_entities_at_the_same_time() -> None:
    storage = Crowd(3)
    for scope in ("a", "b", "c"):
        put_entry(storage.inner, f"{scope}/u/notes/n.md")
    storage.crowded.add("list_page")
    index = MemoryStore(storage).get_memory_index({"c": "u", "a": "u", "b": "u"})
    assert [entry.path for entry in index.entries] == ["a/u/notes/n.md", "b/u/notes/n.md", "c/u/notes/n.md"]


@pytest.mark.parametrize(("page_size", "asked"), [(1, 999), (5000, 5001)])
def test_what_is_listed_as_a_whole_is_listed_by_large_pages(page_size: int, asked: int) -> None:
    storage = Interposed()
    store = MemoryStore(storage, list_page_size=page_size)
    store.get_memory_index({"user": "u-1"})
    store.export("user", "u-1")
    store.purge("user", "u-1")
    assert {call for call in storage.calls if call[0] == "list_page"} == {("list_page", ENTITY, None, asked)}


def test_of_several_entities_that_cannot_be_listed_the_first_scope_is_blamed() -> None:
    storage = Crowd(3)
    storage.crowded.add("list_page")
    storage.refused |= {"b/u/": OSError("b"), "c/u/": OSError("c")}
    for _ in range(5):
        with pytest.raises(OSError, match=r"^b$"):
            MemoryStore(storage).get_memory_index({"c": "u", "a": "u", "b": "u"})

import logging
from typing import Any, cast

import pytest

from tests.core.support import PATH, Interposed, put_corrupt, put_entry, raising, seed
from wenchang.core import PURGE_MAX_PASSES, ExportedObject, MemoryStore, PurgeIncompleteError
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.index_cache import IndexCache
from wenchang.storage.memory import InMemoryStorage

ENTITY = "user/u-1/"


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

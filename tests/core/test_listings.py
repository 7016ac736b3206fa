"""The index cache protocol: what is kept, when it is served, and what a cache that misbehaves may cost."""

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest

from tests.core.support import LINE, PATH, Interposed, meta, put_corrupt, put_entry, raising, seed, version
from wenchang.core import MemoryStore
from wenchang.errors import BackendUnavailableError, FileQuotaExceededError, TransientReason
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.index_cache import IndexCache
from wenchang.storage.memory import InMemoryStorage

TOKEN = "wenchang:index:token/user/u-1"
LISTING = "wenchang:index:listing/user/u-1"
SCOPE_MAP = {"user": "u-1"}


class Texts:
    """A cache in a dictionary that keeps a diary and can be told to raise, or to answer anything."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        self.diary: list[tuple[str, str]] = []
        self.ttls: list[timedelta | None] = []
        self.get_error: BaseException | None = None
        self.set_error: BaseException | None = None
        self.broken_key: str | None = None

    def get(self, key: str) -> str | None:
        self.diary.append(("get", key))
        if self.get_error is not None and self.broken_key in (None, key):
            raise self.get_error
        return cast(str | None, self.kept.get(key))

    def set(self, key: str, value: str, ttl: timedelta | None) -> None:
        self.diary.append(("set", key))
        self.ttls.append(ttl)
        if self.set_error is not None and self.broken_key in (None, key):
            raise self.set_error
        self.kept[key] = value


class House:
    """A storage that counts, a cache that can be looked into, and a store over both."""

    def __init__(self, **cache: Any) -> None:
        self.storage = Interposed()
        self.texts = Texts()
        self.store = MemoryStore(self.storage, index_cache=IndexCache(get=self.texts.get, set=self.texts.set, **cache))

    def paths(self) -> list[str]:
        return sorted(entry.path for entry in self.store.get_memory_index(SCOPE_MAP).entries)

    def listings(self) -> int:
        return self.storage.count("list_page")


@pytest.fixture
def house() -> House:
    made = House()
    put_entry(made.storage, PATH)
    return made


# Serving


def test_a_second_index_is_served_without_listing(house: House) -> None:
    first = house.store.get_memory_index(SCOPE_MAP)
    assert house.store.get_memory_index(SCOPE_MAP) == first
    assert house.listings() == 1


def test_the_token_is_kept_before_storage_is_listed_and_the_listing_after(house: House) -> None:
    house.storage.before["list_page"].append(lambda: house.texts.diary.append(("list", "")))
    house.paths()
    assert house.texts.diary == [("get", TOKEN), ("set", TOKEN), ("get", LISTING), ("list", ""), ("set", LISTING)]


def test_the_kept_listing_is_json_of_stored_texts_tagged_with_the_token(house: House) -> None:
    house.paths()
    found = house.storage.inner.get(PATH)
    assert found is not None
    assert json.loads(house.texts.kept[LISTING]) == {
        "token": house.texts.kept[TOKEN],
        "files": [[PATH, *found.metadata.values(), "1"]],
    }


def test_an_empty_listing_is_kept_too() -> None:
    house = House()
    assert (house.paths(), house.paths()) == ([], [])
    assert house.listings() == 1


def test_every_set_is_handed_the_ttl_and_every_key_the_prefix() -> None:
    house = House(ttl=timedelta(minutes=10), key_prefix="mine/")
    house.paths()
    seed(house.store, PATH)
    assert house.texts.ttls == [timedelta(minutes=10)] * 4
    assert set(house.texts.kept) == {"mine/token/user/u-1", "mine/listing/user/u-1"}


def test_entities_are_kept_apart(house: House) -> None:
    put_entry(house.storage, "project/p-1/a/b.md")
    scope_map = {"user": "u-1", "project": "p-1"}
    house.store.get_memory_index(scope_map)
    seed(house.store, "user/u-1/a/new.md")
    house.storage.calls.clear()
    assert len(house.store.get_memory_index(scope_map).entries) == 3
    assert [call[1] for call in house.storage.calls] == ["user/u-1/"]


def test_list_prefix_never_asks_the_cache(house: House) -> None:
    house.store.list_prefix("user/")
    assert house.texts.diary == []


def test_files_that_cannot_be_rendered_fail_from_the_cache_as_from_storage() -> None:
    house = House()
    stored = {**metadata_to_map(meta()), "last-updated": "0001-01-01T00:00:00+05:00"}
    house.storage.put(PATH, b"", stored)
    for _ in range(2):
        with pytest.raises(MetadataFormatError, match="last-updated"):
            house.store.get_memory_index(SCOPE_MAP)
    assert house.listings() == 1


# Outdating

CHANGES: dict[str, Callable[[MemoryStore], object]] = {
    "create": lambda s: s.write_file("user/u-1/a/new.md", "", meta(), None, source="t"),
    "write": lambda s: s.write_file(PATH, "", meta("changed"), version("1"), source="t"),
    "append": lambda s: s.append_line(PATH, LINE, version("1"), source="t"),
    "replace": lambda s: s.replace_fact(PATH, LINE, "", version("1"), source="t"),
    "delete": lambda s: s.delete_file(PATH, version("1")),
}
every_change = pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)


@every_change
def test_every_change_sets_a_fresh_token_and_then_empties_the_listing(
    change: Callable[[MemoryStore], object],
) -> None:
    house = House()
    house.storage.put(PATH, LINE.encode(), metadata_to_map(meta()))
    house.paths()
    old = house.texts.kept[TOKEN]
    house.texts.diary.clear()
    change(house.store)
    assert house.texts.diary == [("set", TOKEN), ("set", LISTING)]
    assert house.texts.kept[TOKEN] not in ("", old)
    assert house.texts.kept[LISTING] == ""
    assert house.store.get_memory_index(SCOPE_MAP) == MemoryStore(house.storage).get_memory_index(SCOPE_MAP)


@every_change
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_change_that_raised_outdates_too_because_it_may_have_landed(
    change: Callable[[MemoryStore], object], moment: str
) -> None:
    house = House()
    house.storage.put(PATH, LINE.encode(), metadata_to_map(meta()))
    house.paths()
    error = BackendUnavailableError(TransientReason.TIMEOUT)
    for method in ("put_if_version", "delete_if_version"):
        getattr(house.storage, moment)[method].append(raising(error))
    with pytest.raises(BackendUnavailableError):
        change(house.store)
    assert house.texts.kept[LISTING] == ""
    assert house.store.get_memory_index(SCOPE_MAP) == MemoryStore(house.storage).get_memory_index(SCOPE_MAP)


def test_the_token_changes_after_the_storage_call_not_before(house: House) -> None:
    house.storage.after["put_if_version"].append(lambda: house.texts.diary.append(("put", "")))
    seed(house.store, "user/u-1/a/new.md")
    assert house.texts.diary == [("put", ""), ("set", TOKEN), ("set", LISTING)]


def test_every_attempt_of_a_replacement_outdates() -> None:
    house = House()
    house.storage.put(PATH, LINE.encode(), metadata_to_map(meta()))
    house.storage.before["put_if_version"].append(
        lambda: house.storage.inner.put(PATH, LINE.encode(), metadata_to_map(meta()))
    )
    house.store.replace_fact(PATH, LINE, "", version("1"), source="t")
    assert house.texts.diary == [("set", TOKEN), ("set", LISTING)] * 2


def test_a_change_that_is_refused_before_the_storage_call_leaves_the_cache_alone(house: House) -> None:
    house.paths()
    house.texts.diary.clear()
    with pytest.raises(FileQuotaExceededError):
        seed(MemoryStore(house.storage, max_files_per_entity=1, index_cache=house.store.index_cache), "user/u-1/a/b.md")
    with pytest.raises(Exception, match="changed since it was read"):
        house.store.append_line(PATH, LINE, version("9"), source="t")
    assert house.texts.diary == []


def test_tokens_are_never_used_twice(house: House) -> None:
    tokens = set()
    for n in range(20):
        seed(house.store, f"user/u-1/a/{n}.md")
        tokens.add(house.texts.kept[TOKEN])
    assert len(tokens) == 20


def test_a_write_during_a_listing_makes_that_listing_stale_at_once(house: House) -> None:
    house.storage.after["list_page"].append(lambda: seed(house.store, "user/u-1/a/new.md"))
    assert house.paths() == [PATH]
    assert house.paths() == ["user/u-1/a/new.md", PATH]
    assert house.paths() == ["user/u-1/a/new.md", PATH]
    assert house.listings() == 3  # one of them counted the quota


def test_a_write_between_token_and_first_listing_makes_the_listing_stale_too(house: House) -> None:
    rival = MemoryStore(house.storage.inner, index_cache=house.store.index_cache)
    house.storage.before["list_page"].append(lambda: seed(rival, "user/u-1/a/new.md"))
    house.storage.after["list_page"].append(lambda: seed(rival, "user/u-1/a/newer.md"))
    assert len(house.paths()) == 2
    assert len(house.paths()) == 3


def test_a_late_listing_under_an_old_token_is_not_served(house: House) -> None:
    house.paths()
    late = house.texts.kept[LISTING]
    seed(house.store, "user/u-1/a/new.md")
    house.texts.kept[LISTING] = late
    assert len(house.paths()) == 2


def test_a_storage_that_fails_while_listing_leaves_nothing_kept(house: House) -> None:
    house.storage.before["list_page"].append(raising(BackendUnavailableError(TransientReason.UNAVAILABLE)))
    with pytest.raises(BackendUnavailableError):
        house.paths()
    assert LISTING not in house.texts.kept
    put_corrupt(house.storage, "user/u-1/a/corrupt.md")
    with pytest.raises(MetadataFormatError):
        house.paths()
    assert LISTING not in house.texts.kept


# Misbehaving caches


def check_log(caplog: pytest.LogCaptureFixture, type_name: str, warnings: int) -> None:
    assert [(r.name, r.levelname, r.exc_info) for r in caplog.records] == [
        ("wenchang.core", "WARNING", None)
    ] * warnings
    for record in caplog.records:
        message = record.getMessage()
        assert "user" in message
        assert type_name in message
        assert "u-1" not in message
        assert "wenchang:index" not in message


def test_a_token_that_cannot_be_read_means_listing_and_keeping_nothing(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.texts.get_error = OSError(TOKEN)
    assert house.paths() == [PATH]
    assert house.texts.diary == [("get", TOKEN)]
    check_log(caplog, "OSError", 1)


@pytest.mark.parametrize("value", [b"bytes", 1, ["x"]])
def test_a_token_that_is_no_text_means_the_same(house: House, value: object, caplog: pytest.LogCaptureFixture) -> None:
    house.texts.kept[TOKEN] = value
    assert house.paths() == [PATH]
    assert house.texts.diary == [("get", TOKEN)]
    check_log(caplog, type(value).__name__, 1)


def test_a_listing_that_cannot_be_read_is_made_anew(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.texts.get_error, house.texts.broken_key = OSError(LISTING), LISTING
    assert (house.paths(), house.paths()) == ([PATH], [PATH])
    assert house.listings() == 2
    check_log(caplog, "OSError", 2)


def test_a_cache_that_takes_nothing_costs_a_listing(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.texts.set_error = RuntimeError(f"no room for {TOKEN}")
    assert (house.paths(), house.paths()) == ([PATH], [PATH])
    check_log(caplog, "RuntimeError", 4)


def test_a_write_succeeds_whatever_the_cache_does(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.texts.set_error = RuntimeError(TOKEN)
    seed(house.store, "user/u-1/a/new.md")
    assert house.texts.diary == [("set", TOKEN), ("set", LISTING)]
    assert house.storage.inner.get("user/u-1/a/new.md") is not None
    check_log(caplog, "RuntimeError", 2)


def test_a_write_keeps_its_own_error_whatever_the_cache_does(house: House) -> None:
    house.texts.set_error = RuntimeError(TOKEN)
    house.storage.before["put_if_version"].append(raising(BackendUnavailableError(TransientReason.TIMEOUT)))
    with pytest.raises(BackendUnavailableError):
        seed(house.store, "user/u-1/a/new.md")


@pytest.mark.parametrize("method", ["get_error", "set_error"])
def test_an_interrupt_in_the_cache_is_not_swallowed(house: House, method: str) -> None:
    setattr(house.texts, method, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        house.paths()


def test_an_interrupt_in_the_cache_after_a_write_is_not_swallowed(house: House) -> None:
    house.texts.set_error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        seed(house.store, "user/u-1/a/new.md")


ROW = [PATH, "d", "[]", "[]", "2026-01-01T00:00:00Z", "1"]


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        "null",
        "1",
        '"text"',
        "{}",
        "[" * 100_000,
        '{"token": "T"}',
        '{"token": "T", "files": 1}',
        '{"token": "T", "files": {}}',
        '{"token": "T", "files": [1]}',
        json.dumps({"token": "T", "files": [[]]}),
        json.dumps({"token": "T", "files": [ROW[:-1]]}),
        json.dumps({"token": "T", "files": [[*ROW, "x"]]}),
        json.dumps({"token": "T", "files": [[*ROW[:-1], 1]]}),
        json.dumps({"token": "T", "files": [["user/u-2/a/b.md", *ROW[1:]]]}),
        json.dumps({"token": "T", "files": [["user/u-1/a", *ROW[1:]]]}),
        json.dumps({"token": "T", "files": [[PATH, "d", "no json", *ROW[3:]]]}),
        json.dumps({"token": "T", "files": [ROW, ROW]}),
    ],
    ids=range(19),
)
def test_kept_text_that_nobody_here_wrote_is_a_miss_with_a_warning(
    house: House, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    house.texts.kept.update({TOKEN: "T", LISTING: text})
    assert house.paths() == [PATH]
    assert house.listings() == 1
    check_log(caplog, "Error", 1)
    assert house.paths() == [PATH]
    assert house.listings() == 1


def test_misses_in_the_ordinary_course_are_silent(house: House, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        house.paths()
        house.texts.kept[LISTING] = ""
        house.paths()
        house.texts.kept[TOKEN] = "another"
        house.paths()
    assert house.listings() == 3
    assert caplog.records == []


# Invalidating


def test_an_operator_can_make_a_restored_entity_show_up(house: House) -> None:
    house.paths()
    put_entry(house.storage, "user/u-1/a/restored.md")
    assert len(house.paths()) == 1
    house.store.invalidate_index("user", "u-1")
    assert len(house.paths()) == 2


@pytest.mark.parametrize(
    ("scope", "entity_id", "error", "message"),
    [
        (None, "", TypeError, "scope must be a str, not NoneType"),
        ("", 1, TypeError, "entity_id must be a str, not int"),
        ("", "u", ValueError, "invalid scope: ''"),
        ("user", "a/b", ValueError, "invalid entity_id: 'a/b'"),
    ],
)
@pytest.mark.parametrize("cached", [True, False])
def test_invalidating_checks_its_names_first(
    scope: object, entity_id: object, error: type[Exception], message: str, cached: bool
) -> None:
    house = House()
    store = house.store if cached else MemoryStore(house.storage)
    with pytest.raises(error) as caught:
        store.invalidate_index(cast(Any, scope), cast(Any, entity_id))
    assert str(caught.value) == message
    assert house.texts.diary == []


def test_without_a_cache_there_is_nothing_to_invalidate() -> None:
    MemoryStore(InMemoryStorage()).invalidate_index("user", "u-1")


def test_what_the_cache_raises_at_an_operator_is_raised(house: House) -> None:
    house.texts.set_error = RuntimeError("down")
    with pytest.raises(RuntimeError, match="down"):
        house.store.invalidate_index("user", "u-1")

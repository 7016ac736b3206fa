"""What an index cache is made of, and the simple one in memory. Core, section 8.4."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from wenchang.index_cache import IndexCache, InMemoryIndexCache


class Prefix(str):
    """Says another thing when asked nicely."""

    __slots__ = ()

    def __str__(self) -> str:
        return "other"


def get(key: str) -> str | None:
    return None


def keep(key: str, value: str, ttl: timedelta | None) -> None:
    return None


def test_what_is_given_is_kept() -> None:
    cache = IndexCache(get, keep, timedelta(seconds=1), "mine:")
    assert (cache.get, cache.set, cache.ttl, cache.key_prefix) == (get, keep, timedelta(seconds=1), "mine:")


def test_nothing_expires_and_keys_say_whose_they_are_unless_told_otherwise() -> None:
    cache = IndexCache(get=get, set=keep)
    assert (cache.ttl, cache.key_prefix) == (None, "wenchang:index:")


def test_a_cache_is_frozen() -> None:
    with pytest.raises(AttributeError):
        IndexCache(get, keep).key_prefix = "mine:"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"get": None}, "get must be callable"),
        ({"set": "set"}, "set must be callable"),
        ({"ttl": 60}, "ttl must be a timedelta or None, not int"),
        ({"key_prefix": b"mine:"}, "key_prefix must be a str, not bytes"),
        ({"key_prefix": None, "ttl": timedelta(0)}, "key_prefix must be a str, not NoneType"),
    ],
)
def test_a_wrong_type_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        IndexCache(**{"get": get, "set": keep, **wrong})
    assert str(caught.value) == message


@pytest.mark.parametrize("ttl", [timedelta(0), timedelta(microseconds=-1)])
def test_a_time_to_live_is_positive(ttl: timedelta) -> None:
    with pytest.raises(ValueError, match=r"^ttl must be positive$"):
        IndexCache(get, keep, ttl)


def test_the_shortest_time_to_live_is_kept_as_given() -> None:
    assert IndexCache(get, keep, timedelta.resolution).ttl == timedelta(microseconds=1)


def test_a_prefix_is_kept_as_an_exact_str() -> None:
    prefix = IndexCache(get, keep, None, Prefix("mine:")).key_prefix
    assert (type(prefix), prefix) == (str, "mine:")


def test_a_text_is_read_back_until_it_is_replaced() -> None:
    cache = InMemoryIndexCache()
    assert cache.get("a") is None
    cache.set("a", "1", None)
    cache.set("b", "", timedelta(days=1))
    assert (cache.get("a"), cache.get("b"), cache.get("A")) == ("1", "", None)
    cache.set("a", "2", timedelta(days=1))
    assert cache.get("a") == "2"


def test_an_expired_text_is_gone_for_good() -> None:
    cache = InMemoryIndexCache()
    cache.set("a", "1", timedelta(microseconds=1))
    while cache.get("a") is not None:
        pass
    assert cache.get("a") is None


def test_a_new_text_does_not_inherit_the_time_of_the_old_one() -> None:
    cache = InMemoryIndexCache()
    cache.set("a", "1", timedelta(microseconds=1))
    cache.set("a", "2", None)
    cache.set("b", "1", timedelta(microseconds=1))
    while cache.get("b") is not None:
        pass
    assert cache.get("a") == "2"


def test_caches_share_nothing() -> None:
    InMemoryIndexCache().set("a", "1", None)
    assert InMemoryIndexCache().get("a") is None


def test_it_fits_an_index_cache() -> None:
    memory = InMemoryIndexCache()
    cache = IndexCache(memory.get, memory.set)
    cache.set("a", "1", cache.ttl)
    assert cache.get("a") == "1"


def test_threads_may_share_one() -> None:
    cache = InMemoryIndexCache()

    def use(number: int) -> None:
        for _ in range(200):
            cache.set("shared", str(number), timedelta(microseconds=1))
            assert cache.get("shared") in (None, *map(str, range(4)))
            cache.set(f"own {number}", "kept", None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))
    assert [cache.get(f"own {number}") for number in range(4)] == ["kept"] * 4

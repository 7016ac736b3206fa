import dataclasses
import pickle
from typing import Any, cast

import pytest

from tests.core.support import meta, version
from wenchang.core import CappedPrefix, FileEntry, MemoryIndex, PurgeIncompleteError


class Text(str):
    def __str__(self) -> str:
        return "a lie"


class Count(int):
    pass


class Entry(FileEntry):
    __slots__ = ()


def entry(path: str) -> FileEntry:
    return FileEntry(path, meta(), version("1"))


def test_a_capped_prefix_keeps_exact_copies() -> None:
    capped = CappedPrefix(Text("user/u/a/"), Count(3))
    assert type(capped.prefix) is str
    assert type(capped.omitted) is int
    assert (capped.prefix, capped.omitted) == ("user/u/a/", 3)


@pytest.mark.parametrize(("prefix", "omitted"), [(b"user/", 1), (None, 1), ("user/", True), ("user/", 1.0), ("", "1")])
def test_a_capped_prefix_of_the_wrong_types_is_refused(prefix: object, omitted: object) -> None:
    with pytest.raises(TypeError):
        CappedPrefix(cast(Any, prefix), cast(Any, omitted))


@pytest.mark.parametrize(("prefix", "omitted"), [("user", 1), ("", 1), ("a/b/c/d/", 1), ("user/", 0), ("user/", -1)])
def test_a_capped_prefix_of_impossible_values_is_refused(prefix: str, omitted: int) -> None:
    with pytest.raises(ValueError, match=r"prefix|omitted"):
        CappedPrefix(prefix, omitted)


def test_an_index_is_empty_unless_told_otherwise() -> None:
    assert MemoryIndex() == MemoryIndex(entries=(), capped=())


@pytest.mark.parametrize(
    ("entries", "capped"),
    [
        ([], ()),
        ((), []),
        ((), ("user/",)),
        ((CappedPrefix("user/", 1),), ()),
        ((Entry("user/u/a/b.md", meta(), version("1")),), ()),
    ],
)
def test_an_index_holds_plain_tuples_of_exactly_its_members(entries: object, capped: object) -> None:
    with pytest.raises(TypeError):
        MemoryIndex(cast(Any, entries), cast(Any, capped))


def test_an_index_shows_nothing_twice() -> None:
    with pytest.raises(ValueError, match=r"duplicate entry path: 'user/u/a/b\.md'"):
        MemoryIndex((entry("user/u/a/c.md"), entry("user/u/a/b.md"), entry("user/u/a/b.md")))
    with pytest.raises(ValueError, match="duplicate capped prefix: 'user/u/'"):
        MemoryIndex((), (CappedPrefix("user/u/", 1), CappedPrefix("user/u/", 2)))


def test_an_index_takes_its_order_as_given() -> None:
    entries = (entry("user/u/b/b.md"), entry("user/u/a/a.md"))
    assert MemoryIndex(entries).entries == entries


def test_values_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry("user/u/a/b.md").path = "user/u/a/c.md"  # type: ignore[misc]


def test_an_incomplete_purge_names_scope_and_passes_only() -> None:
    error = pickle.loads(pickle.dumps(PurgeIncompleteError("user", "u-secret", 5)))
    assert (error.scope, error.entity_id, error.passes) == ("user", "u-secret", 5)
    assert "user" in str(error)
    assert "5" in str(error)
    assert "u-secret" not in str(error) + repr(error)

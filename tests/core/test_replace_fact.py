from functools import partial

import pytest

from tests.core.support import PATH, Interposed, attached, meta, put_corrupt, seed, ticking, version
from wenchang.core import MemoryStore
from wenchang.errors import (
    NotFoundError,
    NotFoundReason,
    OversizeWriteError,
    ReplaceFactMatchError,
    VersionConflictError,
)
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.storage.memory import InMemoryStorage

BODY = "- [stated] Has brown eyes.\n- [stated] Is 24.\n"


def made(body: str = BODY) -> MemoryStore:
    store = MemoryStore(InMemoryStorage(), clock=ticking())
    seed(store, PATH, body, meta("d", ["b"]))
    return store


def test_the_span_is_replaced_and_nothing_else() -> None:
    written = made().replace_fact(PATH, "brown", "grey", version("1"), source="t")
    assert (written.content, written.version) == (BODY.replace("brown", "grey"), "2")


@pytest.mark.parametrize(
    ("body", "old", "new", "result"),
    [
        (r"a\1.*$b", r"\1.*$", r"\g<0>\n", r"a\g<0>\nb"),
        ("a\nb\n", "a\n", "", "b\n"),
        ("ab", "ab", "ab", "ab"),
        ("a\r\nb", "\r\n", "\n", "a\nb"),
    ],
)
def test_old_and_new_text_are_literal(body: str, old: str, new: str, result: str) -> None:
    store = made(body)
    assert store.replace_fact(PATH, old, new, version("1"), source="t").content == result
    assert store.read_file(PATH).version == "2"


@pytest.mark.parametrize(
    ("body", "old", "matches"), [("aaa", "aa", 2), ("abcab", "ab", 2), ("abc", "x", 0), ("abc", "\ud800", 0)]
)
def test_a_span_that_is_not_there_exactly_once_is_a_match_error(body: str, old: str, matches: int) -> None:
    store = made(body)
    with pytest.raises(ReplaceFactMatchError) as caught:
        store.replace_fact(PATH, old, "x", version("1"), source="t")
    error = caught.value
    assert (error.match_count, error.content, error.version) == (matches, body, "1")
    assert store.read_file(PATH).version == "1"


@pytest.mark.parametrize("old", ["brown", "[stated]"])
def test_the_same_miss_from_a_stale_version_is_a_conflict(old: str) -> None:
    store = made()
    store.replace_fact(PATH, "brown", "grey", version("1"), source="t")
    with pytest.raises(VersionConflictError) as caught:
        store.replace_fact(PATH, old, "x", version("1"), source="t")
    assert attached(caught.value) == (BODY.replace("brown", "grey"), "2")


def test_a_stale_version_is_no_obstacle_while_the_span_is_still_one() -> None:
    store = made()
    store.append_line(PATH, "- [stated] Later.", version("1"), source="other", aliases=["theirs"])
    written = store.replace_fact(PATH, "brown", "grey", version("1"), source="t", aliases=["mine"])
    assert written.content == BODY.replace("brown", "grey") + "- [stated] Later.\n"
    assert written.metadata.aliases == ("b", "theirs", "mine")
    assert written.metadata.sources == {"seed-job", "other", "t"}


def test_a_lost_race_is_applied_again_to_what_stands_there_then() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH, BODY)
    storage.before["put_if_version"] += [
        lambda: other.append_line(PATH, "- [stated] One.", version("1"), source="o1", description="theirs"),
        lambda: other.append_line(PATH, "- [stated] Two.", version("2"), source="o2", aliases=["theirs"]),
    ]
    clock = ticking()
    written = MemoryStore(storage, clock=clock).replace_fact(
        PATH, "brown", "grey", version("1"), source="t", aliases=["mine"]
    )
    assert written.content == BODY.replace("brown", "grey") + "- [stated] One.\n- [stated] Two.\n"
    assert (written.metadata.description, written.metadata.aliases) == ("theirs", ("theirs", "mine"))
    assert written.metadata.sources == {"seed-job", "o1", "o2", "t"}
    assert [call[2] for call in storage.calls if call[0] == "put_if_version"] == ["1", "2", "3"]
    assert written.version == "4"
    # Each of the three attempts read the clock once.
    assert written.metadata.last_updated.second == 2
    assert clock().second == 3


def test_after_three_lost_races_it_is_a_conflict_with_what_was_read_last() -> None:
    storage = Interposed()
    store = MemoryStore(storage)
    stored = metadata_to_map(meta())
    storage.inner.put(PATH, b"brown 0", stored)
    storage.before["put_if_version"] += [
        partial(storage.inner.put, PATH, f"brown {n}".encode(), stored) for n in (1, 2, 3)
    ]
    with pytest.raises(VersionConflictError) as caught:
        store.replace_fact(PATH, "brown", "grey", version("1"), source="t")
    assert attached(caught.value) == ("brown 2", "3")
    assert storage.count("put_if_version") == 3
    assert storage.count("get") == 3


def test_a_race_that_takes_the_span_away_is_a_conflict() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH, BODY)
    storage.before["put_if_version"].append(lambda: other.replace_fact(PATH, "brown", "", version("1"), source="o"))
    with pytest.raises(VersionConflictError) as caught:
        MemoryStore(storage).replace_fact(PATH, "brown", "grey", version("1"), source="t")
    assert attached(caught.value) == (BODY.replace("brown", ""), "2")


def test_a_race_that_takes_the_file_away_is_file_absent() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH, BODY)
    storage.before["put_if_version"].append(lambda: other.delete_file(PATH, version("1")))
    with pytest.raises(NotFoundError) as caught:
        MemoryStore(storage).replace_fact(PATH, "brown", "grey", version("1"), source="t")
    assert caught.value.reason is NotFoundReason.FILE_ABSENT


def test_a_re_applied_replacement_is_measured_anew() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH, BODY)
    storage.before["put_if_version"].append(
        lambda: other.append_line(PATH, "- [stated] One.", version("1"), source="o")
    )
    with pytest.raises(OversizeWriteError) as caught:
        MemoryStore(storage, max_file_bytes=len(BODY)).replace_fact(PATH, "brown", "grey", version("1"), source="t")
    assert caught.value.size == len(BODY) - 1 + len("- [stated] One.\n")


def test_unreadable_data_is_reported_before_the_span_is_looked_for() -> None:
    storage = InMemoryStorage()
    put_corrupt(storage, PATH)
    with pytest.raises(MetadataFormatError):
        MemoryStore(storage).replace_fact(PATH, "absent", "", version("9"), source="t")

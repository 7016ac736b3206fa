"""What `GcsStorage` offers beyond the contract: one level of keys at a time, and former versions."""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from google.api_core.exceptions import Forbidden
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]

import tests.gcs.proxy
from tests.gcs.proxy import Fault, Proxy
from wenchang.storage import ChildListing, StoredObject, VersionHistory
from wenchang.storage.gcs import GcsStorage, objects
from wenchang.storage.gcs.sending import PATIENCE_SECONDS
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken

KEYS = ("a", "a-b/c", "a/b", "a/b/c", "a/b/d", "a/c/", "a//d", "b/é/x", "b/乔/x", "b/乔/y", "c")


def test_both_abilities_can_be_told_from_outside(storage: GcsStorage) -> None:
    assert isinstance(storage, ChildListing)
    assert isinstance(storage, VersionHistory)
    assert not isinstance(InMemoryStorage(), ChildListing | VersionHistory)


@pytest.mark.parametrize("page", [1, 2, 1000])
def test_children_are_the_next_segments_of_keys(
    storage: GcsStorage, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(tests.gcs.proxy, "LARGEST_PAGE", page)
    for key in KEYS:
        storage.put(key, b"", {})
    for prefix in ("", "a", "a/", "a/b", "a/b/", "b/", "b/乔", "c", "d"):
        expected = children_of(prefix)
        assert storage.list_children(prefix, None, 10) == expected
        for limit in (1, 2):
            drained: list[str] = []
            while found := storage.list_children(prefix, drained[-1] if drained else None, limit):
                assert len(found) <= limit
                drained += found
            assert drained == expected
    assert storage.list_children("", "a/a", 10) == ["a/", "b/"][1:]


def children_of(prefix: str) -> list[str]:
    below = [key.removeprefix(prefix) for key in KEYS if key.startswith(prefix)]
    return sorted({f"{prefix}{rest.split('/')[0]}/" for rest in below if "/" in rest})


def test_listing_children_does_not_list_what_is_below(storage: GcsStorage, proxy: Proxy) -> None:
    for number in range(30):
        storage.put(f"a/{number}", b"", {})
    proxy.reset()
    assert storage.list_children("", None, 10) == ["a/"]
    assert proxy.kinds() == ["list"]
    assert proxy.seen[0].query["fields"] == "prefixes,nextPageToken"
    assert proxy.seen[0].query["maxResults"] == "1000"


@pytest.fixture
def keeping(client: Client, bucket: Bucket) -> GcsStorage:
    """A storage whose bucket keeps former versions."""
    kept = client.bucket(f"{bucket.name}-kept")
    kept.versioning_enabled = True
    return GcsStorage(client.create_bucket(kept))


def test_former_versions_are_listed_and_read(keeping: GcsStorage) -> None:
    written = [keeping.put("k", str(number).encode(), {"n": str(number)}) for number in range(3)]
    keeping.put("k2", b"another", {})
    rows = keeping.list_versions("k")
    assert [row.version for row in rows] == written[::-1]
    assert [row.metadata for row in rows] == [{"n": "2"}, {"n": "1"}, {"n": "0"}]
    assert [row.replaced is None for row in rows] == [True, False, False]
    assert all(row.readable and row.size == 1 and row.written.tzinfo for row in rows)
    assert keeping.get_version("k", written[0]) == StoredObject(b"0", {"n": "0"}, written[0])
    assert keeping.get_version("k2", written[0]) is None
    assert keeping.get_version("k", VersionToken("abc")) is None
    assert keeping.list_versions("absent") == []


def test_a_bucket_without_history_tells_the_present(storage: GcsStorage) -> None:
    first = storage.put("k", b"1", {})
    present = storage.put("k", b"2", {})
    assert [row.version for row in storage.list_versions("k")] == [present]
    assert storage.get_version("k", first) is None


def test_what_is_kept_for_an_undelete_is_listed_as_such(storage: GcsStorage, proxy: Proxy) -> None:
    version = storage.put("k", b"1", {})
    deleted = {
        "name": "k",
        "generation": "5",
        "size": "3",
        "metadata": {"a": "b"},
        "timeCreated": "2026-01-01T00:00:00.000Z",
        "softDeleteTime": "2026-01-02T00:00:00.000Z",
    }
    proxy.trash = [deleted, {**deleted, "name": "k2", "generation": "6"}]
    rows = storage.list_versions("k")
    assert [(row.version, row.readable) for row in rows] == [(version, True), ("5", False)]
    assert (rows[1].replaced, rows[1].metadata, rows[1].size) == (datetime(2026, 1, 2, tzinfo=UTC), {"a": "b"}, 3)
    assert storage.get_version("k", VersionToken("5")) is None


DATED = "items(name,generation,size,metadata,contentEncoding,timeCreated,timeDeleted,softDeleteTime),nextPageToken"


def test_versions_are_two_listings_of_what_is_shown_of_them(keeping: GcsStorage, proxy: Proxy) -> None:
    version = keeping.put("k", b"1", {})
    proxy.reset()
    assert len(keeping.list_versions("k")) == 1
    assert [(seen.query["prefix"], seen.query["fields"]) for seen in proxy.seen] == [("k", DATED)] * 2
    proxy.reset()
    assert keeping.get_version("k", version) is not None
    assert proxy.kinds() == ["media", "metadata"]
    assert {seen.query["generation"] for seen in proxy.seen} == {version}


def test_who_may_not_list_what_is_kept_for_an_undelete_still_sees_versions(keeping: GcsStorage, proxy: Proxy) -> None:
    version = keeping.put("k", b"1", {})
    proxy.faults = [Fault("list", "answer"), Fault("list", status=403)]
    assert [row.version for row in keeping.list_versions("k")] == [version]
    proxy.faults = [Fault("list", status=403)]
    with pytest.raises(Forbidden):
        keeping.list_versions("k")


def test_a_stand_in_that_knows_no_undelete_and_lists_what_stands_there_shows_nothing_twice(
    keeping: GcsStorage, proxy: Proxy
) -> None:
    version = keeping.put("k", b"1", {})
    proxy.trash = [{"name": "k", "generation": version, "size": "1", "timeCreated": "2026-01-01T00:00:00.000Z"}]
    assert [row.version for row in keeping.list_versions("k")] == [version]


def test_a_version_that_goes_while_it_is_read_is_gone(keeping: GcsStorage, proxy: Proxy) -> None:
    version = keeping.put("k", b"1", {})
    proxy.faults = [Fault("media", status=404)]
    assert keeping.get_version("k", version) is None
    assert proxy.faults == []


def test_the_size_of_a_compressed_version_is_not_told(keeping: GcsStorage) -> None:
    blob = keeping._bucket.blob("k")
    blob.content_encoding = "gzip"
    blob.upload_from_string(gzip.compress(b"text"), content_type="text/markdown")
    assert [row.size for row in keeping.list_versions("k")] == [None]


@pytest.mark.parametrize(
    ("listing", "pages"),
    [
        (lambda storage: storage.list_page("", None, 1000), 1),
        (lambda storage: storage.list_page("", "a", 1000), 2),
        (lambda storage: storage.list_children("", None, 10), 3),
    ],
)
def test_a_listing_is_waited_for_as_long_as_its_pages_may_take(
    storage: GcsStorage, monkeypatch: pytest.MonkeyPatch, listing: Callable[[GcsStorage], object], pages: int
) -> None:
    waited: list[float] = []

    def note(seconds: float, call: Callable[[], object]) -> object:
        waited.append(seconds)
        return call()

    monkeypatch.setattr(objects, "result_within", note)
    listing(storage)
    assert waited == [pages * PATIENCE_SECONDS]

"""How many requests each operation costs, what they ask for, and what is refused without any."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from google.cloud.storage import Bucket  # type: ignore[import-untyped]

import tests.gcs.proxy
from tests.gcs.proxy import Fault, Proxy
from wenchang.core import MemoryStore
from wenchang.errors import NameTooLongError
from wenchang.storage import ListedObject, PreconditionFailedError
from wenchang.storage.gcs import GcsStorage
from wenchang.version_token import VersionToken

UNUSABLE = ("", "0", "007", "-1", "+1", "1.0", " 1", "1\n", "\uff11", "abc", str(2**63), "9" * 40)


def test_a_read_is_two_requests_at_once(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("k", b"x", {"a": "b"})
    proxy.reset()
    proxy.together = threading.Barrier(2)
    found = storage.get("k")
    assert found is not None
    assert (found.data, found.metadata) == (b"x", {"a": "b"})
    assert proxy.kinds() == ["media", "metadata"]


def test_an_export_is_one_listing_and_one_request_for_each_body(storage: GcsStorage, proxy: Proxy) -> None:
    for number in range(3):
        storage.put(f"user/u/a/{number}.md", str(number).encode(), {"n": str(number)})
    proxy.reset()
    exported = MemoryStore(storage).export("user", "u")
    assert [(found.key, found.data, dict(found.metadata)) for found in exported] == [
        (f"user/u/a/{number}.md", str(number).encode(), {"n": str(number)}) for number in range(3)
    ]
    assert [found.version for found in exported] == [row.version for row in storage.list_page("", None, 3)]
    assert proxy.kinds() == ["list", "list", "media", "media", "media"]


def test_an_export_has_what_replaced_an_object_since_it_was_listed(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("user/u/a/b.md", b"old", {"n": "1"})
    proxy.faults = [Fault("media", "answer", before=True, meanwhile=lambda: storage.put("user/u/a/b.md", b"new", {}))]
    (found,) = MemoryStore(storage).export("user", "u")
    assert (found.data, dict(found.metadata)) == (b"new", {})


def test_a_body_is_of_the_listed_version_or_none(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("k", b"one", {})
    (listed,) = storage.list_page("k", None, 1)
    assert storage.get_body(listed) == b"one"
    version = storage.put("k", b"two", {})
    assert storage.get_body(listed) is None
    storage.delete_if_version("k", version)
    assert storage.get_body(listed) is None
    proxy.reset()
    assert storage.get_body(ListedObject("k", {}, VersionToken("none"))) is None
    assert proxy.seen == []


def test_reading_nothing_is_two_requests_at_once(storage: GcsStorage, proxy: Proxy) -> None:
    proxy.together = threading.Barrier(2)
    assert storage.get("k") is None
    assert proxy.kinds() == ["media", "metadata"]


def test_a_write_is_one_upload_with_everything_in_it(storage: GcsStorage, proxy: Proxy) -> None:
    version = storage.put_if_version("k", b"one", {"description": "d"}, None)
    storage.put_if_version("k", b"two", {}, version)
    storage.put("k", b"three", {})
    assert proxy.kinds() == ["upload"] * 3
    assert [seen.query.get("ifGenerationMatch") for seen in proxy.seen] == ["0", version, None]
    assert b'"metadata": {"description": "d"}' in proxy.seen[0].body
    assert b"text/markdown; charset=utf-8" in proxy.seen[0].body


def test_no_access_list_is_ever_sent_or_asked_for(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("k", b"x", {})
    storage.get("k")
    storage.list_page("", None, 10)
    assert not [seen for seen in proxy.seen if "predefinedAcl" in seen.query or b'"acl"' in seen.body]
    assert {seen.query.get("projection", "noAcl") for seen in proxy.seen} == {"noAcl"}


def test_a_conflict_is_one_request(storage: GcsStorage, proxy: Proxy) -> None:
    version = storage.put("k", b"x", {})
    storage.put("k", b"y", {})
    proxy.reset()
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version("k", b"z", {}, version)
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version("k", version)
    assert proxy.kinds() == ["delete", "upload"]


def test_a_delete_is_one_request_on_condition_and_not_by_generation(storage: GcsStorage, proxy: Proxy) -> None:
    version = storage.put("k", b"x", {})
    proxy.reset()
    storage.delete_if_version("k", version)
    assert proxy.kinds() == ["delete"]
    assert proxy.seen[0].query["ifGenerationMatch"] == version
    assert "generation" not in proxy.seen[0].query


def test_a_listing_is_one_request_a_page_for_no_more_than_it_shows(storage: GcsStorage, proxy: Proxy) -> None:
    for number in range(5):
        storage.put(f"k{number}", b"x" * number, {"n": str(number)})
    proxy.reset()
    first = storage.list_page("k", None, 3)
    second = storage.list_page("k", first[-1].key, 3)
    assert [(row.key, row.size, dict(row.metadata)) for row in (*first, *second)] == [
        (f"k{number}", number, {"n": str(number)}) for number in range(5)
    ]
    assert [seen.query["maxResults"] for seen in proxy.seen] == ["3", "4"]
    fields = "items(name,generation,size,metadata,contentEncoding),nextPageToken"
    assert {seen.query["fields"] for seen in proxy.seen} == {fields}


def test_a_page_above_the_limit_of_the_service_is_asked_for_in_as_few_as_it_allows(
    storage: GcsStorage, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10, 35):
        storage.put(f"k{number}", b"", {})
    proxy.reset()
    monkeypatch.setattr(tests.gcs.proxy, "LARGEST_PAGE", 10)
    assert [row.key for row in storage.list_page("", None, 24)] == [f"k{number}" for number in range(10, 34)]
    assert proxy.kinds() == ["list"] * 3


def test_the_billing_project_is_on_every_request(bucket: Bucket, proxy: Proxy) -> None:
    paying = GcsStorage(bucket.client.bucket(bucket.name, user_project="payer"))
    version = paying.put_if_version("k", b"x", {}, None)
    paying.put("j/", b"x", {})
    paying.get("k")
    paying.list_page("", None, 10)
    paying.list_children("", None, 10)
    paying.list_versions("k")
    paying.get_version("k", version)
    paying.delete_if_version("k", version)
    assert {seen.query.get("userProject") for seen in proxy.seen} == {"payer"}


@pytest.mark.parametrize("token", UNUSABLE)
def test_a_version_that_no_write_returned_is_a_mismatch_without_a_request(
    storage: GcsStorage, proxy: Proxy, token: str
) -> None:
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version("k", b"x", {}, VersionToken(token))
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version("k", VersionToken(token))
    assert storage.get_version("k", VersionToken(token)) is None
    assert proxy.seen == []


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("a\rb", "U+000D (carriage return)"),
        ("a\nb", "U+000A (line feed)"),
        ("a\ud800", "U+D800 (unpaired surrogate)"),
        ("", "empty"),
        (".", "'.'"),
        ("..", "'..'"),
        (".well-known/acme-challenge/notes/x.md", "'.well-known/acme-challenge/'"),
    ],
)
def test_a_name_that_the_service_refuses_is_refused_without_a_request(
    storage: GcsStorage, proxy: Proxy, key: str, said: str
) -> None:
    with pytest.raises(ValueError, match=r"^Cloud Storage refuses ") as put:
        storage.put(key, b"", {})
    with pytest.raises(ValueError, match=r"^Cloud Storage refuses ") as create:
        storage.put_if_version(key, b"", {}, None)
    assert said in str(put.value)
    assert said in str(create.value)
    assert_absent_without_asking(storage, proxy, key)


def test_a_name_is_measured_in_bytes(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("é" * 512, b"longest", {})
    assert storage.get("é" * 512) is not None
    proxy.reset()
    with pytest.raises(NameTooLongError) as refusal:
        storage.put("é" * 512 + "x", b"", {})
    assert (refusal.value.size, refusal.value.limit) == (1025, 1024)
    assert_absent_without_asking(storage, proxy, "é" * 512 + "x")
    assert storage.list_page("é" * 512 + "x", None, 10) == []
    assert proxy.seen == []


def assert_absent_without_asking(storage: GcsStorage, proxy: Proxy, key: str) -> None:
    assert storage.get(key) is None
    assert storage.get_body(ListedObject(key, {}, VersionToken("1"))) is None
    assert storage.get_version(key, VersionToken("1")) is None
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version(key, b"", {}, VersionToken("1"))
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version(key, VersionToken("1"))
    assert proxy.seen == []


def test_names_after_one_that_cannot_be_sent_are_found(storage: GcsStorage) -> None:
    for key in ("a", "a\ud7ff", "a\ue000", "a\U0001f600", "b"):
        storage.put(key, b"", {})
    after = [row.key for row in storage.list_page("", "a\udc00b", 10)]
    assert after == ["a\ue000", "a\U0001f600", "b"]


def test_many_threads_on_one_client_get_their_own_bodies(storage: GcsStorage) -> None:
    def there_and_back(number: int) -> bool:
        key, data, metadata = f"k{number}", str(number).encode() * 50, {"n": str(number)}
        version = storage.put_if_version(key, data, metadata, None)
        found = storage.get(key)
        return found is not None and (found.data, found.metadata, found.version) == (data, metadata, version)

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(there_and_back, range(64)))


def test_metadata_is_sent_as_json(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("k", b"", {"description": "乔 100%41\n"})
    head = proxy.seen[0].body.split(b"\r\n\r\n")[1].split(b"\r\n--")[0]
    assert json.loads(head)["metadata"] == {"description": "乔 100%41\n"}

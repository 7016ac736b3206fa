"""A bucket that the proxy holds itself answers as the emulator does that was filled with the same."""

import json
import urllib.request
from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]

from tests.gcs.held import HeldBucket, body_of, metadata_of
from tests.gcs.proxy import Proxy
from wenchang.storage import ListedObject
from wenchang.storage.gcs import GcsStorage

NAMES = ("a-b", "a/b", "a/b/1", "a/b/2", "a/c/1", "a/x", "a0", "b/é/1", "b/乔/1", "c/d/e/f", "d")


@pytest.fixture
def held(bucket: Bucket, proxy: Proxy) -> str:
    """The name of a held bucket with the same objects as `bucket`."""
    storage = GcsStorage(bucket)
    for name in NAMES:
        storage.put(name, body_of(name), metadata_of(name))
    proxy.held["held"] = HeldBucket("held", NAMES)
    return "held"


def pages(proxy: Proxy, bucket: str, query: dict[str, object]) -> list[tuple[list[str], list[str]]]:
    """The names and prefixes of all pages of a listing."""
    found = []
    token: dict[str, object] = {}
    while True:
        url = f"{proxy.url}/storage/v1/b/{bucket}/o?{urlencode({**query, **token})}"
        with urllib.request.urlopen(url) as response:
            page: dict[str, Any] = json.load(response)
        found.append(([item["name"] for item in page.get("items", ())], page.get("prefixes", [])))
        if "nextPageToken" not in page:
            return found
        token = {"pageToken": page["nextPageToken"]}


def test_listings_are_those_of_the_emulator_page_by_page(held: str, bucket: Bucket, proxy: Proxy) -> None:
    # No start within what a delimiter cuts off: whether that is then listed, documentation and emulator leave open.
    places = product(("", "a", "a/", "a/b", "b/", "z"), ("", "/"), (1, 2, 3, 1000), (None, "a0", "b/", "e"))
    for prefix, delimiter, size, start in places:
        query = {"prefix": prefix, "delimiter": delimiter, "maxResults": size}
        query |= {} if start is None else {"startOffset": start}
        expected = pages(proxy, bucket.name, query)
        assert pages(proxy, held, query) == expected, query
        assert all(len(items) + len(prefixes) <= size for items, prefixes in expected), query


def test_objects_are_those_of_the_emulator(held: str, bucket: Bucket, client: Client) -> None:
    ours, theirs = GcsStorage(client.bucket(held)), GcsStorage(bucket)
    for name in NAMES:
        found, expected = ours.get(name), theirs.get(name)
        assert found is not None
        assert expected is not None
        assert (found.data, found.metadata) == (expected.data, expected.metadata)
    rows = [(row.key, row.metadata, row.size) for row in ours.list_page("a", None, 100)]
    assert rows == [(row.key, row.metadata, row.size) for row in theirs.list_page("a", None, 100)]
    assert ours.get("a/none") is None


def test_what_is_held_has_a_version_and_cannot_be_changed(held: str, client: Client) -> None:
    storage = GcsStorage(client.bucket(held))
    listed = storage.list_page("d", None, 1)[0]
    assert storage.get_body(listed) == body_of("d")
    assert storage.get_body(ListedObject("d", {}, type(listed.version)("5"))) is None
    with pytest.raises(Exception, match="It is held"):
        storage.put("d", b"", {})

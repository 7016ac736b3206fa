"""Objects that other programs made, and metadata that other storages spoil."""

import gzip

import pytest
from google.cloud.storage import Bucket  # type: ignore[import-untyped]

from tests.gcs.proxy import Proxy
from wenchang.storage.gcs import GcsStorage


@pytest.mark.parametrize(
    "text",
    [
        "乔 café cafe\u0301 \U0001f600",
        "100%25 %41 %zz a+b",
        "=?utf-8?q?caf=C3=A9?=",
        " edges\t",
        "two\nlines\r\n",
        "\x00\x07\x1b\x7f\x85\u2028",
        "é" * 4000,
        "",
    ],
)
def test_metadata_that_anyone_wrote_is_read_as_it_is(storage: GcsStorage, bucket: Bucket, text: str) -> None:
    blob = bucket.blob("k")
    blob.metadata = {"description": text, "other": text}
    blob.upload_from_string(b"x")
    found = storage.get("k")
    assert found is not None
    assert found.metadata == {"description": text, "other": text}
    storage.put_if_version("k", b"y", found.metadata, found.version)
    assert bucket.get_blob("k").metadata == {"description": text, "other": text}
    assert [dict(row.metadata) for row in storage.list_page("", None, 10)] == [found.metadata]


@pytest.mark.parametrize("metadata", [{"description": "\ud800"}, {"\udfff": ""}])
def test_metadata_that_would_not_come_back_is_refused_without_a_request(
    storage: GcsStorage, proxy: Proxy, metadata: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match=r"^Cloud Storage refuses U\+D[8F][0F][0F] .* in metadata$"):
        storage.put("k", b"", metadata)
    assert proxy.seen == []


def test_objects_without_metadata_are_read_and_listed_with_none(storage: GcsStorage, bucket: Bucket) -> None:
    bucket.blob("k").upload_from_string(b"x")
    found = storage.get("k")
    assert found is not None
    assert (found.metadata, storage.list_page("", None, 10)[0].metadata) == ({}, {})


def test_a_compressed_object_is_read_as_text_and_saved_as_such(storage: GcsStorage, bucket: Bucket) -> None:
    blob = bucket.blob("k")
    blob.content_encoding = "gzip"
    blob.upload_from_string(gzip.compress(b"- [stated] a\n" * 20), content_type="text/markdown")
    found = storage.get("k")
    assert found is not None
    assert found.data == b"- [stated] a\n" * 20
    assert storage.list_page("", None, 10)[0].size is None
    storage.put_if_version("k", found.data, {}, found.version)
    saved = bucket.get_blob("k")
    assert (saved.content_encoding, saved.size) == (None, len(found.data))
    again = storage.get("k")
    assert again is not None
    assert again.data == found.data
    assert storage.list_page("", None, 10)[0].size == len(found.data)


def test_a_folder_marker_is_an_object_of_its_own_name_and_no_folder(storage: GcsStorage, bucket: Bucket) -> None:
    for name in ("user/", "user/u/", "user/u/notes/a.md", "userother/u/notes/a.md"):
        bucket.blob(name).upload_from_string(b"")
    listed = [row.key for row in storage.list_page("user/", None, 10)]
    assert listed == ["user/", "user/u/", "user/u/notes/a.md"]
    assert storage.get("user/u") is None


def test_what_tells_our_writes_apart_is_no_metadata_and_stays_with_the_write(
    storage: GcsStorage, bucket: Bucket
) -> None:
    first = storage.put_if_version("k", b"x", {}, None)
    mark = bucket.get_blob("k").content_disposition
    assert mark.startswith("inline; write=")
    storage.put_if_version("k", b"x", {}, first)
    assert bucket.get_blob("k").content_disposition != mark
    assert bucket.get_blob("k").metadata in (None, {})

"""The storage itself: each method of the protocol as few requests as the service allows."""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, takewhile
from math import ceil
from typing import Any, TypeVar

from google.api_core.exceptions import BadRequest, Forbidden, NotFound, PreconditionFailed
from google.cloud.storage import Blob, Bucket, __version__  # type: ignore[import-untyped]

from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import ListedObject, ObjectVersion, PreconditionFailedError, StoredObject
from wenchang.storage.gcs.faults import TORN, mapped_errors
from wenchang.storage.gcs.names import check_name, check_texts, is_possible_name, is_possible_prefix, offset_for
from wenchang.storage.gcs.sending import PATIENCE_SECONDS, Request
from wenchang.storage.gcs.waiting import result_within, settled_within
from wenchang.version_token import VersionToken

# A few would do for the service, which takes one change a second to an object; its stand-ins take hundreds.
_READ_TRIES = 50
_PAGE = 1000
_CHILDREN_PAGES = 3
_CONTENT_TYPE = "text/markdown; charset=utf-8"
_LISTED = "items(name,generation,size,metadata,contentEncoding),nextPageToken"
_DATED = "items(name,generation,size,metadata,contentEncoding,timeCreated,timeDeleted,softDeleteTime),nextPageToken"
_CHILDREN = "prefixes,nextPageToken"
# Before its version 3 the client repeats uploads without telling.
_UPLOADS_TELL = not __version__.startswith("2.")
_GENERATION = re.compile(r"[1-9][0-9]{0,18}")

T = TypeVar("T")


class _ChangedError(Exception):
    """Metadata and body were of different generations."""


class GcsStorage:
    """Objects in `bucket`, safe to share across threads. Offers `BodyReading`, `ChildListing` and
    `VersionHistory` as well.

    `on_retry` is called with the error each time a request failed for the moment, from the thread of that request. The
    connections kept open are those of the bucket's client: `open_bucket` makes one that is wide enough.

    Raises `BackendUnavailableError` (`TooManyChangesError` where the service asks to slow down), `NameTooLongError` and
    `ValueError` for keys that it refuses; everything else, such as a missing permission, as the client raises it.
    """

    concurrency = 32

    def __init__(self, bucket: Bucket, *, on_retry: Callable[[Exception], None] | None = None) -> None:
        self._bucket = bucket
        self._on_retry = on_retry

    def get(self, key: str) -> StoredObject | None:
        """The object at `key`, or `None`. One round trip, unless the object changes meanwhile."""
        if not is_possible_name(key):
            return None
        for _ in range(_READ_TRIES):
            with suppress(NotFound, PreconditionFailed, _ChangedError):
                return self._read(key)
        raise BackendUnavailableError(TransientReason.UNAVAILABLE, "The object kept changing while it was read.")

    def get_body(self, listed: ListedObject) -> bytes | None:
        """The body of the version that was listed, in one request; `None` where that does not stand any more."""
        generation = _generation(listed.version)
        if generation is None or not is_possible_name(listed.key):
            return None
        download = self._bucket.blob(listed.key).download_as_bytes
        with suppress(NotFound, PreconditionFailed):
            data: bytes = self._request().ask(download, if_generation_match=generation)
            return data
        return None

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        """Replace whatever stands at `key`."""
        return self._upload(self._request(), key, data, metadata)

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        """Write only at version `expected`; `None` means only where no object exists."""
        generation = 0 if expected is None else _expected_generation(key, expected)
        request, mark = self._request(), f"inline; write={secrets.token_hex(16)}"
        try:
            return self._upload(request, key, data, metadata, mark=mark, if_generation_match=generation)
        except PreconditionFailed as error:
            may_be_ours = request.repeated or not _UPLOADS_TELL
            found = request.ask(self._bucket.get_blob, key) if may_be_ours else None
            if found is None or found.content_disposition != mark:
                raise PreconditionFailedError(key) from error
            return _version(found)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        """Delete only at version `expected`. In a bucket that keeps versions, the deleted one stays among them."""
        generation = _expected_generation(key, expected)
        request = self._request()
        try:
            request.ask(self._bucket.blob(key).delete, if_generation_match=generation)
        except (NotFound, PreconditionFailed) as error:
            if not request.repeated or request.ask(self._bucket.get_blob, key) is not None:
                raise PreconditionFailedError(key) from error

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        """One page of the keys under `prefix`, ascending. One request for each 1,000 rows."""
        # The service begins with `start_after` itself, where that exists.
        asked = limit if start_after is None else limit + 1

        def take(blobs: Any) -> list[ListedObject]:
            # As they came: to make a blob of each takes longer than all else here.
            items = (item for page in blobs.pages for item in page.raw_page.get("items", ()))
            return list(islice((_row(item) for item in items if _is_after(item["name"], start_after)), limit))

        query = {"max_results": asked, "fields": _LISTED, **_starting(start_after)}
        return self._list(take, ceil(asked / _PAGE), prefix, query)

    def list_children(self, prefix: str, start_after: str | None, limit: int) -> Sequence[str]:
        """One page of the prefixes one level below `prefix`, ascending."""

        def take(blobs: Any) -> list[str]:
            children: list[str] = []
            for _ in blobs.pages:
                children = sorted(child for child in blobs.prefixes if _is_after(child, start_after))
                if len(children) >= limit:
                    break
            return children[:limit]

        query = {"delimiter": "/", "page_size": _PAGE, "fields": _CHILDREN, **_starting(start_after)}
        return self._list(take, _CHILDREN_PAGES, prefix, query)

    def list_versions(self, key: str) -> Sequence[ObjectVersion]:
        """The versions of `key` that the bucket still holds, newest first."""

        def take(blobs: Iterator[Blob]) -> list[ObjectVersion]:
            return [_dated(blob) for blob in takewhile(lambda blob: blob.name == key, blobs)]

        rows = self._list(take, 1, key, {"fields": _DATED, "versions": True})
        with suppress(BadRequest, Forbidden):  # the bucket keeps nothing for an undelete, or not for this caller
            deleted = self._list(take, 1, key, {"fields": _DATED, "soft_deleted": True})
            rows += [row for row in deleted if not row.readable]
        return sorted(rows, key=lambda row: int(row.version), reverse=True)

    def get_version(self, key: str, version: VersionToken) -> StoredObject | None:
        """The object as it was at `version`; `None` where that is gone, or kept for an undelete only."""
        generation = _generation(version)
        if generation is None or not is_possible_name(key):
            return None
        with suppress(NotFound, PreconditionFailed, _ChangedError):
            return self._read(key, generation)
        return None

    # What the methods above are made of

    def _request(self) -> Request:
        return Request(self._on_retry)

    def _read(self, key: str, generation: int | None = None) -> StoredObject | None:
        pinned = {} if generation is None else {"generation": generation}
        body = self._bucket.blob(key, **pinned)
        with mapped_errors():
            finding = self._request().start(self._bucket.get_blob, key, **pinned)
            loading = self._request().start(body.download_as_bytes)
            settled_within(PATIENCE_SECONDS, finding, loading)
            found = finding.result()
            if found is None:
                return None
            try:
                data = loading.result()
            except TORN as error:  # the second half of another generation, or damaged on the way
                raise _ChangedError from error
        if body.generation is None:  # something on the way keeps the header that tells it to itself
            data = self._request().ask(body.download_as_bytes, if_generation_match=found.generation)
        elif body.generation != found.generation:
            raise _ChangedError
        return StoredObject(data, _metadata(found), _version(found))

    def _upload(
        self,
        request: Request,
        key: str,
        data: bytes,
        metadata: Mapping[str, str],
        mark: str | None = None,
        **condition: int,
    ) -> VersionToken:
        check_name(key)
        check_texts(metadata)
        blob = self._bucket.blob(key)
        blob.metadata = dict(metadata)
        if mark is not None:
            blob.content_disposition = mark
        request.ask(blob.upload_from_string, bytes(data), content_type=_CONTENT_TYPE, **condition)
        return _version(blob)

    def _list(self, take: Callable[[Any], list[T]], pages: int, prefix: str, query: Mapping[str, object]) -> list[T]:
        """What `take` makes of the listing under `prefix`, which it may read as far as it likes."""
        if not is_possible_prefix(prefix):
            return []
        with mapped_errors():
            listing = self._bucket.list_blobs(prefix=prefix, **query, **self._request().settings())
            return result_within(pages * PATIENCE_SECONDS, partial(take, listing))


def _generation(version: VersionToken) -> int | None:
    """The generation that `version` stands for; `None` for what no write ever returned."""
    number = int(version) if _GENERATION.fullmatch(version) else 0
    return number if 0 < number < 2**63 else None


def _expected_generation(key: str, expected: VersionToken) -> int:
    generation = _generation(expected)
    if generation is None or not is_possible_name(key):
        raise PreconditionFailedError(key)
    return generation


def _version(blob: Blob) -> VersionToken:
    return VersionToken(str(blob.generation))


def _metadata(blob: Blob) -> dict[str, str]:
    return dict(blob.metadata or {})


def _size(blob: Blob) -> int | None:
    """The bytes of the body. Those of a compressed object are not known before it is read."""
    size: int | None = None if getattr(blob, "content_encoding", None) else getattr(blob, "size", None)
    return size


def _row(item: Mapping[str, Any]) -> ListedObject:
    size = None if item.get("contentEncoding") else int(item.get("size", 0))
    return ListedObject(item["name"], item.get("metadata") or {}, VersionToken(item["generation"]), size)


def _dated(blob: Blob) -> ObjectVersion:
    return ObjectVersion(
        version=_version(blob),
        metadata=_metadata(blob),
        size=_size(blob),
        written=blob.time_created,
        replaced=blob.soft_delete_time or blob.time_deleted,
        readable=blob.soft_delete_time is None,
    )


def _starting(start_after: str | None) -> dict[str, str]:
    return {"start_offset": offset_for(start_after)} if start_after else {}


def _is_after(name: str, start_after: str | None) -> bool:
    return start_after is None or name > start_after

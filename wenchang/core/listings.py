"""The listing of an entity for the memory index, kept in an index cache between calls. Core, section 8.4.

Two texts per entity are kept: a generation token, fresh after every write, and a listing tagged with the token that
was current before it was made. A listing is served only while its tag is the current token, so one that overlapped a
write is never served. Ordering and cutting are done anew on every call, in `wenchang.core.index`.
"""

import json
import os

from wenchang._types import exact_str, really, type_name
from wenchang.core.paging import is_file, walk
from wenchang.file_format import (
    ALIASES_KEY,
    DESCRIPTION_KEY,
    LAST_UPDATED_KEY,
    SOURCES_KEY,
    read_last_updated,
)
from wenchang.index_cache import IndexCache
from wenchang.paths import build_prefix, is_valid_path
from wenchang.storage import ListedObject, Storage
from wenchang.version_token import VersionToken

_NO_LISTING = ""
_STORED_KEYS = (DESCRIPTION_KEY, ALIASES_KEY, SOURCES_KEY, LAST_UPDATED_KEY)


class _UnreadableError(Exception):
    """The cache raised, or gave back something that is no text. Already logged."""


class EntityListings:
    """Lists the files of an entity, through the cache if there is one.

    A cache that misbehaves costs a warning and a listing, never the operation; only `Exception` is swallowed. Warnings
    name the scope and a type, and no traceback: keys and entity IDs stay out of logs.
    """

    def __init__(self, storage: Storage, page_size: int, cache: IndexCache | None) -> None:
        self._storage = storage
        self._page_size = page_size
        self._cache = cache

    def files(self, scope: str, entity_id: str) -> list[ListedObject]:
        """Every memory file of the entity, ascending by path.

        With a cache, raises `MetadataFormatError` if one cannot be read: what is kept is what can be.
        """
        if self._cache is None:
            return self._list(scope, entity_id)
        return self._cached(_CachedEntity(self._cache, scope, entity_id))

    def _cached(self, kept: "_CachedEntity") -> list[ListedObject]:
        try:
            token = kept.token()
        except _UnreadableError:
            return self._list(kept.scope, kept.entity_id)
        files = kept.listing(token)
        if files is None:
            # The token was read, or made, before this listing: a write during it makes the listing stale at once.
            files = self._list(kept.scope, kept.entity_id)
            kept.keep(token, files)
        return files

    def _list(self, scope: str, entity_id: str) -> list[ListedObject]:
        prefix = build_prefix(scope, entity_id)
        return [listed for listed in walk(self._storage, prefix, self._page_size) if is_file(listed)]

    def outdate(self, path: str) -> None:
        """Make sure that the listing of the entity of `path` is not served any more: something was written there."""
        if self._cache is not None:
            scope, entity_id, *_ = path.split("/")
            _CachedEntity(self._cache, scope, entity_id).outdate()

    def invalidate(self, scope: str, entity_id: str) -> None:
        """As `outdate`, on the request of an operator: what the cache raises is raised."""
        if self._cache is not None:
            _CachedEntity(self._cache, scope, entity_id).invalidate()


class _CachedEntity:
    """The two cached texts of one entity."""

    def __init__(self, cache: IndexCache, scope: str, entity_id: str) -> None:
        self._cache = cache
        self.scope = scope
        self.entity_id = entity_id
        self._token_key = f"{cache.key_prefix}token/{scope}/{entity_id}"
        self._listing_key = f"{cache.key_prefix}listing/{scope}/{entity_id}"

    def token(self) -> str:
        """The current generation token; made and stored if there is none. Raises `_UnreadableError`."""
        token = self._get(self._token_key)
        if token is None:
            token = _fresh_token()
            self._set(self._token_key, token)
        return token

    def listing(self, token: str) -> list[ListedObject] | None:
        """The kept listing, if it is tagged with `token`."""
        try:
            text = self._get(self._listing_key)
        except _UnreadableError:
            return None
        if text is None or text == _NO_LISTING:
            return None
        try:
            return _decode_listing(text, token, build_prefix(self.scope, self.entity_id))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            warn("unreadable index cache listing in scope %s: %s", self.scope, type_name(error))
            return None

    def keep(self, token: str, files: list[ListedObject]) -> None:
        """Keep a listing that was made after `token` was current. Raises `MetadataFormatError` for unreadable files."""
        self._set(self._listing_key, _encode_listing(token, files))

    def outdate(self) -> None:
        """Change the token, then drop the listing."""
        for key, value in self._outdated():
            self._set(key, value)

    def invalidate(self) -> None:
        """As `outdate`, but what the cache raises is raised."""
        for key, value in self._outdated():
            self._cache.set(key, value, self._cache.ttl)

    def _outdated(self) -> tuple[tuple[str, str], ...]:
        return (self._token_key, _fresh_token()), (self._listing_key, _NO_LISTING)

    def _get(self, key: str) -> str | None:
        try:
            value = self._cache.get(key)
        except Exception as error:
            warn("index cache get failed in scope %s: %s", self.scope, type_name(error))
            raise _UnreadableError from None
        if value is not None and not really(value, str):
            warn("index cache get returned no text in scope %s: %s", self.scope, type_name(value))
            raise _UnreadableError
        return value and exact_str(value)

    def _set(self, key: str, value: str) -> None:
        try:
            self._cache.set(key, value, self._cache.ttl)
        except Exception as error:
            warn("index cache set failed in scope %s: %s", self.scope, type_name(error))


def warn(message: str, *values: object) -> None:
    """Log that a cache misbehaves."""
    import logging  # takes longer to import than a small folder to read, and is hardly ever needed

    logging.getLogger("wenchang.core").warning(message, *values)


def _fresh_token() -> str:
    return os.urandom(16).hex()


def _encode_listing(token: str, files: list[ListedObject]) -> str:
    return json.dumps({"token": token, "files": [_encode_file(listed) for listed in files]})


def _encode_file(listed: ListedObject) -> list[str]:
    read_last_updated(listed.metadata)
    return [listed.key, *(listed.metadata[key] for key in _STORED_KEYS), listed.version]


def _decode_listing(text: str, token: str, prefix: str) -> list[ListedObject] | None:
    """The files of a kept listing; `None` if its tag is another token.

    Raises `ValueError`, `TypeError`, `KeyError` or `RecursionError` for a text that this module did not write.
    """
    listing = json.loads(text)
    if listing["token"] != token:
        return None
    if type(listing["files"]) is not list:
        raise TypeError("kept files are a list")
    files = [_decode_file(row, prefix) for row in listing["files"]]
    if len({listed.key for listed in files}) < len(files):
        raise ValueError("no file is kept twice")
    return files


def _decode_file(row: list[str], prefix: str) -> ListedObject:
    if not all(type(text) is str for text in row):
        raise TypeError("a kept file is made of texts")
    path, *stored, version = row
    if not path.startswith(prefix) or not is_valid_path(path):
        raise ValueError("a kept file is one of its entity")
    metadata = dict(zip(_STORED_KEYS, stored, strict=True))
    read_last_updated(metadata)
    return ListedObject(path, metadata, VersionToken(version))

"""Memory files on top of a storage: reading, guarded writing, listing, the index, erasure and export.

Knows paths, limits and versions; knows neither callers nor what they may do. Seeding and administration write through
here too, `system/` included. Core, sections 6 to 9.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from wenchang._types import really, type_name
from wenchang.core import checks, edits
from wenchang.core.cursor import ListCursor, decode_cursor, encode_cursor
from wenchang.core.index import index_of
from wenchang.core.listings import EntityListings, warn
from wenchang.core.operators import PURGE_MAX_PASSES, Progress, Watch, export_entity, purge_entity
from wenchang.core.paging import file_entry, is_file, list_objects
from wenchang.core.parallel import each
from wenchang.core.quota import check_quota
from wenchang.core.reading import conflict, decoded, get_object
from wenchang.core.remembered import RememberedIndexes
from wenchang.core.values import ExportedObject, ListPage, MemoryFile, MemoryIndex
from wenchang.core.writing import GuardedWriter, Limits
from wenchang.errors import ReplaceFactMatchError
from wenchang.file_format import FileMetadata, metadata_from_map, parse_fact
from wenchang.index_cache import IndexCache
from wenchang.storage import PreconditionFailedError, Storage
from wenchang.version_token import VersionToken

DEFAULT_MAX_FILE_BYTES = 16384
DEFAULT_MAX_METADATA_BYTES = 8192
DEFAULT_LIST_PAGE_SIZE = 100
DEFAULT_INDEX_MAX_BYTES = 65536
DEFAULT_MAX_FILES_PER_ENTITY = 500

_REPLACE_ATTEMPTS = 3
# With the one more that is asked for, and the one to go on after, the largest page that Google Cloud Storage gives.
_DRAIN_PAGE_SIZE = 998


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MemoryStore:
    """Memory files of all scopes and entities in one storage.

    Limits are in UTF-8 bytes: `max_file_bytes` for a body, `max_metadata_bytes` for the four stored metadata keys and
    values, `index_max_bytes` for the index. `max_files_per_entity` counts files outside `system/`; `None` means any
    number. `clock` gives the aware time of a write. `scope_priority` orders the index, and `index_cache` keeps
    listings for it.

    Raises `TypeError` for a `scope_priority` that is no sequence of `str` and an `index_cache` that is none, then
    `ValueError` for limits below 1 and invalid or repeated scopes.

    Every operation on a file raises `NotFoundError` for a malformed path before it touches storage. What a storage
    raises propagates, and so do `MetadataFormatError` and `UnicodeDecodeError` for data that others damaged.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        max_file_bytes: int = DEFAULT_MAX_FILE_BYTES,
        clock: Callable[[], datetime] = _utc_now,
        list_page_size: int = DEFAULT_LIST_PAGE_SIZE,
        index_max_bytes: int = DEFAULT_INDEX_MAX_BYTES,
        scope_priority: Sequence[str] = (),
        max_files_per_entity: int | None = DEFAULT_MAX_FILES_PER_ENTITY,
        index_cache: IndexCache | None = None,
        max_metadata_bytes: int = DEFAULT_MAX_METADATA_BYTES,
    ) -> None:
        scopes = checks.exact_texts("scope_priority", scope_priority)
        if index_cache is not None and not really(index_cache, IndexCache):
            raise TypeError(f"index_cache must be an IndexCache or None, not {type_name(index_cache)}")
        checks.check_positive(
            max_file_bytes=max_file_bytes,
            list_page_size=list_page_size,
            index_max_bytes=index_max_bytes,
            max_files_per_entity=max_files_per_entity,
            max_metadata_bytes=max_metadata_bytes,
        )
        checks.check_scope_priority(scopes)
        self._storage = storage
        self._list_page_size = list_page_size
        self._index_max_bytes = index_max_bytes
        self._scope_priority = scopes
        self._max_files_per_entity = max_files_per_entity
        self._index_cache = index_cache
        self._remembered = RememberedIndexes(storage)
        self._drain_page_size = max(list_page_size, _DRAIN_PAGE_SIZE)
        self._listings = EntityListings(storage, self._drain_page_size, index_cache)
        self._writer = GuardedWriter(storage, self._listings, clock, Limits(max_file_bytes, max_metadata_bytes))

    @property
    def index_max_bytes(self) -> int:
        """What the entries of an index may cost together."""
        return self._index_max_bytes

    @property
    def scope_priority(self) -> tuple[str, ...]:
        """The scopes that come first in the index, in this order."""
        return self._scope_priority

    @property
    def index_cache(self) -> IndexCache | None:
        """Where listings for the index are kept, if anywhere."""
        return self._index_cache

    # Files

    def read_file(self, path: str) -> MemoryFile:
        """The file at `path`. Raises `NotFoundError` when there is none."""
        checks.check_path(path)
        found = get_object(self._storage, path)
        return MemoryFile(path, decoded(found), metadata_from_map(found.metadata), found.version)

    def write_file(
        self,
        path: str,
        content: str,
        metadata: FileMetadata,
        expected_version: VersionToken | None,
        *,
        source: str,
    ) -> MemoryFile:
        """Create the file (`expected_version=None`), or replace the version that the caller read.

        Description and aliases are replaced by those of `metadata`, sources are added to, `last_updated` is the
        clock's. Raises `ValueError` for an empty source, `OversizeWriteError` and `OversizeMetadataError` above a
        limit, `FileQuotaExceededError` when a new file would be one too many, `NotFoundError` when the file to replace
        is gone, and `VersionConflictError` when another version, or at creation any, stands there.
        """
        checks.check_writable_path(path)
        if not source:
            raise ValueError("source must be non-empty")
        checks.check_text("content", content)
        checks.check_metadata_text(metadata)
        checks.check_text("source", source)
        data = self._writer.measured(path, content)
        sources = metadata.sources | {source}
        if expected_version is None:
            check_quota(self._storage, path, self._max_files_per_entity, self._list_page_size)
        else:
            found = get_object(self._storage, path)
            stored = metadata_from_map(found.metadata)
            if found.version != expected_version:
                raise conflict(path, found)
            sources |= stored.sources
        draft = self._writer.draft(path, content, data, replace(metadata, sources=sources))
        try:
            return self._writer.put(draft, expected_version)
        except PreconditionFailedError:
            raise conflict(path, get_object(self._storage, path)) from None

    def append_line(
        self,
        path: str,
        line: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Add one fact line at the end of the version that the caller read. Never creates a file.

        An append whose response was lost is recognised and reported as done. Raises `ValueError` for a line that is no
        fact or an empty source, `TypeError` and `ValueError` for aliases or a description that cannot be, and
        otherwise as `write_file`.
        """
        checks.check_writable_path(path)
        if parse_fact(line) is None or not source:
            raise ValueError("line must be a single fact line and source must be non-empty")
        edit = checks.metadata_edit(source, aliases, description)
        checks.check_text("line", line)
        found = get_object(self._storage, path)
        content = decoded(found)
        if found.version != expected_version:
            raise conflict(path, found)
        metadata = edit.apply(metadata_from_map(found.metadata))
        content = edits.append_line(content, line)
        draft = self._writer.draft(path, content, self._writer.measured(path, content), metadata)
        try:
            return self._writer.put(draft, expected_version)
        except PreconditionFailedError:
            found = get_object(self._storage, path)
            if draft.is_what_stands(found):
                return draft.landed(found.version)
            raise conflict(path, found) from None

    def replace_fact(
        self,
        path: str,
        old_string: str,
        new_string: str,
        expected_version: VersionToken,
        *,
        source: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Replace the one span `old_string`, also in a version newer than the caller's, as long as it is still one.

        Raises `ValueError` for an empty `old_string` or source, `ReplaceFactMatchError` when the version that the
        caller read does not hold the span exactly once, `VersionConflictError` when a newer one does not or when other
        writers kept getting in between, and otherwise as `append_line`.
        """
        checks.check_writable_path(path)
        if not old_string or not source:
            raise ValueError("old_string and source must be non-empty")
        edit = checks.metadata_edit(source, aliases, description)
        checks.check_text("new_string", new_string)
        for _ in range(_REPLACE_ATTEMPTS):
            found = get_object(self._storage, path)
            content = decoded(found)
            metadata = edit.apply(metadata_from_map(found.metadata))
            spans = edits.count_spans(content, old_string)
            if spans != 1:
                if found.version == expected_version:
                    raise ReplaceFactMatchError(path, content, found.version, spans)
                raise conflict(path, found)
            content = content.replace(old_string, new_string)
            draft = self._writer.draft(path, content, self._writer.measured(path, content), metadata)
            try:
                return self._writer.put(draft, found.version)
            except PreconditionFailedError:
                continue
        raise conflict(path, found)

    def delete_file(self, path: str, expected_version: VersionToken) -> None:
        """Delete the version that the caller read, readable or not.

        Raises `NotFoundError` when there is no file, `VersionConflictError` when another version stands there.
        """
        checks.check_path(path)
        found = get_object(self._storage, path)
        if found.version != expected_version:
            raise conflict(path, found)
        try:
            self._writer.delete(path, expected_version)
        except PreconditionFailedError:
            raise conflict(path, get_object(self._storage, path)) from None

    # Listings

    def list_prefix(self, prefix: str, cursor: ListCursor | None = None) -> ListPage:
        """One page of the files under the prefix of a scope, an entity or an area, ascending by path.

        A page may be short, even empty, while `next_cursor` is set: keys that are no memory files are passed over.
        Raises `NotFoundError` for an invalid prefix, `ValueError` for a cursor that was not issued for it.
        """
        checks.check_prefix(prefix)
        after = None if cursor is None else decode_cursor(cursor, prefix)
        page, after = list_objects(self._storage, prefix, after, self._list_page_size)
        return ListPage(
            entries=tuple(file_entry(listed) for listed in page if is_file(listed)),
            next_cursor=None if after is None else encode_cursor(after),
        )

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        """The index over the entities that `scope_map` names by scope: most relevant first, cut at `index_max_bytes`.

        Raises `TypeError` and `ValueError` for a map that is none of scopes to entity IDs.
        """
        entities = tuple(checks.exact_scope_map(scope_map))
        if self._index_cache is not None:
            return self._index(entities)
        return self._remembered.get(entities, lambda: self._index(entities))

    def _index(self, entities: Sequence[tuple[str, str]]) -> MemoryIndex:
        listings = each(self._storage, lambda entity: self._listings.files(*entity), entities)
        files = [listed for listing in listings for listed in listing]
        return index_of(files, self._scope_priority, self._index_max_bytes)

    def invalidate_index(self, scope: str, entity_id: str) -> None:
        """Forget the cached listing of an entity, after its storage was changed from outside this class.

        Raises `TypeError` and `ValueError` for names that cannot be, and whatever the cache raises.
        """
        self._listings.invalidate(*checks.exact_entity(scope, entity_id))

    # Whole entities

    def purge(
        self,
        scope: str,
        entity_id: str,
        *,
        max_passes: int = PURGE_MAX_PASSES,
        on_progress: Callable[[Progress], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Delete everything an entity has stored; return how many deletions were confirmed, at least that many.

        `on_progress` is told of each, also of those under way when another fails; `is_cancelled` is asked before each,
        from any thread. Raises `TypeError` and `ValueError` for arguments that cannot be, `PurgeIncompleteError` when
        objects remain after `max_passes` passes, and `OperationCancelledError`.
        """
        scope, entity_id = checks.exact_purge_arguments(scope, entity_id, max_passes)
        watch = Watch(on_progress, is_cancelled)
        try:
            deleted = purge_entity(self._storage, scope, entity_id, self._drain_page_size, watch, max_passes)
        except BaseException:
            self._invalidate_after_failure(scope, entity_id)
            raise
        self.invalidate_index(scope, entity_id)
        return deleted

    def export(
        self,
        scope: str,
        entity_id: str,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> tuple[ExportedObject, ...]:
        """Everything an entity has stored, as stored, ascending by key. Not a snapshot.

        To restore: `storage.put` each object, then `invalidate_index`. Raises as `iter_export`.
        """
        return tuple(self.iter_export(scope, entity_id, on_progress=on_progress, is_cancelled=is_cancelled))

    def iter_export(
        self,
        scope: str,
        entity_id: str,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Generator[ExportedObject, None, None]:
        """As `export`, one object after the other, for entities that are large to hold at once.

        `on_progress` and `is_cancelled` as for `purge`. Raises `TypeError` and `ValueError` for names that cannot be,
        right away, and `OperationCancelledError`.
        """
        entity = checks.exact_entity(scope, entity_id)
        return export_entity(self._storage, *entity, self._drain_page_size, Watch(on_progress, is_cancelled))

    def _invalidate_after_failure(self, scope: str, entity_id: str) -> None:
        try:
            self.invalidate_index(scope, entity_id)
        except Exception as error:
            warn("index cache set failed in scope %s: %s", scope, type_name(error))

"""Memory files with versions, an index over them, and their limits: everything but who may do what.

`MemoryStore` is the way in. Core, sections 6 to 9.
"""

from wenchang.core.cursor import ListCursor
from wenchang.core.index import cap_entries, index_entry_bytes, order_entries
from wenchang.core.operators import PURGE_MAX_PASSES, OperationCancelledError, Progress, PurgeIncompleteError
from wenchang.core.store import (
    DEFAULT_INDEX_MAX_BYTES,
    DEFAULT_LIST_PAGE_SIZE,
    DEFAULT_MAX_FILE_BYTES,
    DEFAULT_MAX_FILES_PER_ENTITY,
    DEFAULT_MAX_METADATA_BYTES,
    MemoryStore,
)
from wenchang.core.values import (
    INDEX_SYSTEM_AREA,
    CappedPrefix,
    ExportedObject,
    FileEntry,
    ListPage,
    MemoryFile,
    MemoryIndex,
)

__all__ = [
    "DEFAULT_INDEX_MAX_BYTES",
    "DEFAULT_LIST_PAGE_SIZE",
    "DEFAULT_MAX_FILES_PER_ENTITY",
    "DEFAULT_MAX_FILE_BYTES",
    "DEFAULT_MAX_METADATA_BYTES",
    "INDEX_SYSTEM_AREA",
    "PURGE_MAX_PASSES",
    "CappedPrefix",
    "ExportedObject",
    "FileEntry",
    "ListCursor",
    "ListPage",
    "MemoryFile",
    "MemoryIndex",
    "MemoryStore",
    "OperationCancelledError",
    "Progress",
    "PurgeIncompleteError",
    "cap_entries",
    "index_entry_bytes",
    "order_entries",
]

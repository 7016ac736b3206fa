"""How many files an entity may hold. Counted only when a file is about to be created. Core, section 7.

Counting and creating are two steps, so creations that race may go past the limit; nothing is locked for it.
"""

from wenchang.core.reading import conflict
from wenchang.core.values import INDEX_SYSTEM_AREA
from wenchang.errors import FileQuotaExceededError
from wenchang.paths import build_prefix, is_valid_path, parse_path
from wenchang.storage import Storage


def check_quota(storage: Storage, path: str, limit: int | None, page_size: int) -> None:
    """Let a file be created at `path`, or say why not; `limit` is a number of files, `None` for any.

    Raises `VersionConflictError` if the entity is full but the file exists already, `FileQuotaExceededError` if it is
    full otherwise. Files in `system/` are neither limited nor counted.
    """
    if limit is None or not _counts(path) or not _is_full(storage, path, limit, page_size):
        return
    found = storage.get(path)
    if found is not None:
        raise conflict(path, found)
    raise FileQuotaExceededError(path, limit)


def _is_full(storage: Storage, path: str, limit: int, page_size: int) -> bool:
    parts = parse_path(path)
    prefix = build_prefix(parts.scope, parts.entity_id)
    count, after = 0, None
    while True:
        asked = max(limit - count, page_size)
        page = storage.list_page(prefix, after, asked)
        count += sum(_counts(listed.key) for listed in page)
        if count >= limit or len(page) < asked:
            return count >= limit
        after = page[-1].key


def _counts(key: str) -> bool:
    return is_valid_path(key) and key.split("/")[2] != INDEX_SYSTEM_AREA

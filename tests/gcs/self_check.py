"""Whether a stand-in for the service enforces what the storage relies on. A suite that is green on one that does not
would prove nothing."""

from collections.abc import Callable

from google.api_core.exceptions import NotFound, PreconditionFailed
from google.cloud.storage import Bucket  # type: ignore[import-untyped]

WRONG = 5


def ignored_preconditions(bucket: Bucket) -> list[str]:
    """The kinds of request that were carried out in `bucket` although their precondition did not hold."""
    blob = bucket.blob("self-check")
    blob.metadata = {"description": "x"}
    blob.upload_from_string(b"x", if_generation_match=0)
    attempts: dict[str, Callable[[], object]] = {
        "create": lambda: bucket.blob("self-check").upload_from_string(b"y", if_generation_match=0),
        "replace": lambda: bucket.blob("self-check").upload_from_string(b"y", if_generation_match=WRONG),
        "replace of nothing": lambda: bucket.blob("absent").upload_from_string(b"y", if_generation_match=WRONG),
        "metadata": lambda: bucket.get_blob("self-check", if_generation_match=WRONG),
        "media": lambda: bucket.blob("self-check").download_as_bytes(if_generation_match=WRONG),
        "delete of nothing": lambda: bucket.blob("absent").delete(if_generation_match=WRONG),
        "delete": lambda: bucket.blob("self-check").delete(if_generation_match=WRONG),
    }
    return [name for name, attempt in attempts.items() if not _is_refused(attempt)]


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (PreconditionFailed, NotFound):
        return True
    return False

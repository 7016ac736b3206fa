"""Where a listing goes on: an opaque text for callers, the last key examined for the store. Core, section 8.2."""

import base64
from typing import NewType

ListCursor = NewType("ListCursor", str)
"""Says where the next page starts. Good only for the prefix it was issued for."""


def encode_cursor(key: str) -> ListCursor:
    """The cursor that goes on after `key`, which may be any text at all."""
    return ListCursor(base64.urlsafe_b64encode(key.encode("utf-8", "surrogatepass")).decode("ascii"))


def decode_cursor(cursor: ListCursor, prefix: str) -> str:
    """The key that `cursor` goes on after.

    Raises `ValueError` for a text that no store issued, and for one that was not issued for `prefix`.
    """
    try:
        key = base64.urlsafe_b64decode(cursor).decode("utf-8", "surrogatepass")
    except ValueError as error:
        raise ValueError(f"Malformed list cursor: {cursor!r}") from error
    if encode_cursor(key) != cursor:
        raise ValueError(f"Malformed list cursor: {cursor!r}")
    if not key.startswith(prefix):
        raise ValueError(f"Cursor {cursor!r} was not issued for prefix {prefix!r}")
    return key

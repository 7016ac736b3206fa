"""Which names, prefixes and metadata Cloud Storage can hold, decided before any request.

The service takes any UTF-8 text of up to 1,024 bytes as a name, save for the few refused here. What cannot be a name is
simply absent to a reader; a writer is told which character is at fault.
"""

import re
from collections.abc import Mapping

from wenchang.errors import NameTooLongError

LONGEST_NAME = 1024
"""Bytes in UTF-8."""

_ACME = ".well-known/acme-challenge/"
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_REFUSED = re.compile(r"[\r\n\ud800-\udfff]")
_CALLED = {"\r": "carriage return", "\n": "line feed"}


def is_possible_name(key: str) -> bool:
    """Whether an object called `key` can exist."""
    return _fault(key) is None and len(key.encode()) <= LONGEST_NAME


def is_possible_prefix(prefix: str) -> bool:
    """Whether the name of an object can begin with `prefix`."""
    return _REFUSED.search(prefix) is None and len(prefix.encode()) <= LONGEST_NAME


def check_name(key: str) -> None:
    """Raise `ValueError`, which tells the character at fault, or `NameTooLongError` for what cannot be a name."""
    if fault := _fault(key):
        raise ValueError(f"Cloud Storage refuses {fault}")
    if (size := len(key.encode())) > LONGEST_NAME:
        raise NameTooLongError(key, size, LONGEST_NAME)


def check_texts(metadata: Mapping[str, str]) -> None:
    """Raise `ValueError` for metadata that cannot be sent: values travel as JSON, which takes all but surrogates."""
    for text in (*metadata.keys(), *metadata.values()):
        if found := _SURROGATE.search(text):
            raise ValueError(f"Cloud Storage refuses {_describe(found[0])} in metadata")


def offset_for(start_after: str) -> str:
    """Where a listing begins that gives the names after `start_after`: the service compares, but takes no surrogate.

    As no name holds one either, those after the surrogate are those from the first character above all surrogates.
    """
    found = _SURROGATE.search(start_after)
    return start_after if found is None else f"{start_after[: found.start()]}\ue000"


def _fault(key: str) -> str | None:
    if not key:
        return "an empty object name"
    if key in (".", ".."):
        return f"{key!r} as an object name"
    if key.startswith(_ACME):
        return f"an object name that starts with {_ACME!r}"
    found = _REFUSED.search(key)
    return found and f"{_describe(found[0])} in an object name"


def _describe(character: str) -> str:
    return f"U+{ord(character):04X} ({_CALLED.get(character, 'unpaired surrogate')})"

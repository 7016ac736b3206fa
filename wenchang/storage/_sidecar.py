"""The sidecar of a body: the metadata and version it was written with, and how to tell that body from any other.

A sidecar is one line of JSON, `{"version": …, "metadata": {…}, "body": {"size": …, "mtime_ns": …, "sha256": …}}`.
A body is recognised by size and modification time, which a write sets to a moment of its own choosing, down to a
nanosecond that no clock is likely to give an edit; where that is not conclusive, by its digest. Core, section 5.3.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from wenchang.version_token import VersionToken

_loads: Callable[[bytes], Any] = json.loads
with suppress(ImportError):
    from orjson import loads as _loads  # three times as fast, where it is installed

_COARSE = 1_000_000  # nanoseconds: a clock that only ticks this seldom does not tell two writes apart


class Sidecar(NamedTuple):
    """A version and its metadata, and what identifies their body: size in bytes, modification time, SHA-256 in hex.

    `size` is `None` where a sidecar does not say which body it was written with.
    """

    version: VersionToken
    metadata: Mapping[str, str]
    size: int | None = None
    mtime_ns: int = 0
    sha256: str = ""

    def fits(self, size: int, mtime_ns: int) -> bool:
        """Whether a body of this size and time is certainly the one it was written with."""
        return self.size == size and self.mtime_ns == mtime_ns and mtime_ns % _COARSE != 0

    def version_with(self, digest: str) -> VersionToken:
        """The version of the object with a body of that digest: one that no write ever gave when it was edited."""
        if self.size is None or self.sha256 == digest:
            return self.version
        return VersionToken(f"{self.version}.{digest[:32]}")


def digest_of(data: bytes) -> str:
    """The digest that stands in a stamp."""
    import hashlib  # not before it is needed: it loads all of OpenSSL, and plain reading needs no digest

    return hashlib.sha256(data).hexdigest()


def governing(
    sidecar: Sidecar | None, commit: Sidecar | None, size: int, mtime_ns: int, digest: Callable[[], str]
) -> Sidecar | None:
    """Which of the two a body belongs to: the commit record once its body is in place, until then the sidecar."""
    if commit is None or commit.size is None:
        return sidecar
    if commit.fits(size, mtime_ns):
        return commit
    if sidecar is not None and sidecar.fits(size, mtime_ns):
        return sidecar
    return commit if commit.sha256 == digest() else sidecar


def render_sidecar(sidecar: Sidecar) -> bytes:
    """The bytes of a sidecar. ASCII, so that any text, paired or not, comes back as it was."""
    body = {"size": sidecar.size, "mtime_ns": sidecar.mtime_ns, "sha256": sidecar.sha256}
    values = {"version": sidecar.version, "metadata": dict(sidecar.metadata), "body": body}
    return json.dumps(values).encode("ascii")


def parse_sidecar(raw: bytes) -> Sidecar:
    """The sidecar in `raw`.

    One that cannot be read still stands for an object, with no metadata and a version made from its bytes: so it is
    listed as malformed, and can be replaced or deleted under its version like any other.
    """
    try:
        return _parse(_loads(raw))
    except (ValueError, RecursionError, KeyError, TypeError):
        return _parse_unusual(raw)


def _parse_unusual(raw: bytes) -> Sidecar:
    try:
        return _parse(json.loads(raw))  # which also takes unpaired surrogates
    except (ValueError, RecursionError, KeyError, TypeError):
        return Sidecar(VersionToken(f"unreadable.{digest_of(raw)}"), {})


def _parse(values: dict[str, Any]) -> Sidecar:
    version, metadata, body = values["version"], values["metadata"], values.get("body")
    if type(version) is not str or type(metadata) is not dict:
        raise TypeError
    for text in metadata.values():
        if type(text) is not str:
            raise TypeError
    if body is None:
        return Sidecar(VersionToken(version), metadata)
    size, mtime_ns, sha256 = body["size"], body["mtime_ns"], body["sha256"]
    if type(size) is not int or type(mtime_ns) is not int or type(sha256) is not str:
        raise TypeError
    return Sidecar(VersionToken(version), metadata, size, mtime_ns, sha256)

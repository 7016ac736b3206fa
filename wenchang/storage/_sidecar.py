"""The sidecar of a body: the metadata and version it was written with, and how to tell that body from any other.

A sidecar is one line of JSON, `{"version": …, "metadata": {…}, "body": {"size": …, "mtime_ns": …, "sha256": …}}`.
A body is recognised by size and modification time, which a write sets to a moment of its own choosing, down to a
nanosecond that no clock is likely to give an edit; where that is not conclusive, by its digest. Core, section 5.3.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from wenchang.version_token import VersionToken

_loads: Callable[[bytes], Any] = json.loads
with suppress(ImportError):
    from orjson import loads as _loads  # three times as fast, where it is installed

_COARSE = 1_000_000  # nanoseconds: a clock that only ticks this seldom does not tell two writes apart


class BodyStamp(NamedTuple):
    """What identifies a body: its size in bytes, its modification time, its SHA-256 in hexadecimal."""

    size: int
    mtime_ns: int
    sha256: str


class Sidecar(NamedTuple):
    """A sidecar as read; `stamp` is `None` where it does not say which body it was written with."""

    version: VersionToken
    metadata: Mapping[str, str]
    stamp: BodyStamp | None

    def fits(self, size: int, mtime_ns: int) -> bool:
        """Whether a body of this size and time is certainly the one it was written with."""
        stamp = self.stamp
        if stamp is None:
            return False
        return stamp.size == size and stamp.mtime_ns == mtime_ns and mtime_ns % _COARSE != 0

    def version_with(self, digest: str) -> VersionToken:
        """The version of the object with a body of that digest: one that no write ever gave when it was edited."""
        if self.stamp is None or self.stamp.sha256 == digest:
            return self.version
        return VersionToken(f"{self.version}.{digest[:32]}")


def digest_of(data: bytes) -> str:
    """The digest that stands in a stamp."""
    return hashlib.sha256(data).hexdigest()


def governing(
    sidecar: Sidecar | None, commit: Sidecar | None, size: int, mtime_ns: int, digest: Callable[[], str]
) -> Sidecar | None:
    """Which of the two a body belongs to: the commit record once its body is in place, until then the sidecar."""
    if commit is None or commit.stamp is None:
        return sidecar
    if commit.fits(size, mtime_ns):
        return commit
    if sidecar is not None and sidecar.fits(size, mtime_ns):
        return sidecar
    return commit if commit.stamp.sha256 == digest() else sidecar


def render_sidecar(version: VersionToken, metadata: Mapping[str, str], stamp: BodyStamp) -> bytes:
    """The bytes of a sidecar. ASCII, so that any text, paired or not, comes back as it was."""
    body = {"size": stamp.size, "mtime_ns": stamp.mtime_ns, "sha256": stamp.sha256}
    return json.dumps({"version": version, "metadata": dict(metadata), "body": body}).encode("ascii")


def parse_sidecar(raw: bytes) -> Sidecar:
    """The sidecar in `raw`.

    One that cannot be read still stands for an object, with no metadata and a version made from its bytes: so it is
    listed as malformed, and can be replaced or deleted under its version like any other.
    """
    try:
        return _parse(_load(raw))
    except (ValueError, RecursionError, KeyError, TypeError):
        return Sidecar(VersionToken(f"unreadable.{digest_of(raw)}"), {}, None)


def _load(raw: bytes) -> Any:
    try:
        return _loads(raw)
    except ValueError:
        return json.loads(raw)  # which also takes unpaired surrogates


def _parse(values: dict[str, Any]) -> Sidecar:
    version, metadata, body = values["version"], values["metadata"], values.get("body")
    if type(version) is not str or type(metadata) is not dict or not {str}.issuperset(map(type, metadata.values())):
        raise TypeError
    return Sidecar(VersionToken(version), metadata, None if body is None else _parse_stamp(body))


def _parse_stamp(body: dict[str, Any]) -> BodyStamp:
    size, mtime_ns, sha256 = body["size"], body["mtime_ns"], body["sha256"]
    if type(size) is not int or type(mtime_ns) is not int or type(sha256) is not str:
        raise TypeError
    return BodyStamp(size, mtime_ns, sha256)

"""How a key is spelled on disk: which files hold an object, and which object a file belongs to.

Each segment of a key becomes one portable file name, so that a folder can be moved between Linux, macOS and Windows.
Encoding and decoding are exact inverses: a name that no key is spelled as is foreign, and decodes to nothing. The file
suffixes start with a per cent sign that no encoded segment can hold. Core, section 5.3.
"""

import re
from collections.abc import Sequence

BODY = "%obj"
SIDECAR = "%meta"
COMMIT = "%next"
LOCK = "%lock"
TEMPORARY = "%tmp-"

SUFFIXES = (BODY, SIDECAR, COMMIT, LOCK)
LONGEST_SUFFIX = max(map(len, SUFFIXES))

_KEPT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_SPELLED = [chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in range(256)]
_DEVICE = r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|\Z)"
_PLAIN = rf"(?!{_DEVICE})[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++)*+"
_is_windows_device = re.compile(_DEVICE).match
_is_spelled_as_itself = re.compile(_PLAIN).fullmatch
_are_spelled_as_themselves = re.compile(rf"(?:{_PLAIN}/)*+").fullmatch


_ESCAPE = re.compile(rb"%([0-9A-F]{2})")


def _byte_of(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 16)])


def encode_segment(segment: str) -> str:
    """The file name of one segment of a key: ASCII, never empty, never made of dots, no device of Windows."""
    if _is_spelled_as_itself(segment):
        return segment
    if not segment:
        return "%"
    name = "".join(_SPELLED[byte] for byte in segment.encode("utf-8", "surrogatepass"))
    if not name.strip("."):
        return "%2E" * len(name)
    if _is_windows_device(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if name.endswith("."):
        name = f"{name[:-1]}%2E"
    return name


def decode_segment(name: str) -> str | None:
    """The segment that `encode_segment` spells as `name`; `None` for a foreign name."""
    if _is_spelled_as_itself(name):
        return name
    if name == "%":
        return ""
    try:
        segment = _ESCAPE.sub(_byte_of, name.encode()).decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return segment if encode_segment(segment) == name else None


def decode_segments(names: Sequence[str]) -> dict[str, str]:
    """The segments that `names`, of files in one folder, spell, each with its name; foreign names are left out."""
    if _are_spelled_as_themselves("/".join((*names, ""))):  # nearly always: told at one look, as no name holds a slash
        return dict(zip(names, names, strict=True))
    return {segment: name for name in names if (segment := decode_segment(name)) is not None}


def key_of_parts(parts: tuple[str, ...]) -> str | None:
    """The key whose body, sidecar or commit record is the file at `parts` below the root; `None` for any other file."""
    if not parts:
        return None
    stem, suffix, rest = parts[-1].rpartition("%")
    if suffix + rest not in (BODY, SIDECAR, COMMIT):
        return None
    segments = [decode_segment(part) for part in (*parts[:-1], stem)]
    known = [segment for segment in segments if segment is not None]
    return "/".join(known) if len(known) == len(segments) else None

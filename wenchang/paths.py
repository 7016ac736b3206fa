"""The grammar of memory paths: `{scope}/{entity_id}/{area}/{name}.md`, and of their prefixes.

Pure text: nothing here normalises, folds case, or knows how a storage spells a path on disk.
"""

import re
from dataclasses import dataclass

_EXTENSION = ".md"
# Every character but the slashes and those of Unicode category Cc, which no later version of Unicode adds to.
_CHARACTER = r"[^/\\\x00-\x1f\x7f-\x9f]"
_SEGMENT = rf"(?!\.\.?(?:/|\Z)){_CHARACTER}+"
_NAME = rf"(?!\.\.?\.md\Z){_CHARACTER}+\.md"

_IS_SEGMENT = re.compile(_SEGMENT).fullmatch
_IS_PATH = re.compile(rf"(?:{_SEGMENT}/){{3}}{_NAME}").fullmatch
_IS_PREFIX = re.compile(rf"(?:{_SEGMENT}/){{1,3}}").fullmatch


def is_valid_segment(segment: str) -> bool:
    """Whether `segment` may stand between two slashes: not empty, `.` or `..`, no slash, no control character."""
    return _IS_SEGMENT(segment) is not None


def is_valid_path(path: str) -> bool:
    """Whether `path` names a memory file: four valid segments, the last a valid name plus `.md`."""
    return _IS_PATH(path) is not None


def is_valid_prefix(prefix: str) -> bool:
    """Whether `prefix` is one to three valid segments, each followed by a slash."""
    return _IS_PREFIX(prefix) is not None


@dataclass(frozen=True, slots=True)
class PathParts:
    """The four parts of a path; `name` is without the final `.md`. Not validated."""

    scope: str
    entity_id: str
    area: str
    name: str


def _check(**segments: str) -> None:
    for argument, value in segments.items():
        if not is_valid_segment(value):
            raise ValueError(f"invalid {argument}: {value!r}")


def build_path(scope: str, entity_id: str, area: str, name: str) -> str:
    """The path of a memory file. Raises `ValueError` naming the first invalid part. Core, section 2."""
    _check(scope=scope, entity_id=entity_id, area=area, name=name)
    return f"{scope}/{entity_id}/{area}/{name}{_EXTENSION}"


def build_prefix(scope: str, entity_id: str | None = None, area: str | None = None) -> str:
    """The prefix of a scope, an entity or an area; only `None` means left out. Core, section 2.

    Raises `ValueError` for an area without an entity, then for the first invalid part.
    """
    if area is not None and entity_id is None:
        raise ValueError("area requires entity_id")
    parts = {"scope": scope, "entity_id": entity_id, "area": area}
    given = {argument: value for argument, value in parts.items() if value is not None}
    _check(**given)
    return "".join(f"{value}/" for value in given.values())


def parse_path(path: str) -> PathParts:
    """The parts of a valid path, an exact inverse of `build_path`. Raises `ValueError` for any other text."""
    if not is_valid_path(path):
        raise ValueError(f"invalid path: {path!r}")
    scope, entity_id, area, file = path.split("/")
    return PathParts(scope, entity_id, area, file.removesuffix(_EXTENSION))

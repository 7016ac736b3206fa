"""Filename patterns: literal text and `*`, matched in linear time without regard to case. File memory, section 9."""

import re
from collections.abc import Callable

from wenchang.filememory.text import is_blank, lowered

_HERE = re.compile(r"/*(?:(?:\.|\*\*)/+)*")


def name_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for names. Never an error: a pattern that cannot match a flat name matches nothing."""
    wanted = _within_folder(pattern)
    if is_blank(pattern) or wanted in ("", "*.*"):
        return _anything
    if "/" in wanted:
        return _nothing
    parts = lowered(wanted).split("*")
    return lambda name: _matches(lowered(name), parts)


def _anything(_name: str) -> bool:
    return True


def _nothing(_name: str) -> bool:
    return False


def _within_folder(pattern: str) -> str:
    """`pattern` without the leading parts that only say where memory files are."""
    return _HERE.sub("", pattern.replace("\\", "/"), count=1)


def _matches(name: str, parts: list[str]) -> bool:
    """Whether `name` is the parts in their order, with anything between them.

    Taking the first place for each part between is always right, as what follows only gets more room.
    """
    if len(parts) == 1:
        return name == parts[0]
    first, *between, last = parts
    if not name.startswith(first) or not name.endswith(last) or len(name) < len(first) + len(last):
        return False
    position, end = len(first), len(name) - len(last)
    for part in between:
        found = name.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True

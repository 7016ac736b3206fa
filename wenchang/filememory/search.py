"""Regular expressions over memories, in time linear in the text whatever the pattern; the only user of RE2.

The syntax and the error texts are those of Go, which RE2 nearly has. File memory, sections 7.5 and 10.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.lines import split_lines, without_terminator
from wenchang.filememory.values import FileMatch, LineMatch

try:
    import re2  # type: ignore[import-untyped]
except ImportError as _error:
    raise ImportError(
        "wenchang.filememory requires the optional 'filememory' extra: pip install 'wenchang[filememory]'"
    ) from _error

Pattern: TypeAlias = Any
"""A compiled pattern of `re2`, which has no types."""

_SNIPPET_RADIUS = 50
_QUOTED_OR_ESCAPE = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)
_GROUP_NAME = re.compile(r"[A-Za-z0-9_]+")
_REASONS_OF_GO = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}


def compile_pattern(pattern: str) -> Pattern:
    """`pattern`, which its own flags aside ignores case. Raises `FileMemoryError` where Go would refuse it."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(f"(?i){pattern}", options)
    except re2.error as error:
        raise _refusal(*_reason_and_fragment(error)) from error
    re2.purge()  # it would keep the last 128, with up to 8 MiB each
    if any(match[0] == r"\C" for match in _QUOTED_OR_ESCAPE.finditer(pattern)):
        raise _refusal("invalid escape sequence", r"\C")
    for name in compiled.groupindex:
        if not _GROUP_NAME.fullmatch(name):
            raise _refusal("invalid named capture", f"(?P<{name}>")
    return compiled


def _reason_and_fragment(error: Exception) -> tuple[str, str]:
    message = error.args[0]
    text = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    reason, _, fragment = text.partition(": ")
    return _REASONS_OF_GO.get(reason, reason), fragment


def _refusal(reason: str, fragment: str) -> FileMemoryError:
    return FileMemoryError(f"error parsing regexp: {reason}: `{fragment}`")


def search_text(name: str, text: str, pattern: Pattern) -> FileMatch | None:
    """The matching lines of a memory, and the text around its first match; `None` where no line matches."""
    matches = _matches(text, pattern)
    first = next(matches, None)
    if first is None:
        return None
    found, start, end = first
    lines = (found, *(line for line, _, _ in matches))
    return FileMatch(name, text[max(0, start - _SNIPPET_RADIUS) : end + _SNIPPET_RADIUS], lines)


def _matches(text: str, pattern: Pattern) -> Iterator[tuple[LineMatch, int, int]]:
    """Each matching line with where in `text` its leftmost match starts and ends, in characters."""
    position = 0
    for number, line in enumerate(split_lines(text), 1):
        match = pattern.search(without_terminator(line))
        if match is not None:
            yield LineMatch(number, line), position + match.start(), position + match.end()
        position += len(line)

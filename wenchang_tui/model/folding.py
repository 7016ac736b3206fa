"""Text as a person searches it: the same whatever its case or Unicode form. Never for names as stored."""

import unicodedata
from collections.abc import Iterator


def fold(text: str) -> str:
    """`text` with compatibility forms and case folded away."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def find_folded(needle: str, text: str) -> tuple[int, int] | None:
    """Where in `text` the already folded `needle` first stands: start and end of the original characters."""
    start = fold(text).find(needle)
    if start < 0:
        return None
    if text.isascii():
        return start, start + len(needle)
    return _original_span(needle, text) or (0, len(text))


def _original_span(needle: str, text: str) -> tuple[int, int] | None:
    folded, origins = "", []
    for start, end in _clusters(text):
        piece = fold(text[start:end])
        folded += piece
        origins.extend([(start, end)] * len(piece))
    at = folded.find(needle)
    return (origins[at][0], origins[at + len(needle) - 1][1]) if at >= 0 else None


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Spans of characters that fold together: a base with its marks, a Hangul syllable with its parts."""
    start = 0
    for at in range(1, len(text)):
        if not _continues(text[at]):
            yield start, at
            start = at
    if text:
        yield start, len(text)


def _continues(character: str) -> bool:
    return unicodedata.category(character).startswith("M") or "\u1160" <= character <= "\u11ff"

"""Characters as people see them: a letter with its accents, a joined emoji, a flag. A cursor stops only between."""

from collections.abc import Iterator

from rich.cells import split_graphemes


def cluster_before(text: str, at: int) -> int:
    """Where the visible character that ends at `at`, or holds it, begins."""
    if at <= 0 or text[:at].isascii():
        return max(0, at - 1)
    return max((start for start, _ in _spans(text) if start < at), default=0)


def cluster_after(text: str, at: int) -> int:
    """Where the visible character that begins at `at`, or holds it, ends."""
    if at >= len(text) or text.isascii():
        return min(len(text), at + 1)
    return min((end for _, end in _spans(text) if end > at), default=len(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """The visible characters; two regional indicators make a flag."""
    half: int | None = None
    for start, end, _ in split_graphemes(text)[0]:
        is_indicator = "\U0001f1e6" <= text[start] <= "\U0001f1ff"
        if half is not None and is_indicator:
            yield half, end
            half = None
            continue
        if half is not None:
            yield half, start
        half = start if is_indicator else None
        if half is None:
            yield start, end
    if half is not None:
        yield half, len(text)

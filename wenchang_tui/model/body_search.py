"""Searching the bodies, which is what a person may want and an agent cannot do: plain text, never a pattern."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

from wenchang_tui.model.catalog import Catalog, OpenFile
from wenchang_tui.model.folding import find_folded, fold

MAX_HITS = 1_000


@dataclass(frozen=True, slots=True)
class BodyHit:
    """A line that holds the text: counted from 1, the first place of the match as `line[start:end]`."""

    key: str
    line_number: int
    line: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A body that is searched as far as it reads, and why it is not whole."""

    key: str
    problem: str


def search_bodies(
    catalog: Catalog,
    prefix: str,
    needle: str,
    *,
    is_cancelled: Callable[[], bool],
    limit: int = MAX_HITS,
) -> Iterator[BodyHit | Unreadable]:
    """The lines under `prefix` that hold `needle`, whatever its case and Unicode form; at most `limit` hits.

    Asks `is_cancelled` at every body. A blank needle finds nothing. Storage errors propagate.
    """
    folded = fold(needle)
    if not folded.strip():
        return
    hits = 0
    with closing(catalog.files(prefix)) as files:
        for _, file in files:
            if is_cancelled():
                return
            for found in _search_file(file, folded) if file else ():
                yield found
                hits += isinstance(found, BodyHit)
                if hits >= limit:
                    return


def _search_file(file: OpenFile, folded: str) -> Iterator[BodyHit | Unreadable]:
    if file.text is None:
        yield Unreadable(file.key, "the body is not UTF-8")
    for number, line in enumerate(file.shown_text.split("\n"), start=1):
        span = find_folded(folded, line)
        if span:
            yield BodyHit(file.key, number, line, *span)

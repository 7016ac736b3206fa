"""Three versions of a file made into one: lines against lines, fields against fields. Pure; a person accepts it.

Both sides started from `base`. A region that one side changed is taken from it; one that both changed differently is a
clash, and waits for a choice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Generic, TypeVar

from wenchang_tui.model.content import Content
from wenchang_tui.model.line_text import split_lines

T = TypeVar("T")


class Side(StrEnum):
    """Which version a piece of the result comes from; `BOTH` is theirs, then mine."""

    BASE = "base"
    THEIRS = "theirs"
    MINE = "mine"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Region:
    """A run of lines, each with its line end, in the three versions. `taken` is `None` for a clash.

    It is `BASE` where nobody changed anything, and `BOTH` where both sides made the same change.
    """

    base: tuple[str, ...]
    theirs: tuple[str, ...]
    mine: tuple[str, ...]
    taken: Side | None

    def lines(self, side: Side) -> tuple[str, ...]:
        """The lines that a choice amounts to."""
        match side:
            case Side.BASE:
                return self.base
            case Side.THEIRS:
                return self.theirs
            case Side.MINE:
                return self.mine
        return self.theirs if self.theirs == self.mine else _one_after_the_other(self.theirs, self.mine)


@dataclass(frozen=True, slots=True)
class BodyMerge:
    """The regions of a body, in order."""

    regions: tuple[Region, ...]

    @property
    def clashes(self) -> tuple[int, ...]:
        """The positions of the regions that need a choice."""
        return tuple(at for at, region in enumerate(self.regions) if region.taken is None)

    def text(self, choices: Mapping[int, Side] | None = None, otherwise: Side = Side.MINE) -> str:
        """The merged body; clashes as chosen by their position, `otherwise` where nothing is chosen."""
        chosen = choices or {}
        lines: tuple[str, ...] = ()
        for at, region in enumerate(self.regions):
            lines = _one_after_the_other(lines, region.lines(region.taken or chosen.get(at, otherwise)))
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class FieldMerge(Generic[T]):
    """One field in the three versions, and what becomes of it; on a clash `merged` is mine."""

    base: T
    theirs: T
    mine: T
    merged: T
    is_clash: bool


@dataclass(frozen=True, slots=True)
class ContentMerge:
    """Body and fields of a file, merged one by one."""

    body: BodyMerge
    description: FieldMerge[str]
    aliases: FieldMerge[tuple[str, ...]]

    @property
    def is_clean(self) -> bool:
        """Whether nothing needs a choice."""
        return not (self.body.clashes or self.description.is_clash or self.aliases.is_clash)

    def content(self, choices: Mapping[int, Side] | None = None) -> Content:
        """The merged file, with the clashes of the body as chosen, and mine where nothing is."""
        return Content(self.body.text(choices), self.description.merged, self.aliases.merged)


def merge_contents(base: Content, theirs: Content, mine: Content) -> ContentMerge:
    """Merge all of a file."""
    return ContentMerge(
        merge_bodies(base.body, theirs.body, mine.body),
        _merge_field(base.description, theirs.description, mine.description),
        merge_aliases(base.aliases, theirs.aliases, mine.aliases),
    )


def merge_bodies(base: str, theirs: str, mine: str) -> BodyMerge:
    """Merge line by line. Joining the lines of one side over all regions gives that side, byte for byte."""
    return BodyMerge(tuple(_regions(split_lines(base), split_lines(theirs), split_lines(mine))))


def merge_aliases(base: tuple[str, ...], theirs: tuple[str, ...], mine: tuple[str, ...]) -> FieldMerge[tuple[str, ...]]:
    """Merge by alias: what either side added is there, what either side took away is not. Never a clash."""
    plain = _merge_field(base, theirs, mine)
    if not plain.is_clash:
        return plain
    kept = [alias for alias in theirs if alias in mine or alias not in base]
    added = [alias for alias in mine if alias not in base and alias not in kept]
    return FieldMerge(base, theirs, mine, (*kept, *added), is_clash=False)


def _merge_field(base: T, theirs: T, mine: T) -> FieldMerge[T]:
    merged = theirs if mine == base else mine
    return FieldMerge(base, theirs, mine, merged, is_clash=_taken(base, theirs, mine) is None)


def _taken(base: object, theirs: object, mine: object) -> Side | None:
    if theirs == mine:
        return Side.BASE if theirs == base else Side.BOTH
    if mine == base:
        return Side.THEIRS
    return Side.MINE if theirs == base else None


def _regions(base: Sequence[str], theirs: Sequence[str], mine: Sequence[str]) -> Iterator[Region]:
    """Runs of lines that all three share, and what lies between them."""
    in_theirs, in_mine = _counterparts(base, theirs), _counterparts(base, mine)
    at, a, b = 0, 0, 0

    def region(to: int, to_a: int, to_b: int) -> Region:
        pieces = tuple(base[at:to]), tuple(theirs[a:to_a]), tuple(mine[b:to_b])
        return Region(*pieces, _taken(*pieces))

    shared = [line for line in range(len(base)) if line in in_theirs and line in in_mine]
    for start, end in _runs(shared, lambda line: (in_theirs[line] - line, in_mine[line] - line)):
        if (start, in_theirs[start], in_mine[start]) != (at, a, b):
            yield region(start, in_theirs[start], in_mine[start])
        at, a, b = start, in_theirs[start], in_mine[start]
        length = end - start
        yield region(at + length, a + length, b + length)
        at, a, b = at + length, a + length, b + length
    if (at, a, b) != (len(base), len(theirs), len(mine)):
        yield region(len(base), len(theirs), len(mine))


def _counterparts(base: Sequence[str], other: Sequence[str]) -> dict[int, int]:
    """For each line of `base` that `other` still has, where."""
    blocks = SequenceMatcher(None, base, other, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}


def _runs(lines: Sequence[int], shift: Callable[[int], tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Start and end of each run of successive lines that moved by the same amounts."""
    start = 0
    for at in range(1, len(lines) + 1):
        ends = at == len(lines) or lines[at] != lines[at - 1] + 1 or shift(lines[at]) != shift(lines[at - 1])
        if ends:
            yield lines[start], lines[at - 1] + 1
            start = at


def _one_after_the_other(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Two runs of lines; a first one that lacks its last line end gets one, so that no two lines run together."""
    if not first or not second or first[-1].endswith(("\n", "\r")):
        return first + second
    return (*first[:-1], f"{first[-1]}\n", *second)

"""A merge on its way to being accepted: its differences one by one, and for each the side it is settled with.

Everything that only one side changed is settled to begin with, and may be settled otherwise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from wenchang_tui.model.alias_line import aliases_to_line
from wenchang_tui.model.content import Content
from wenchang_tui.model.linting import Field
from wenchang_tui.model.merging import BodyMerge, ContentMerge, FieldMerge, Side

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece:
    """One difference between the versions, as text; `key` names it, `line` is where it stands in mine, from 1.

    `side` is what it is settled with, `None` while it waits for a choice. `sides` are those it can be settled with.
    """

    key: str
    field: Field
    line: int | None
    base: str
    theirs: str
    mine: str
    side: Side | None
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Settling:
    """A merge and the choices made so far, by the keys of pieces."""

    merge: ContentMerge
    choices: Mapping[str, Side] = field(default_factory=dict)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All differences: those of the fields, then those of the body in order."""
        return (*self._field_pieces(), *self._body_pieces())

    @property
    def waiting(self) -> int:
        """How many differences wait for a choice."""
        return sum(piece.side is None for piece in self.pieces)

    @property
    def content(self) -> Content:
        """The file as settled so far, with mine where a choice is missing."""
        regions = self.merge.body.regions
        chosen = (replace(region, taken=self._side(_body_key(at), region.taken)) for at, region in enumerate(regions))
        description, aliases = self.merge.description, self.merge.aliases
        return Content(
            BodyMerge(tuple(chosen)).text(),
            _of_field(description, self._side(Field.DESCRIPTION, None)),
            _of_field(aliases, self._side(Field.ALIASES, None)),
        )

    def choose(self, key: str, side: Side) -> "Settling":
        """Settle one difference, if that can be settled so."""
        is_possible = any(piece.key == key and side in piece.sides for piece in self.pieces)
        return replace(self, choices={**self.choices, key: side}) if is_possible else self

    def choose_all(self, side: Side) -> "Settling":
        """Settle every difference with one side."""
        return replace(self, choices={piece.key: side for piece in self.pieces if side in piece.sides})

    def _side(self, key: str, otherwise: Side | None) -> Side | None:
        return self.choices.get(key, otherwise)

    def _field_pieces(self) -> Iterator[Piece]:
        description, aliases = self.merge.description, self.merge.aliases
        sides = (Side.BASE, Side.THEIRS, Side.MINE)
        if description.theirs != description.mine:
            name, side = Field.DESCRIPTION, self._side(Field.DESCRIPTION, _settled(description))
            yield Piece(name, name, None, description.base, description.theirs, description.mine, side, sides)
        if aliases.theirs != aliases.mine:
            name, side = Field.ALIASES, self._side(Field.ALIASES, _settled(aliases))
            base, theirs, mine = map(aliases_to_line, (aliases.base, aliases.theirs, aliases.mine))
            yield Piece(name, name, None, base, theirs, mine, side, (*sides, Side.BOTH))

    def _body_pieces(self) -> Iterator[Piece]:
        line = 1
        for at, region in enumerate(self.merge.body.regions):
            if region.theirs != region.mine:
                key, side = _body_key(at), self._side(_body_key(at), region.taken)
                base, theirs, mine = map("".join, (region.base, region.theirs, region.mine))
                yield Piece(key, Field.BODY, line, base, theirs, mine, side, tuple(Side))
            line += len(region.mine)


def _body_key(at: int) -> str:
    return f"body {at}"


def _of_field(merge: FieldMerge[T], side: Side | None) -> T:
    """What a field becomes: one side as it is, or else what the merge made of both."""
    match side:
        case Side.BASE:
            return merge.base
        case Side.THEIRS:
            return merge.theirs
        case Side.MINE:
            return merge.mine
    return merge.merged


def _settled(merge: FieldMerge[str] | FieldMerge[tuple[str, ...]]) -> Side | None:
    """The side that a field is settled with by itself."""
    if merge.is_clash:
        return None
    if merge.mine == merge.base:
        return Side.THEIRS
    return Side.MINE if merge.theirs == merge.base else Side.BOTH

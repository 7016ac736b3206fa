"""Where a person has been: back and forward, as in a browser."""

from dataclasses import dataclass

_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Spot:
    """A place and the file the cursor was on there."""

    prefix: str
    key: str | None = None


class History:
    """Spots in the order of visits, and which of them is the present one."""

    def __init__(self) -> None:
        self._spots: list[Spot] = []
        self._at = -1

    @property
    def can_go_back(self) -> bool:
        """Whether there is an earlier spot."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a later spot."""
        return self._at < len(self._spots) - 1

    def visit(self, prefix: str) -> None:
        """Come to a place; what was ahead is forgotten, unless it is the place already."""
        if self._at >= 0 and self._spots[self._at].prefix == prefix:
            return
        self._spots = [*self._spots[: self._at + 1], Spot(prefix)][-_LIMIT:]
        self._at = len(self._spots) - 1

    def remember(self, key: str | None) -> None:
        """The file the cursor is on at the present place."""
        if self._at >= 0:
            self._spots[self._at] = Spot(self._spots[self._at].prefix, key)

    def step(self, direction: int) -> Spot:
        """Go one back or forward; at the end, stay."""
        self._at = max(0, min(len(self._spots) - 1, self._at + direction))
        return self._spots[self._at]

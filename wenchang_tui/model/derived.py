"""A sequence whose items are made when they are asked for: of a hundred thousand rows, a screen shows forty."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Derived(Sequence[T]):
    """`size` items, each `make` of its place, counted from 0. None is kept."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._places = range(size)
        self._make = make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> "Derived[T]": ...
    def __getitem__(self, at: int | slice) -> "T | Derived[T]":
        """One item, or some of them; raises `IndexError` as a list does."""
        places = self._places[at]
        if isinstance(places, int):
            return self._make(places)
        return Derived(len(places), lambda place: self._make(places[place]))

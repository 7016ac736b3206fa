"""A list that takes keys before its rows are read: they do then what they would do now."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from wenchang_tui.widgets.row_list import RowList

T = TypeVar("T")


class AwaitedList(RowList[T]):
    """Keeps what was pressed until `now_read`, and no longer than `forget`."""

    is_read = False
    _pressed: tuple[Callable[[], None], ...] = ()

    def now_read(self, rows: Sequence[T]) -> None:
        """Show what was read first, and do what was pressed meanwhile."""
        self.set_rows(rows)
        self.is_read = True
        pressed, self._pressed = self._pressed, ()
        for act in pressed:
            act()

    def forget(self) -> None:
        """Do nothing of what was pressed: one has turned away, or there is nothing to read."""
        self._pressed = ()

    def _once_read(self, act: Callable[[], None]) -> None:
        if self.is_read or self.rows:
            act()
        else:
            self._pressed = (*self._pressed, act)

    def action_cursor(self, step: int) -> None:
        """One line up or down."""
        self._once_read(partial(super().action_cursor, step))

    def action_page(self, direction: int) -> None:
        """One page up or down."""
        self._once_read(partial(super().action_page, direction))

    def action_edge(self, direction: int) -> None:
        """To the first or the last row."""
        self._once_read(partial(super().action_edge, direction))

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        self._once_read(super().action_choose)

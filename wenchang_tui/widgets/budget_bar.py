"""The index budget as a bar: what each scope takes of the limit, what is free, and what falls behind the cut."""

from collections.abc import Iterator
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from wenchang_tui.model.budget import Budget
from wenchang_tui.widgets.safe_text import safe_line

TONES = 6
_CUT_FILL = "╱"


class BudgetBar(Widget):
    """Two lines: the sums in words, and the bar, each scope a block with its name in it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"budget--scope{number}" for number in range(TONES)),
        "budget--free",
        "budget--cut",
        "budget--sum",
        "budget--over",
        "budget--dim",
    }
    DEFAULT_CSS = """
    BudgetBar {
        height: 3;
        padding: 0 1;
        background: $surface;
        & > .budget--scope0 { background: $primary; color: $background; }
        & > .budget--scope1 { background: $secondary; color: $background; }
        & > .budget--scope2 { background: $accent; color: $background; }
        & > .budget--scope3 { background: $warning; color: $background; }
        & > .budget--scope4 { background: $success; color: $background; }
        & > .budget--scope5 { background: $foreground 70%; color: $background; }
        & > .budget--free { background: $panel; color: $text-muted; }
        & > .budget--cut { color: $error; }
        & > .budget--sum { text-style: bold; }
        & > .budget--over { color: $error; text-style: bold; }
        & > .budget--dim { color: $text-muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._budget: Budget | None = None

    def show(self, budget: Budget | None) -> None:
        """Show these sums; `None` while they are not known."""
        self._budget = budget
        self.refresh()

    def render(self) -> Content:
        """The sums, the bar, and what each scope takes."""
        if self._budget is None:
            return Content("")
        return Content("\n").join([self._sums(self._budget), self._bar(self._budget), self._legend(self._budget)])

    def _sums(self, budget: Budget) -> Content:
        cut = len(budget.entries) - budget.included
        share = 100 * budget.used // budget.limit
        parts: list[tuple[str, str | Style]] = [
            (f"{budget.used:,} of {budget.limit:,} bytes", self._tone("sum")),
            (f"  {share}% used   {budget.included:,} entries in", ""),
        ]
        if cut:
            parts.append((f"   {cut:,} cut ({budget.total - budget.used:,} bytes)", self._tone("over")))
        if budget.problems:
            parts.append((f"   ! {len(budget.problems)} would make it fail", self._tone("over")))
        return Content.assemble(*parts)

    def _bar(self, budget: Budget) -> Content:
        width = self.content_size.width
        whole = max(budget.limit, budget.total, 1)
        limit_at = max(1, round(width * budget.limit / whole)) if budget.total > budget.limit else width
        blocks = list(self._blocks(budget, limit_at))
        used = sum(block.cell_length for block in blocks)
        free = Content.styled(
            set_cell_size(" free" if limit_at - used > 5 else "", limit_at - used), self._tone("free")
        )
        cut = Content.styled(_CUT_FILL * (width - limit_at), self._tone("cut"))
        return Content.assemble(*blocks, free, cut)

    def _blocks(self, budget: Budget, limit_at: int) -> Iterator[Content]:
        """A block for each scope; edges are rounded from running sums, so that the widths add up."""
        running, left = 0, 0
        for number, (scope, (included, _)) in enumerate(budget.scope_bytes.items()):
            running += included
            right = min(limit_at, round(limit_at * running / max(budget.limit, 1)))
            if right > left:
                yield Content.styled(_label(scope, right - left), self._tone(f"scope{number % TONES}"))
            left = right

    def _legend(self, budget: Budget) -> Content:
        width = max(1, self.content_size.width)
        whole, short = (self._scopes(budget, word) for word in (" cut", ""))
        return whole if whole.cell_length <= width else short.truncate(width, ellipsis=True)

    def _scopes(self, budget: Budget, word: str) -> Content:
        """What each scope takes, and `word` after what is cut of it."""
        parts: list[Content] = []
        for number, (scope, (included, cut)) in enumerate(budget.scope_bytes.items()):
            behind = Content.styled(f" +{cut:,}{word}", self._tone("cut")) if cut else Content("")
            swatch = Content.styled("  ", self._tone(f"scope{number % TONES}"))
            parts.append(Content.assemble(swatch, f" {safe_line(scope)} {included:,}", behind))
        return Content("   ").join(parts)

    def _tone(self, name: str) -> Style:
        return self.get_visual_style(f"budget--{name}")


def _label(name: str, width: int) -> str:
    """`name` in a block of `width` cells, or its first letter where there is no room for more."""
    line = safe_line(name)
    return set_cell_size(f" {line}" if cell_len(line) < width else line[:1].rjust(min(2, width)), width)

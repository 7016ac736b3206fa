"""What an entity holds, area by area; and what became of an operation on one."""

from collections.abc import Iterator

from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.operations import EntityPreview
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.receipts import Ending, Receipt, spoken
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_MOST_MALFORMED = 20
_TONES = {Ending.DONE: "stated", Ending.CANCELLED: "warn", Ending.FAILED: "bad"}


class EntityView(TextLines):
    """One entity, or one receipt."""

    def show_entity(self, preview: EntityPreview, hint: str) -> None:
        """Show what lies in an entity, and what can be done with it."""
        self.show([*preview_lines(preview), TextLine(""), TextLine(hint, "dim")])

    def show_receipt(self, receipt: Receipt) -> None:
        """Show what became of an operation."""
        tone = _TONES[receipt.ending]
        lines = ((name, text, tone if name in ("ending", "result") else "") for name, text in receipt.lines())
        self.show([TextLine(text, tone, f"{name:<11}", "dim") for name, text, tone in lines])

    def show_problem(self, problem: Problem) -> None:
        """Show why there is nothing to show."""
        self.show(
            [TextLine(f"{problem.title}: {problem.sentence}", "bad", "! ", "bad"), TextLine(problem.next_step, "dim")]
        )

    def show_note(self, note: str) -> None:
        """Show a sentence."""
        self.show([TextLine(note, "dim")])


def preview_lines(preview: EntityPreview) -> Iterator[TextLine]:
    """Counts and bytes, as a whole and by area, and what of it cannot be read."""
    yield TextLine(f"holds {spoken(preview.totals)}" if preview.totals.objects else "holds nothing")
    yield TextLine("")
    yield from _area_lines(preview)
    if preview.malformed:
        yield TextLine("")
        yield TextLine(f"{len(preview.malformed):,} of them cannot be read as memory files:", "warn", "! ", "warn")
        yield from (TextLine(f"{row.key}: {row.problem}", "dim", "  ") for row in preview.malformed[:_MOST_MALFORMED])
    if len(preview.malformed) > _MOST_MALFORMED:
        yield TextLine(f"  … and {len(preview.malformed) - _MOST_MALFORMED:,} more", "dim")


def _area_lines(preview: EntityPreview) -> Iterator[TextLine]:
    """A line for each area, its numbers in columns that are as wide as the sums need."""
    names = max((len(_area(area)) for area in preview.areas), default=0) + 2
    objects, size = (len(f"{number:,}") for number in (preview.totals.objects, preview.totals.bytes))
    for area, totals in preview.areas.items():
        count = f"{totals.objects:>{objects},} object{' ' if totals.objects == 1 else 's'}"
        note = "  curated" if area == SYSTEM_AREA else ""
        yield TextLine(f"{count}  {totals.bytes:>{size},} bytes{note}", "", f"  {_area(area):<{names}}", "strong")


def _area(area: str) -> str:
    return f"{area}/" if area else "in no area"

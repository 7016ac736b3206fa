"""What an entity holds, area by area; and what became of an operation on one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.operations import EntityPreview, preview_entity
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.receipts import Ending, Receipt, spoken
from wenchang_tui.model.restoring import RestorePlan
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_MOST_MALFORMED = 20
_TONES = {Ending.DONE: "stated", Ending.CANCELLED: "warn", Ending.FAILED: "bad"}


class EntityDetail(Vertical):
    """What the entity holds that was chosen; while a receipt is looked at, that instead."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(id="what")
        self.entity: str | None = None
        self.view = EntityView(id="entity")
        self.title = PaneTitle()
        self._workspace = workspace
        self._preview: EntityPreview | None = None
        self._problem: Problem | None = None
        self._receipt: Receipt | None = None
        self._reading = Lane[EntityPreview](self, self._receive, self._end)
        self.title.track(self._reading, "reading")

    def compose(self) -> ComposeResult:
        """Title and text."""
        yield self.title
        yield self.view

    def choose(self, entity: str | None) -> None:
        """Look at an entity from now on."""
        self.entity = entity
        self.reload()

    def reload(self) -> None:
        """Count anew what the entity holds."""
        entity, workspace = self.entity, self._workspace
        self._reading.cancel()
        self._preview = self._problem = None
        if entity is not None:
            self._reading.run(lambda _: iter([preview_named(workspace, entity)]))
        self._show()

    def look_at(self, receipt: Receipt | None) -> None:
        """Show a receipt; with none, the entity again."""
        self._receipt = receipt
        self._show()

    def cancel(self) -> bool:
        """Stop counting; whether anything was being counted."""
        return self._reading.cancel()

    def _receive(self, preview: EntityPreview) -> None:
        self._preview = preview
        self._show()

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self._problem = problem
            self._show()

    def _show(self) -> None:
        self.title.left = Content("receipt") if self._receipt else safe(self.entity or "")
        if self._receipt is not None:
            self.view.show_receipt(self._receipt)
        elif self._problem is not None:
            self.view.show_problem(self._problem)
        elif self._preview is not None:
            self.view.show_entity(self._preview, is_writable=not self._workspace.settings.read_only)
        elif self.entity is None:
            self.view.show_note("No entity is selected. R puts back one that was exported.")
        else:
            self.view.show_note("reading…")


class EntityView(TextLines):
    """One entity, or one receipt."""

    def show_entity(self, preview: EntityPreview, *, is_writable: bool) -> None:
        """Show what lies in an entity, and what can be done with it."""
        rest = ", X erases it" if is_writable else "; the store is opened read-only"
        self.show([*preview_lines(preview), TextLine(""), TextLine(f"x hands it over as a file{rest}", "dim")])

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


def preview_named(workspace: Workspace, entity: str) -> EntityPreview:
    """Look at `SCOPE/ENTITY`. Raises `OpenError` for a name that cannot be."""
    scope, _, name = entity.partition("/")
    try:
        return preview_entity(workspace, scope, name)
    except ValueError as error:
        sentence = f"{entity} cannot be named, by an agent or here."
        raise OpenError(Problem("Not an entity", sentence, "Health (5) repairs what lies there.")) from error


def preview_lines(preview: EntityPreview) -> Iterator[TextLine]:
    """Counts and bytes, as a whole and by area, and what of it cannot be read."""
    yield TextLine(f"holds {spoken(preview.totals)}" if preview.totals.objects else "holds nothing")
    yield TextLine("")
    yield from _area_lines(preview)
    if preview.malformed:
        yield TextLine("")
        yield TextLine(f"{preview.unreadable}:", "warn", "! ", "warn")
        yield from (TextLine(f"{row.key}: {row.problem}", "dim", "  ") for row in preview.malformed[:_MOST_MALFORMED])
    if len(preview.malformed) > _MOST_MALFORMED:
        yield TextLine(f"  … and {len(preview.malformed) - _MOST_MALFORMED:,} more", "dim")


def purge_lines(preview: EntityPreview) -> Sequence[TextLine]:
    """What a purge would delete."""
    outlasts = [TextLine(preview.outlasts, "warn")] if preview.outlasts else []
    return (
        TextLine(f"{preview.scope}/{preview.entity}", "strong"),
        TextLine("All of it is deleted, and this cannot be undone. An export (x) can be put back.", "bad"),
        *outlasts,
        TextLine(""),
        *preview_lines(preview),
    )


def plan_lines(plan: RestorePlan, path: Path) -> Sequence[TextLine]:
    """What a restore would do to an entity that is not empty."""
    return (
        TextLine(f"{plan.scope}/{plan.entity}", "strong"),
        TextLine(f"{spoken(plan.totals)} from {path}", "", "puts back  ", "dim"),
        TextLine(f"{plan.replaced:,} that stand there now; what they hold is lost", "bad", "replaces   ", "dim"),
        TextLine(f"{plan.kept:,} others as they are", "", "leaves     ", "dim"),
    )


def _area_lines(preview: EntityPreview) -> Iterator[TextLine]:
    """A line for each area, its numbers in columns that are as wide as the sums need."""
    names = max((len(_area(area)) for area in preview.areas), default=0) + 2
    objects, size = (len(f"{number:,}") for number in (preview.totals.objects, preview.totals.bytes))
    for area, totals in preview.areas.items():
        count = f"{totals.objects:>{objects},} object{' ' if totals.objects == 1 else 's'}"
        note = ", curated" if area == SYSTEM_AREA else ""
        yield TextLine(f"{count} {totals.bytes:>{size},} bytes{note}", "", f" {_area(area):<{names}}", "strong")


def _area(area: str) -> str:
    return f"{area}/" if area else "in no area"

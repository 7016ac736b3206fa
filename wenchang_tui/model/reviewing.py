"""What an editor shows about a text while it is typed: what it amounts to, how full it is, what is worth saying."""

from collections.abc import Iterator
from dataclasses import dataclass

from wenchang_tui.model.editing import Edit
from wenchang_tui.model.linting import Field, Gauge, Level, Remark, gauges, lint
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.typed import SHOWN_LINES, Typed

_WEIGHT = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


@dataclass(frozen=True, slots=True)
class Review:
    """The edit with what is typed, its remarks, the weightiest first, and its sizes against the two limits."""

    edit: Edit
    remarks: tuple[Remark, ...]
    body: Gauge
    metadata: Gauge


def review(edit: Edit, typed: Typed, settings: Settings) -> Review:
    """Look at what is typed, as it would be stored by the person of the settings."""
    now = edit.with_content(typed.content())
    sources = {settings.source} | (edit.base.metadata.sources if edit.base else set())
    body, metadata = gauges(now.content, sources, settings.max_file_bytes)
    remarks = (*lint(edit.key, now.content, sources, settings.max_file_bytes), *_on_display(typed))
    return Review(now, tuple(sorted(remarks, key=lambda remark: _WEIGHT[remark.level])), body, metadata)


def _on_display(typed: Typed) -> Iterator[Remark]:
    """Where what is shown is not quite what is stored."""
    if typed.held is not None:
        text = f"Only the first {SHOWN_LINES:,} lines are shown. All of it is kept; ^o opens all of it in $EDITOR."
        yield Remark(Level.WARNING, Field.BODY, text)
    if typed.body.has_mixed_ends:
        yield Remark(Level.NOTE, Field.BODY, "Line ends are of several kinds; each line keeps the one it has.")
    for mark in typed.marks:
        yield Remark(Level.NOTE, Field.BODY, f"{mark.shown} stands for {mark.name}, which is kept as it is.")

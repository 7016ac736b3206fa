"""A file or an area as the agent meets it: its rows in the index, whether inside the cut, and what would find them."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from wenchang.file_format import FileMetadata
from wenchang.identity import Identity
from wenchang.paths import parse_path
from wenchang.version_token import VersionToken
from wenchang_tui.model.agent_view import AgentView, AreaView, Standing, budget_with, view_area_as_agent, view_as_agent
from wenchang_tui.model.budget import Budget
from wenchang_tui.model.catalog import FileRow, OpenFile
from wenchang_tui.model.editing import Edit
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.diff_view import DiffText
from wenchang_tui.widgets.text_lines import TextLine

_WORDS = {
    Standing.INCLUDED: ("good", "in the index"),
    Standing.CUT: ("warn", "behind the cut"),
    Standing.NOT_GRANTED: ("warn", "not granted"),
    Standing.FAILS: ("bad", "! fails"),
}
_LEAD = 13


class AsAgentDialog(Dialog[None]):
    """The lines of a view."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    AsAgentDialog {
        align: center middle;
        & > #box {
            width: 96;
            max-width: 100%;
            height: auto;
            max-height: 94%;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 1;
        }
        & DiffText { height: auto; max-height: 30; }
    }
    """

    def __init__(self, lines: Iterable[TextLine]) -> None:
        super().__init__()
        self._lines = [*lines]
        self.text = DiffText()

    def compose(self) -> ComposeResult:
        """One text."""
        with Vertical(id="box") as box:
            box.border_title, box.border_subtitle = "As the agent sees it", "esc closes"
            yield self.text
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Fill it in."""
        self.text.show(self._lines)
        self.set_focus(self.text)

    def action_close(self) -> None:
        """Back to where one was."""
        self.dismiss()


def show_as_agent(frame: Frame, file: FileRow | OpenFile, note: str = "") -> None:
    """Show a file as the agent of the served identity meets it, if there is one; `note` is what is special about it."""
    if (served := _served(frame)) is not None:
        identity, budget = served
        budget = budget_with(budget, file, frame.workspace.settings.priority)
        frame.app.push_screen(AsAgentDialog(view_lines(view_as_agent(file, identity, budget), note)))


def show_area_as_agent(frame: Frame, prefix: str) -> None:
    """Show the area at `SCOPE/ENTITY/AREA/` as the agent of the served identity meets it, if there is one."""
    if (served := _served(frame)) is not None:
        frame.app.push_screen(AsAgentDialog(area_lines(view_area_as_agent(prefix, *served))))


def _served(frame: Frame) -> tuple[Identity, Budget] | None:
    """Who is served, and what they get; says so when that is nobody."""
    if isinstance(frame.identity, Identity) and frame.served is not None:
        return frame.identity, frame.served.budget
    frame.notify("Nobody is served yet, so no agent sees anything.", title="As the agent sees it")
    return None


def row_of(edit: Edit, source: str) -> FileRow:
    """An edit as a row of a listing, as it would be once it is saved."""
    base, content = edit.base, edit.content
    sources = base.metadata.sources if base else frozenset({source})
    updated = base.metadata.last_updated if base else datetime.now(UTC)
    metadata = FileMetadata(content.description, content.aliases, sources, updated)
    version = base.version if base else VersionToken("not-saved")
    return FileRow(edit.key, parse_path(edit.key), metadata, version, content.size, None)


def view_lines(view: AgentView, note: str = "") -> Iterator[TextLine]:
    """The standing, the row, and what finds it."""
    tone, words = _WORDS[view.standing]
    yield _line(words, view.sentence, tone)
    if view.reading and view.row is not None:
        yield _line("! reading", f"Its tools refuse to read it: {view.reading}", "bad")
    if note:
        yield _line("note", note, "warn")
    if view.row is None:
        return
    yield TextLine("")
    yield TextLine(f"its row in the index, {view.bytes or 0:,} bytes", "title")
    yield from (_line(name, json.dumps(value, ensure_ascii=False)) for name, value in view.row.items())
    yield TextLine("")
    yield TextLine("found by these words", "title")
    for name, words_of in view.finders.items():
        yield _line(name, ", ".join(words_of) or "nothing", "" if words_of else "dim")


def area_lines(view: AreaView) -> Iterator[TextLine]:
    """The standing, the row that stands for what was left out, and each file with what finds it."""
    tone, words = _WORDS[view.standing]
    yield _line(words, view.sentence, tone)
    if view.capped is not None:
        yield TextLine("")
        yield TextLine("the row for those left out", "title")
        yield from (_line(name, json.dumps(value, ensure_ascii=False)) for name, value in view.capped.items())
    for file in view.files:
        yield TextLine("")
        name = str(file.row["name"]) if file.row is not None else ""
        yield TextLine(f"{name}, {file.bytes or 0:,} bytes", "title")
        tone, words = _WORDS[file.standing]
        yield _line(words, file.sentence, tone)
        yield _line("found by", ", ".join(word for some in file.finders.values() for word in some) or "nothing", "dim")


def _line(lead: str, text: str, tone: str = "") -> TextLine:
    return TextLine(text, tone, f"{lead:<{_LEAD + 2}}", tone or "dim")

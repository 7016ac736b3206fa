"""One file while it is edited: its fields and body, how full it is, and what is worth saying about it.

The pane holds what is typed; what becomes of it is for the screen to say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Grid, Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from wenchang.paths import parse_path
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.linting import Field, Level, Remark
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.reviewing import Review, review
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.typed import Typed, typed_of
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.body_editor import BodyEditor
from wenchang_tui.widgets.field_input import FieldInput
from wenchang_tui.widgets.gauge_line import GaugeLine
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.remark_list import RemarkList, place_of, summary
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine

_SOON = 0.12
_REMARK_ROWS = 4
_REMARK_ROWS_HIGH = 8
_HIGH = 36


class EditPane(Vertical):
    """The form. `settings` say what may be stored, and by whom."""

    DEFAULT_CSS = """
    EditPane {
        height: 1fr;
        & > #fields {
            grid-size: 2;
            grid-columns: 13 1fr;
            grid-rows: 1;
            height: 2;
            background: $surface;
        }
        & .label { color: $text-muted; padding: 0 1; }
        & RemarkList { height: auto; }
    }
    """

    @dataclass
    class Reviewed(Message):
        """What is typed now, looked at."""

        review: Review

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._edit: Edit | None = None
        self._held: str | None = None
        self._timer: Timer | None = None
        self._remarks: tuple[Remark, ...] = ()
        self._reviewing = Lane[Review](self, self._receive, self._end)
        self.title = PaneTitle()
        self.description = FieldInput(placeholder="what the agent finds the file by, in one line", id="description")
        self.aliases = FieldInput(placeholder="other names of it, separated by commas", joiner=", ", id="aliases")
        self.gauge = GaugeLine()
        self.body = BodyEditor(id="body-editor")
        self.remarks_title = PaneTitle("remarks", id="remarks-title")
        self.remarks = RemarkList()
        self.remark_line = StatusLine()
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Title, fields, sizes, body, remarks, and a line for what the screen has to say."""
        yield self.title
        with Grid(id="fields"):
            yield Static("description", classes="label")
            yield self.description
            yield Static("aliases", classes="label")
            yield self.aliases
        yield self.gauge
        yield self.body
        yield self.remark_line
        yield self.remarks_title
        yield self.remarks
        yield self.status

    # what is in it

    def load(self, edit: Edit, *, keep_cursor: bool = False) -> None:
        """Show what an edit holds."""
        self._edit = edit
        typed = typed_of(edit.content)
        self._held = typed.held
        self.description.load(typed.description)
        self.aliases.load(typed.aliases)
        self.body.load(typed.body, typed.body_shown, keep_cursor=keep_cursor)
        self.review_now()

    def go_on_from(self, edit: Edit) -> None:
        """Go on typing, from another base."""
        self._edit = edit
        self.review_now()

    def put_body(self, body: str) -> None:
        """Show another body, as it came back from another program; the fields stay."""
        typed = typed_of(replace(self.typed().content(), body=body))
        self._held = typed.held
        self.body.load(typed.body, typed.body_shown, keep_cursor=True)
        self.review_now()

    def typed(self) -> Typed:
        """What stands in the inputs."""
        return Typed(
            self.body.lines,
            self.body.text,
            self.description.field,
            self.description.value,
            self.aliases.field,
            self.aliases.value,
            self._held,
        )

    def show_standing(self, edit: Edit, objection: Problem | None, note: str, *, is_unsaved: bool) -> None:
        """Say where the file stands and what there is to know; with an objection, it can only be looked at."""
        self.body.read_only = objection is not None or self._held is not None
        self.description.disabled = self.aliases.disabled = objection is not None
        parts = parse_path(edit.key)
        place = safe(f"{parts.scope} / {parts.entity_id} / {parts.area} / ").stylize("dim")
        self.title.left = place + safe(parts.name).stylize("bold")
        state = "new, not saved" if edit.base is None else "not saved" if is_unsaved else "saved"
        self.title.right = Content("read only" if objection else state)
        self.status.show_note(safe(note))

    def focus_first(self) -> None:
        """Where one begins: in the body, or in the description while there is none."""
        target: Widget = self.body
        if not self.description.disabled and not self.description.value:
            target = self.description
        self.screen.set_focus(target)

    def focus_next(self) -> None:
        """The next part of the form."""
        parts: list[Widget] = [self.description, self.aliases, self.body, self.remarks]
        usable = [part for part in parts if part.focusable]
        at = next((at for at, part in enumerate(usable) if part.has_focus), -1)
        self.screen.set_focus(usable[(at + 1) % len(usable)])

    # looking at what is typed

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _changed(self, event: Message) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SOON, self.review_now)

    def review_now(self) -> None:
        """Look at what is typed, in a thread."""
        edit, typed, settings = self._edit, self.typed(), self._settings
        if edit is not None:
            self._reviewing.run(lambda _: iter([review(edit, typed, settings)]))

    def _receive(self, found: Review) -> None:
        self._remarks = found.remarks
        self.gauge.show(found.body, found.metadata)
        self.remarks.set_rows(found.remarks)
        self.remarks.display = bool(found.remarks)
        self._show_height()
        self.remarks_title.right = Content(summary(found.remarks))
        lines = {remark.line: remark.level for remark in reversed(found.remarks) if remark.line is not None}
        self.body.flag(lines)
        self._show_remark()
        self.post_message(self.Reviewed(found))

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self.status.show_problem(problem)

    def on_resize(self) -> None:
        """More remarks where there is room."""
        self._show_height()

    def _show_height(self) -> None:
        most = _REMARK_ROWS_HIGH if self.size.height >= _HIGH else _REMARK_ROWS
        self.remarks.styles.height = max(1, min(most, len(self._remarks)))

    # remarks

    @on(TextArea.SelectionChanged)
    def _cursor_moved(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self._show_remark()

    @on(RowList.Highlighted, "#remarks")
    def _remark_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show_remark()

    def on_descendant_focus(self) -> None:
        """Another part of the form is in focus."""
        self._show_remark()

    def _show_remark(self) -> None:
        """Say in full what there is to say where the cursor is."""
        remark = self.remarks.current if self.remarks.has_focus else next(self._here(), None)
        self.remark_line.show_note(safe(f"{place_of(remark)}: {remark.text}") if remark else Content(""))

    def _here(self) -> Iterator[Remark]:
        focused = self.screen.focused
        fields = {self.description: Field.DESCRIPTION, self.aliases: Field.ALIASES}
        if isinstance(focused, FieldInput) and focused in fields:
            yield from (remark for remark in self._remarks if remark.field is fields[focused])
        elif focused is self.body:
            yield from (remark for remark in self._remarks if remark.line == self.body.line_number)

    @on(RowList.Chosen, "#remarks")
    def _go_to_remark(self, event: RowList.Chosen) -> None:
        event.stop()
        remark = self.remarks.current
        if remark is not None:
            self.go_to(remark)

    def go_to_next_remark(self) -> None:
        """The next line with a remark after the cursor, around the end."""
        lines = sorted({remark.line for remark in self._remarks if remark.line is not None})
        at = self.body.line_number
        if lines:
            self.go_to(Remark(Level.NOTE, Field.BODY, "", next((line for line in lines if line > at), lines[0])))
        elif self._remarks:
            self.go_to(self._remarks[0])

    def go_to(self, remark: Remark) -> None:
        """Put the cursor where a remark belongs."""
        targets: dict[Field, Widget] = {Field.DESCRIPTION: self.description, Field.ALIASES: self.aliases}
        self.screen.set_focus(targets.get(remark.field, self.body))
        if remark.field is Field.BODY:
            self.body.go_to_line(remark.line or 1)

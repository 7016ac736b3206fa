"""A file of a file memory being edited: its description and its text, saved only over what they were made from."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content as Words
from textual.widgets import Static

from wenchang_tui.config import state_path, write_whole
from wenchang_tui.model.content import Content
from wenchang_tui.model.flat_editing import Conflict, FlatEdit, Gone, Outcome, Refused, Saved, save
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.line_text import line_text
from wenchang_tui.model.merging import Side
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, PaneTitle, SizeGuard
from wenchang_tui.widgets.body_editor import BodyEditor
from wenchang_tui.widgets.commands import Need, Where, bindings, by_action, unmet
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_GONE = Problem(
    "Gone", "Somebody deleted the file meanwhile.", "What you typed stays here until you close: copy what you need."
)


class FlatEditor(Dialog[bool]):
    """Ends with whether anything was saved. What was typed is never dropped without asking."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.FLAT_EDIT)]
    DEFAULT_CSS = """
    FlatEditor {
        align: center middle;
        & > #box {
            width: 100%;
            height: 94%;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        & .label { height: 1; color: $text-muted; padding: 0 1; }
        & BodyEditor { padding: 0 1; }
        & BodyEditor:focus { background-tint: $primary 8%; }
        & #description { height: auto; min-height: 1; max-height: 4; }
        & #text { height: 1fr; }
        & #theirs { display: none; height: 1fr; border-top: solid $warning; }
        &.-conflict #theirs { display: block; }
    }
    """

    def __init__(self, flat: FlatFolder, edit: FlatEdit) -> None:
        super().__init__()
        self._flat = flat
        self._edit = edit
        self._conflict: Conflict | None = None
        self._saving = Lane[Outcome](self, self._receive, self._end)
        self.description, self.text = BodyEditor(id="description"), BodyEditor(id="text")
        self.description.show_line_numbers = False
        self.theirs = TextLines()
        self.status = StatusLine()

    def compose(self) -> ComposeResult:
        """Description, text, and room for what somebody else wrote."""
        title = PaneTitle("what is there now")
        title.track(self._saving, "saving")
        with Vertical(id="box") as box:
            box.border_title = safe(self._edit.name)
            yield Static("description", classes="label", markup=False)
            yield self.description
            yield Static("text", classes="label", markup=False)
            yield self.text
            yield Vertical(title, self.theirs, id="theirs")
            yield self.status
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Type on in the text."""
        self._load(self._edit.content)
        self.set_focus(self.text)

    @property
    def edit(self) -> FlatEdit:
        """The edit with what is typed now."""
        return replace(self._edit, content=Content(_raw(self.text), _raw(self.description)))

    def _load(self, content: Content) -> None:
        for area, text in ((self.text, content.body), (self.description, content.description)):
            lines = line_text(text)
            area.load(lines, lines.shown)
        marks = dict.fromkeys((*self.text.lines.marks, *self.description.lines.marks))
        legend = "  ".join(f"{mark.shown} {mark.name}" for mark in marks)
        self.query_one("#box").border_subtitle = safe(legend)

    # commands

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Theirs can be taken, or merged, only when there is something of theirs."""
        command = by_action(action, Where.FLAT_EDIT)
        met = {Need.CONFLICT} if self._conflict else set()
        return None if command is not None and unmet(command, met) else True

    def action_save(self) -> None:
        """Save what is typed now, over what it was made from or, after a conflict, over what was shown of theirs."""
        if self._saving.busy:
            return
        flat, edit = self._flat, self.edit
        if self._conflict is not None:
            edit = edit.onto(self._conflict.theirs, edit.content)
        self._lock(True)

        def work(_: IsCancelled) -> Iterator[Outcome]:
            yield save(flat, edit)

        self._saving.run(work)

    def _lock(self, is_locked: bool) -> None:
        self.text.read_only = self.description.read_only = is_locked

    def _receive(self, outcome: Outcome) -> None:
        self._lock(False)
        match outcome:
            case Saved():
                self.notify(self._edit.name, title="Saved")
                self.dismiss(True)
            case Conflict():
                self._show_conflict(outcome)
            case Gone():
                self.status.show_problem(_GONE)
            case Refused(problem=problem):
                self.status.show_problem(problem)

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self._lock(False)
            self.status.show_problem(problem)

    # when somebody else was faster

    def _show_conflict(self, conflict: Conflict) -> None:
        self._conflict = replace(conflict, edit=replace(self._edit, content=conflict.edit.content))
        theirs = conflict.theirs.base
        head = [TextLine(theirs.description or "(no description)", "strong"), TextLine("─" * 24, "rule")]
        self.theirs.show(head, theirs.body.split("\n"))
        self.add_class("-conflict")
        words = "Somebody else changed the file. ^s saves yours over it, ^r starts over from theirs, f9 merges."
        self.status.show_note(Words(words))
        self.refresh_bindings()

    def _go_on_from_theirs(self, content: Content, words: str) -> None:
        assert self._conflict is not None
        self._edit = self._conflict.theirs
        self._conflict = None
        self._load(content)
        self.remove_class("-conflict")
        self.status.show_note(Words(words))
        self.refresh_bindings()

    def action_merge(self) -> None:
        """Both changes, one after the other where they meet."""
        if self._conflict is None:
            return
        merge = replace(self._conflict, edit=replace(self._conflict.edit, content=self.edit.content)).merge()
        clashes = len(merge.body.clashes) + merge.description.is_clash
        content = Content(merge.body.text(otherwise=Side.BOTH), merge.description.merged)
        places = "place" if clashes == 1 else "places"
        found = f"; in {clashes} {places} both changed the same: theirs stands before yours" if clashes else ""
        self._go_on_from_theirs(content, f"Merged{found}. Look through it, then save.")

    def action_take_theirs(self) -> None:
        """Ask, then drop what was typed."""
        if self._conflict is not None:
            sentences = ("What you typed is dropped.", "The file stays as somebody else left it.")
            self.app.push_screen(AskDialog("Take theirs", sentences, "Drop mine"), self._take_theirs)

    def _take_theirs(self, is_sure: bool | None) -> None:
        if is_sure and self._conflict is not None:
            self._go_on_from_theirs(self._conflict.theirs.base, "This is what somebody else wrote.")

    def action_close(self) -> None:
        """Close; ask first where something would be lost."""
        if not self.edit.is_changed:
            self.dismiss(False)
        elif not self._saving.busy:
            sentences = ("What you typed is not saved.",)
            self.app.push_screen(AskDialog("Close the editor", sentences, "Drop what I typed"), self._drop)

    def let_go(self) -> bool:
        """Ask before the app ends with what was typed; below another question, that one comes first."""
        if self.edit.is_changed and self.is_active:
            sentences = ("What you typed is not saved.",)
            self.app.push_screen(AskDialog("Quit", sentences, "Quit, and drop what I typed"), self._quit)
        return not self.edit.is_changed

    def keep(self) -> str:
        """Write it to a file of its own: of a file memory, no text is offered again."""
        if not self.edit.is_changed:
            return ""
        content, path = self.edit.content, state_path() / f"unsaved-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.txt"
        write_whole(path, f"{content.description}\n\n{content.body}")
        return f"What you typed in {self._edit.name} is kept in\n{path}"

    def _quit(self, is_sure: bool | None) -> None:
        if is_sure:
            self.app.exit()

    def _drop(self, is_sure: bool | None) -> None:
        if is_sure:
            self.dismiss(False)


def _raw(area: BodyEditor) -> str:
    """What is typed as it would be stored."""
    return area.lines.back(area.text)

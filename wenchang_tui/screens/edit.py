"""Edit: curate what agents are told. A list of what there is to curate, and one file of it being written.

What is typed is never lost: it is kept as a draft until it is saved, and no change from outside touches it.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from wenchang.file_format import FileMetadata
from wenchang.identity import Identity
from wenchang.paths import PathParts, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang.version_token import VersionToken
from wenchang_tui.config import state_path
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.content import Snapshot, snapshot_of
from wenchang_tui.model.curation_log import Change, Done, Stopped
from wenchang_tui.model.desk import desk_places
from wenchang_tui.model.draft_keeper import drafts_of, is_worth_keeping
from wenchang_tui.model.drafts import Draft
from wenchang_tui.model.editing import (
    Conflict,
    CreatedMeanwhile,
    DeletedMeanwhile,
    Edit,
    Identical,
    Refused,
    Saved,
    SaveOutcome,
    Unchanged,
)
from wenchang_tui.model.external_editor import editor_command, finish_editing, start_editing
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.renaming import Renamed
from wenchang_tui.model.reviewing import Review
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.screens.as_agent import show_as_agent
from wenchang_tui.screens.deletion import Deletion
from wenchang_tui.screens.edit_changes import ChangesDialog
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.edit_merge import Merged, MergeScreen
from wenchang_tui.screens.edit_place import PlaceDialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.outside import RunOutside, run_outside
from wenchang_tui.screens.renaming import Renaming
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.desk_pane import DeskPane
from wenchang_tui.widgets.edit_pane import EditPane
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.safe_text import safe

_KEEP_SECONDS = 0.4
_GONE = "gone"
_UNSAFE_NOTE = "Drafts cannot be kept on this disk: what is typed lives only here until it is saved."
_GONE_NOTE = "Deleted in the store meanwhile. Your text is untouched: f9 decides."


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was asked for, and the draft that waits for it."""

    key: str
    found: Edit | Problem
    draft: Draft | None


class EditScreen(Frame):
    """The list on the left, or alone; the file being edited on the right, or alone where room is short."""

    PLACE = Where.EDIT
    NAME = "edit"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.EDIT)]
    DEFAULT_CSS = """
    EditScreen {
        & #panes { height: 1fr; }
        & DeskPane { width: 1fr; }
        & EditPane { width: 1fr; display: none; }
        &.-editing DeskPane { display: none; }
        &.-editing EditPane { display: block; }
        &.-wide.-editing DeskPane { display: block; width: 40; border-right: vkey $panel-lighten-1; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.drafts = drafts_of(state_path(), workspace)
        self.desk = DeskPane(workspace.catalog, self.drafts)
        self.pane = EditPane(workspace.settings)
        self.run_outside: RunOutside = run_outside
        self.edit: Edit | None = None
        """What is being edited, with the base to save it onto; the text of now is in the pane."""
        self.theirs: Snapshot | str | None = None
        """What somebody else made of it meanwhile, or `_GONE`."""
        self._review: Review | None = None
        self._timer: Timer | None = None
        self._must_look = False
        self._is_safe = True
        self._opening = Lane[Opened](self, self._opened, self.say)
        self._saving = Lane[SaveOutcome](self, self._saved, self._end_saving)
        self._keeping = Lane[bool](self, self._kept)
        self._looking = Lane[Snapshot | Problem | None](self, self._looked, self.say)
        self._undoing = Lane[Done | Stopped](self, self._undone, self.say)
        self._renaming = Renaming(self, self.drafts, self._renamed)
        self.pane.title.track(self._saving, "saving")
        self.desk.title.track(self._opening, "opening")

    def body(self) -> Iterable[Widget]:
        """List and form."""
        yield Horizontal(self.desk, self.pane, id="panes")

    def on_mount(self) -> None:
        """Begin with the list."""
        self._deletion = Deletion(self, self.curator, self._deleted)
        self._list_desk()
        if self.edit is None:
            self.set_focus(self.desk.list)

    def on_unmount(self) -> None:
        """However the app ends, what is typed is kept."""
        self._keep_now()

    # the list

    def show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        """List what agents of the identity are told."""
        super().show_identity(identity, problem)
        if self.is_mounted:
            self._list_desk()

    def _list_desk(self) -> None:
        all_areas = self.curator.all_areas
        what = "all areas" if all_areas else f"{SYSTEM_AREA}/"
        self.desk.show(desk_places(self.identity, all_areas=all_areas), what)

    @on(DeskPane.Listed)
    def _listed(self, event: DeskPane.Listed) -> None:
        event.stop()
        self._tell_others()

    @on(DeskPane.Wanted)
    def _wanted(self, event: DeskPane.Wanted) -> None:
        event.stop()
        self._open(event.key)

    # opening

    def open_file(self, key: str) -> None:
        """Edit the file at `key`."""
        self.call_later(self._open, key)

    def _open(self, key: str) -> None:
        if self.edit is not None and self.edit.key == key:
            self._show_form()
            return
        self._leave()
        curator, drafts = self.curator, self.drafts

        def work(_: IsCancelled) -> Iterator[Opened]:
            yield Opened(key, curator.open(key), drafts.find(key))

        self._opening.run(work)

    def _opened(self, opened: Opened) -> None:
        draft, found = opened.draft, opened.found
        if draft is not None and not (isinstance(found, Edit) and draft.edit.content == found.content):
            self._offer(opened, draft)
        elif isinstance(found, Edit):
            self._begin(found)
        else:
            self.say(found)

    def _offer(self, opened: Opened, draft: Draft) -> None:
        base, found = draft.edit.base, opened.found
        stored = found.base if isinstance(found, Edit) else None
        sentences = [f"{opened.key} has text that was typed {moment(draft.saved_at)} UTC and never saved."]
        is_outdated = stored is not None and (base is None or stored.version != base.version)
        if is_outdated:
            sentences.append("The file was changed since. Nothing is overwritten: saving shows both.")
        elif base is not None and stored is None:
            sentences.append("The file is not there any more.")
        ways = [Way("go on", "Go on with that text"), Way("forget", "Forget it, and open what is stored", "warn")]

        def answer(way: str | None) -> None:
            if way == "go on":
                self._begin(draft.edit)
                self.theirs = stored if is_outdated else None
                self._show_standing()
            elif way == "forget":
                self.drafts.forget(self.drafts.ticket(), opened.key)
                self.desk.reload()
                self._opened(Opened(opened.key, found, None))

        self.app.push_screen(ChoiceDialog("Unsaved text", sentences, [*ways, Way(CANCEL, "Cancel", "dim")]), answer)

    def _begin(self, edit: Edit) -> None:
        self.edit, self.theirs, self._review = edit, None, None
        self.pane.load(edit)
        self._show_form()

    def _show_form(self) -> None:
        self.add_class("-editing")
        self._show_standing()
        self.pane.focus_first()

    def new_file(self) -> None:
        """Ask for a place and begin a file there."""
        self.call_later(self.action_new)

    def action_new(self) -> None:
        """Ask where the file shall lie."""
        curator, drafts = self.curator, self.drafts

        def answer(key: str | None) -> None:
            if key:
                self._leave()
                self._opening.run(lambda _: iter([Opened(key, curator.begin(key), drafts.find(key))]))

        self.app.push_screen(PlaceDialog(curator, "New file", self._place()), answer)

    def _place(self) -> PathParts:
        """Where a new file is likely to be wanted: beside what is edited, in what is selected, where one is served."""
        if self.edit is not None:
            near = parse_path(self.edit.key)
            return PathParts(near.scope, near.entity_id, near.area, "")
        scope, entity, area = (*self.selected.split("/")[:-1], "", "", "")[:3]
        if not entity and isinstance(self.identity, Identity):
            scopes = self.identity.scope_map
            scope = scope if scope in scopes else next(iter(scopes), "")
            entity = scopes.get(scope, "")
        is_open = self.curator.all_areas and area
        return PathParts(scope, entity, area if is_open else SYSTEM_AREA, "")

    # what is typed

    @property
    def is_unsaved(self) -> bool:
        """Whether there is anything that is typed and not saved."""
        return self._review is not None and is_worth_keeping(self._review.edit)

    def _typed(self) -> Edit | None:
        """The edit with the text of now."""
        return None if self.edit is None else self.edit.with_content(self.pane.typed().content())

    @on(EditPane.Reviewed)
    def _reviewed(self, event: EditPane.Reviewed) -> None:
        event.stop()
        self._review = event.review
        self._show_standing()
        if self._timer is None:
            self._timer = self.set_timer(_KEEP_SECONDS, self._keep)

    def _keep(self) -> None:
        """Keep what is typed, in a thread."""
        self._timer = None
        edit, typed, ticket = self.edit, self.pane.typed(), self.drafts.ticket()
        if edit is not None:
            self._keeping.run(lambda _: iter([self.drafts.keep(ticket, edit.with_content(typed.content()))]))

    def _kept(self, is_kept: bool) -> None:
        if self.edit is not None and self.is_unsaved != (self.edit.key in self.desk.waiting):
            self.desk.reload()
        self._is_safe = is_kept
        self._show_standing()

    def _keep_now(self) -> bool:
        """Keep what is typed before anything else happens; whether all of it is safe."""
        edit = self._typed()
        return edit is None or self.drafts.keep(self.drafts.ticket(), edit)

    def _leave(self) -> None:
        """Say that what is typed is kept, when one turns to something else."""
        edit = self._typed()
        if edit is not None and is_worth_keeping(edit) and self._keep_now():
            self.notify(f"What you typed in {edit.key} is kept, and offered again.", title="Not saved")

    def on_screen_suspend(self) -> None:
        """Another screen comes in sight."""
        if not self.app.screen.is_modal:
            self._leave()

    def let_go(self) -> bool:
        """Keep what is typed and say so; where that is impossible, ask."""
        edit = self._typed()
        self.parting = ""
        if edit is None or not is_worth_keeping(edit):
            return True
        if self._keep_now():
            self.parting = f"What you typed in {edit.key} is kept, and offered when you open it again."
            return True
        ways = (Way(CANCEL, "Stay"), Way("quit", "Quit, and lose what was typed", "warn"))
        sentences = (f"{edit.key} is not saved, and drafts cannot be kept on this disk.",)
        self.app.push_screen(
            ChoiceDialog("Not saved", sentences, ways), lambda way: self.app.exit() if way == "quit" else None
        )
        return False

    # what is shown of it

    def _tell_others(self) -> None:
        is_unsaved = self.is_unsaved or bool(self.desk.waiting)
        self.post_message(Frame.Curating(all_areas=self.curator.all_areas, unsaved=is_unsaved))

    def _show_standing(self) -> None:
        edit = self.edit
        self._tell_others()
        if edit is None:
            return
        objection = self.curator.objection(edit.key)
        self.pane.show_writable(is_writable=objection is None)
        parts = parse_path(edit.key)
        place = safe(f"{parts.scope} / {parts.entity_id} / {parts.area} / ").stylize("dim")
        self.pane.title.left = place + safe(parts.name).stylize("bold")
        state = "new, not saved" if edit.base is None else "not saved" if self.is_unsaved else "saved"
        self.pane.title.right = Content("read only" if objection else state)
        if self.theirs == _GONE:
            self.pane.status.show_note(Content(f"! {_GONE_NOTE}"))
        elif isinstance(self.theirs, Snapshot):
            self.pane.status.show_note(safe(f"! {_by_others(self.theirs)} Your text is untouched: f9 compares."))
        elif objection is not None:
            self.pane.status.show_note(safe(f"{objection.title}: {objection.sentence} {objection.next_step} (f4)"))
        elif not self._is_safe:
            self.pane.status.show_note(Content(f"! {_UNSAFE_NOTE}"))
        else:
            self.pane.status.clear()
        self.refresh_bindings()

    # saving

    def action_save(self) -> None:
        """Save what is typed, off the loop."""
        if self.edit is not None and not self._saving.busy:
            self._save(self.edit)

    def _save(self, edit: Edit) -> None:
        curator, drafts, typed, ticket = self.curator, self.drafts, self.pane.typed(), self.drafts.ticket()

        def work(_: IsCancelled) -> Iterator[SaveOutcome]:
            outcome = curator.save(edit.with_content(typed.content()))
            if isinstance(outcome, Saved | Identical):
                drafts.forget(ticket, edit.key)
            yield outcome

        self._saving.run(work)

    def _end_saving(self, problem: Problem | None) -> None:
        self.say(problem)
        if self._must_look:
            self._must_look = False
            self._look()

    def _saved(self, outcome: SaveOutcome) -> None:
        match outcome:
            case Unchanged():
                self.notify("Nothing was changed, so nothing was written.", title="Nothing to save")
            case Saved(edit, change):
                self._go_on_from(edit)
                self.notify(f"{edit.key}, {edit.content.size:,} bytes", title=change.title.partition(" ")[0])
                self.post_message(Frame.Touched(frozenset({edit.key})))
            case Identical(edit):
                self._go_on_from(edit)
                self.notify("Somebody else wrote exactly the same meanwhile: nothing is left to do.", title="Identical")
            case Conflict(edit, theirs):
                self._merge(outcome, theirs, "Changed meanwhile", _by_others(theirs))
            case CreatedMeanwhile():
                self._ask_created(outcome)
            case DeletedMeanwhile(edit):
                self._ask_deleted(edit)
            case Refused(_, problem):
                self.pane.status.show_problem(problem)
                self.say(problem)

    def _go_on_from(self, edit: Edit) -> None:
        """What is typed goes on from what is stored now."""
        self.edit, self.theirs = edit, None
        self.pane.go_on_from(edit)
        self.desk.reload()

    def _merge(self, outcome: Conflict | CreatedMeanwhile, theirs: Snapshot, title: str, sentence: str) -> None:
        self.theirs = theirs

        def answer(merged: Merged | None) -> None:
            if merged is None:
                self._show_standing()
                return
            self.edit, self.theirs = outcome.edit.onto(theirs, merged.content), None
            self.pane.load(self.edit, keep_cursor=True)
            if merged.is_final:
                self._save(self.edit)
            else:
                self._show_form()
                self.notify("Nothing is saved yet: ^s saves it over theirs.", title="To adjust")

        self.app.push_screen(MergeScreen(outcome.merge(), title, sentence), answer)

    def _ask_created(self, outcome: CreatedMeanwhile) -> None:
        ways = (
            Way("compare", "Compare both, and merge"),
            Way("elsewhere", "Choose another name for yours"),
            Way(CANCEL, "Go on typing; nothing is saved", "dim"),
        )

        def answer(way: str | None) -> None:
            if way == "compare":
                self._merge(outcome, outcome.theirs, "Created meanwhile", _by_others(outcome.theirs))
            elif way == "elsewhere":
                self._move_typed(outcome.edit)

        sentences = (f"There is a file at {outcome.edit.key} by now, made by somebody else.", "Yours is not saved.")
        self.app.push_screen(ChoiceDialog("Created meanwhile", sentences, ways), answer)

    def _move_typed(self, edit: Edit) -> None:
        def answer(key: str | None) -> None:
            if key:
                self.drafts.forget(self.drafts.ticket(), edit.key)
                self._begin(Edit(key, None, edit.content))

        self.app.push_screen(PlaceDialog(self.curator, "Another name", parse_path(edit.key)), answer)

    def _ask_deleted(self, edit: Edit) -> None:
        ways = (
            Way(CANCEL, "Go on typing; nothing is saved"),
            Way("again", "Make the file again, with your text"),
            Way("give up", "Give up your text, too", "warn"),
        )

        def answer(way: str | None) -> None:
            if way == "again":
                self.edit, self.theirs = edit.anew(), None
                self._save(self.edit)
            elif way == "give up":
                self._close()

        sentences = (f"{edit.key} was deleted by somebody else after you opened it.", "Your text is still here.")
        self.app.push_screen(ChoiceDialog("Deleted meanwhile", sentences, ways), answer)

    # what others do meanwhile

    def store_changed(self, keys: frozenset[str]) -> None:
        """Look at what became of the file; what is typed stays."""
        if not self.is_mounted:
            return
        if self.desk.concerns(keys):
            self.desk.reload()
        if self.edit is not None and self.edit.key in keys:
            self._must_look = self._saving.busy
            if not self._must_look:
                self._look()

    def _look(self) -> None:
        key = self.edit.key if self.edit else ""
        catalog = self.workspace.catalog

        def work(_: IsCancelled) -> Iterator[Snapshot | Problem | None]:
            file = catalog.open(key)
            unreadable = Problem("Unreadable now", f"{key} cannot be read any more.", "Health (5) offers its repair.")
            yield None if file is None else snapshot_of(file) or unreadable

        if key:
            self._looking.run(work)

    def _looked(self, found: Snapshot | Problem | None) -> None:
        typed = self._typed()
        if typed is None or isinstance(found, Problem):
            self.say(found if isinstance(found, Problem) else None)
        elif found is None:
            self._is_gone(typed)
        elif found.key == typed.key and (typed.base is None or found.version != typed.base.version):
            self._is_changed(typed, found)

    def _is_gone(self, typed: Edit) -> None:
        if typed.base is not None and not typed.is_changed:
            self.notify(f"{typed.key} was deleted by somebody else.", title="Deleted meanwhile", severity="warning")
            self._close()
        elif typed.base is not None:
            self.theirs = _GONE
            self._show_standing()

    def _is_changed(self, typed: Edit, theirs: Snapshot) -> None:
        if typed.base is not None and not typed.is_changed:
            self.edit = Edit(typed.key, theirs, theirs.content)
            self.pane.load(self.edit, keep_cursor=True)
            self.notify(f"{_by_others(theirs)} This is what it says now.", title="Read again")
        elif typed.content == theirs.content or (typed.base and typed.base.content == theirs.content):
            self._go_on_from(Edit(typed.key, theirs, typed.content))
        else:
            self.theirs = theirs
            self._show_standing()

    def action_compare(self) -> None:
        """Compare with what somebody else wrote."""
        typed, theirs = self._typed(), self.theirs
        if typed is None or theirs is None:
            return
        if not isinstance(theirs, Snapshot):
            self._ask_deleted(typed)
        elif typed.base is None:
            self._merge(CreatedMeanwhile(typed, theirs), theirs, "Created meanwhile", _by_others(theirs))
        else:
            self._merge(Conflict(typed, theirs), theirs, "Changed meanwhile", _by_others(theirs))

    # other commands

    def met_needs(self) -> set[Need]:
        """What the file and its state allow."""
        needs = super().met_needs()
        edit = self.edit if self.has_class("-editing") else None
        tests = {
            Need.OPEN: edit is not None,
            Need.FILE: self._target is not None,
            Need.EDITABLE: edit is not None and self.curator.objection(edit.key) is None,
            Need.STORED: edit is not None and edit.base is not None,
            Need.TYPED: self.is_unsaved,
            Need.CONFLICT: self.theirs is not None,
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.UNDO: bool(self.curator.log.changes),
        }
        return needs | {need for need, is_met in tests.items() if is_met}

    def action_all_areas(self) -> None:
        """Let all areas be curated, or `system/` alone again."""
        self.curator.all_areas = not self.curator.all_areas
        self._list_desk()
        self._show_standing()

    def action_next_remark(self) -> None:
        """To the next remark."""
        self.pane.go_to_next_remark()

    def action_next_part(self) -> None:
        """To the next part of the form."""
        self.pane.focus_next()

    @property
    def _target(self) -> str | None:
        """The file that a command is about: the row in focus, or what is edited."""
        if self.edit is None or self.focused is self.desk.list:
            return self.desk.list.current_key
        return self.edit.key

    def action_as_agent(self) -> None:
        """The file as the agent would meet it; with what is typed, for the one being edited."""
        edit, row = self._typed(), self.desk.list.current
        if edit is not None and edit.key == self._target:
            note = "Not stored yet." if edit.base is None else "As it would be once this is saved." * edit.is_changed
            show_as_agent(self, self._as_row(edit), note)
        elif row is not None and row.row is not None:
            show_as_agent(self, row.row)

    def _as_row(self, edit: Edit) -> FileRow:
        base, content = edit.base, edit.content
        sources = base.metadata.sources if base else frozenset({self.workspace.settings.source})
        updated = base.metadata.last_updated if base else datetime.now(UTC)
        metadata = FileMetadata(content.description, content.aliases, sources, updated)
        version = base.version if base else VersionToken("not-saved")
        return FileRow(edit.key, parse_path(edit.key), metadata, version, content.size, None)

    def action_to_browse(self) -> None:
        """Show it in Browse."""
        if self._target is not None:
            self.post_message(Frame.OpenInBrowse(self._target))

    def action_rename(self) -> None:
        """Rename what is stored; what is typed has to be saved first."""
        edit = self._typed()
        if edit is None or edit.base is None:
            return
        if edit.is_changed:
            self.notify("Save it first: a rename takes what is stored.", title="Not saved", severity="warning")
            return
        self._renaming.start(edit.base)

    def _renamed(self, outcome: Renamed, original: str) -> None:
        self.drafts.forget(self.drafts.ticket(), original)
        self.drafts.forget(self.drafts.ticket(), outcome.edit.key)
        self._begin(outcome.edit)
        self.desk.reload()
        self.notify(outcome.change.title, title="Renamed")
        self.post_message(Frame.Touched(frozenset({original, outcome.edit.key})))

    def action_delete(self) -> None:
        """Ask, then delete."""
        if self._target is not None:
            self._deletion.start(self._target)

    def _deleted(self, key: str) -> None:
        if self.edit is not None and self.edit.key == key:
            self._close()
        self.post_message(Frame.Touched(frozenset({key})))

    def action_start_over(self) -> None:
        """Ask, then give up what is typed."""
        key = self.edit.key if self.edit else ""
        ways = (Way(CANCEL, "Keep what you typed"), Way("give up", "Give it up", "warn"))

        def answer(way: str | None) -> None:
            if way == "give up":
                self._close()
                self._open(key)

        self.app.push_screen(
            ChoiceDialog("Start over", (f"What you typed in {key} and did not save would be lost.",), ways), answer
        )

    def _close(self) -> None:
        """Forget the file and what was typed."""
        if self.edit is not None:
            self.drafts.forget(self.drafts.ticket(), self.edit.key)
        self.edit, self.theirs, self._review = None, None, None
        self.remove_class("-editing")
        self.set_focus(self.desk.list)
        self.desk.reload()
        self._show_standing()
        self.refresh_bindings()

    def action_take_back(self) -> None:
        """List the changes, and take one back."""
        log = self.curator.log

        def answer(change: Change | None) -> None:
            if change is not None:
                self._undoing.run(lambda _: iter([log.undo(change)]))

        self.app.push_screen(ChangesDialog(log.changes), answer)

    def _undone(self, outcome: Done | Stopped) -> None:
        change = outcome.change
        if isinstance(outcome, Stopped):
            self.say(outcome.problem)
        elif change is not None:
            self.notify(change.title, title="Taken back")
        if change is not None:
            self.post_message(Frame.Touched(frozenset(moved.key for moved in change.moves)))
        self.refresh_bindings()

    def action_reload(self) -> None:
        """Read the list anew."""
        self.desk.reload()

    def action_step_back(self) -> None:
        """Cancel, or leave the text for the list."""
        if self._opening.cancel() or self.desk.cancel():
            return
        if self.has_class("-editing") and self.focused is not self.desk.list:
            if not self.has_class("-wide"):
                self.remove_class("-editing")
                self._leave()
            self.set_focus(self.desk.list)
            self.refresh_bindings()

    # the person's own editor

    def action_outside(self) -> None:
        """Lend the terminal to the person's editor, with the body in it."""
        words = editor_command(os.environ)
        if words is None:
            self.say(Problem("No editor", "Neither VISUAL nor EDITOR names one.", "Set one of them, or edit here."))
        else:
            self._keep_now()
            self.run_worker(self._edit_outside(words), exclusive=True, group="outside", exit_on_error=False)

    async def _edit_outside(self, words: list[str]) -> None:
        edit = self._typed()
        if edit is None:
            return
        path = start_editing(state_path() / "editor", parse_path(edit.key).name, edit.content.body)
        if isinstance(path, Problem):
            self.say(path)
            return
        problem = await self.run_outside(self.app, [*words, str(path)])
        if problem is not None and path.read_bytes() != edit.content.body.encode():
            self.say(replace(problem, next_step=f"What it left is in {path}; the text here is as it was."))
            return
        body = finish_editing(path)
        if problem is not None or isinstance(body, Problem):
            self.say(problem or (body if isinstance(body, Problem) else None))
        elif body == edit.content.body:
            self.notify("The text came back as it was.", title="Nothing changed")
        elif self.edit is not None and self.edit.key == edit.key:
            self.pane.put_body(body)


def _by_others(theirs: Snapshot) -> str:
    """Who may have written what is there, and when."""
    sources = ", ".join(sorted(theirs.metadata.sources)) or "somebody"
    return f"Changed in the store {moment(theirs.metadata.last_updated)} UTC; written by {sources}."

"""Edit: curate what agents are told. A list of what there is to curate, and one file of it being written.

What is typed is never lost: it is kept as a draft until it is saved, and no change from outside touches it.
"""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from wenchang.identity import Identity
from wenchang.paths import PathParts, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang_tui.config import state_path
from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.desk import desk_places, place_for_new
from wenchang_tui.model.draft_keeper import drafts_of, is_worth_keeping
from wenchang_tui.model.editing import (
    Conflict,
    CreatedMeanwhile,
    Curator,
    DeletedMeanwhile,
    Edit,
    Identical,
    Refused,
    Saved,
    SaveOutcome,
    Unchanged,
)
from wenchang_tui.model.meanwhile import Meanwhile
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.renaming import Renamed
from wenchang_tui.model.reviewing import Review
from wenchang_tui.model.typed import Typed
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.screens.as_agent import row_of, show_as_agent
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.deletion import Deletion
from wenchang_tui.screens.edit_changes import TakingBack
from wenchang_tui.screens.edit_collisions import Collisions
from wenchang_tui.screens.edit_dialogs import CANCEL, ChoiceDialog, Way
from wenchang_tui.screens.edit_keeping import Keeping
from wenchang_tui.screens.edit_opening import Opening
from wenchang_tui.screens.edit_others import Others
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.outside import Outside
from wenchang_tui.screens.renaming import Renaming
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.desk_pane import DeskPane
from wenchang_tui.widgets.edit_pane import EditPane
from wenchang_tui.widgets.lane import IsCancelled, Lane

_UNSAFE = "! Drafts cannot be kept on this disk: what is typed lives only here until it is saved."


class EditScreen(CuratingFrame):
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

    def __init__(self, workspace: Workspace, curator: Curator) -> None:
        super().__init__(workspace, curator)
        self.edit: Edit | None = None
        """What is being edited, with the base to save it onto; the text of now is in the pane."""
        self._is_safe = True
        self._refusal: Problem | None = None
        self._must_look = False
        self._review: Review | None = None
        self.drafts = drafts_of(state_path(), workspace)
        self.desk = DeskPane(workspace.catalog, self.drafts)
        self.pane = EditPane(workspace.settings)
        self._saving = Lane[SaveOutcome](self, self._saved, self._end_saving)
        self.keeping = Keeping(self, self.drafts, self._capture, self._kept)
        self.outside = Outside(self, self._came_back)
        self._opening = Opening(self, self.drafts, self._begin)
        self.others = Others(self, Collisions(self, self._go_on, self._close), self.typed, self._follow)
        self._renaming = Renaming(self, self.drafts, self._renamed)
        self._deletion = Deletion(self, self._deleted)
        self._taking_back = TakingBack(self)
        self.pane.title.track(self._saving, "saving")
        self.desk.title.track(self._opening.lane, "opening")

    def body(self) -> Iterable[Widget]:
        """List and form."""
        yield Horizontal(self.desk, self.pane, id="panes")

    def on_mount(self) -> None:
        """Begin with the list."""
        self._list_desk()
        if self.edit is None:
            self.set_focus(self.desk.list)

    def on_unmount(self) -> None:
        """However the app ends, what is typed is kept."""
        self.keeping.now()

    def on_screen_suspend(self) -> None:
        """Another screen comes in sight."""
        self.desk.list.forget()
        if not self.app.screen.is_modal:
            self.keeping.leave()

    def let_go(self) -> bool:
        """Keep what is typed and leave word; where that is impossible, ask."""
        return self.keeping.let_go()

    def keep(self) -> str:
        """Keep what is typed, unless it goes with a demo."""
        return self.keeping.keep()

    # the list

    def show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        """List what agents of the identity are told."""
        super().show_identity(identity, problem)
        if self.is_mounted:
            self._list_desk()

    def _list_desk(self) -> None:
        all_areas = self.curator.all_areas
        what = "all areas" if all_areas else f"{SYSTEM_AREA}/"
        places = desk_places(self.identity, all_areas=all_areas)
        self.desk.show(places, what, is_known=self.identity is not None)

    @on(DeskPane.Listed)
    def _listed(self, event: DeskPane.Listed) -> None:
        event.stop()
        self._tell_others()

    @on(DeskPane.Wanted)
    def _wanted(self, event: DeskPane.Wanted) -> None:
        event.stop()
        self._open(event.key)

    # opening and closing

    def open_file(self, key: str) -> None:
        """Edit the file at `key`."""
        self.call_later(self._open, key)

    def _open(self, key: str) -> None:
        if self.edit is not None and self.edit.key == key:
            self._show_form()
        else:
            self.keeping.leave()
            self._opening.start(key)

    def new_file(self) -> None:
        """Ask for a place and begin a file there."""
        self.call_later(self.action_new)

    def action_new(self) -> None:
        """Ask where the file shall lie: beside what is edited, or in what is selected."""
        if self.edit is not None:
            parts = parse_path(self.edit.key)
            near = PathParts(parts.scope, parts.entity_id, parts.area, "")
        else:
            near = place_for_new(self.selected, self.identity, all_areas=self.curator.all_areas)
        self._opening.start_new(near, self.keeping.leave)

    def _begin(self, edit: Edit, theirs: Snapshot | None = None) -> None:
        self.edit, self._review, self._refusal = edit, None, None
        self.others.expect(theirs)
        self.pane.load(edit)
        self.desk.point_at(edit.key)
        self._show_form()

    def _show_form(self) -> None:
        self.add_class("-editing")
        self._show_standing()
        self.pane.focus_first()

    def _close(self) -> None:
        """Forget the file and what was typed."""
        if self.edit is not None:
            self.drafts.forget(self.drafts.ticket(), self.edit.key)
        self.edit = self._review = None
        self.others.expect()
        self.remove_class("-editing")
        self.set_focus(self.desk.list)
        self.desk.reload()
        self.refresh_bindings()

    # what is typed

    @property
    def is_unsaved(self) -> bool:
        """Whether there is anything that is typed and not saved."""
        return self._review is not None and is_worth_keeping(self._review.edit)

    def typed(self) -> Edit | None:
        """The edit with the text of now."""
        return None if self.edit is None else self.edit.with_content(self.pane.typed().content())

    def _capture(self) -> tuple[Edit, Typed] | None:
        return None if self.edit is None else (self.edit, self.pane.typed())

    @on(EditPane.Reviewed)
    def _reviewed(self, event: EditPane.Reviewed) -> None:
        event.stop()
        self._review = event.review
        self._show_standing()
        self.keeping.soon()

    def _kept(self, is_kept: bool) -> None:
        self._is_safe = is_kept
        if self.edit is not None and self.is_unsaved != (self.edit.key in self.desk.waiting):
            self.desk.reload()
        self._show_standing()

    def _came_back(self, key: str, body: str) -> None:
        """The body comes back from the person's editor."""
        if self.edit is not None and self.edit.key == key:
            self.pane.put_body(body)

    # what is shown of it

    def _tell_others(self) -> None:
        is_unsaved = self.is_unsaved or bool(self.desk.waiting)
        self.post_message(Frame.Curating(all_areas=self.curator.all_areas, unsaved=is_unsaved))

    def _show_standing(self) -> None:
        self._tell_others()
        if self.edit is not None:
            objection = self.curator.objection(self.edit.key)
            self.pane.show_standing(self.edit, objection, self._note(objection), is_unsaved=self.is_unsaved)
        self.refresh_bindings()

    def _note(self, objection: Problem | None) -> str:
        """The most important thing to know about the file."""
        if self._refusal is not None:
            return f"! Not saved: {self._refusal.sentence} {self._refusal.next_step}"
        if self.others.note:
            return self.others.note
        if objection is not None:
            key = "" if self.workspace.settings.read_only else " (f4)"
            return f"{objection.title}: {objection.sentence} {objection.next_step}{key}"
        return "" if self._is_safe else _UNSAFE

    # saving

    def action_save(self) -> None:
        """Save what is typed, off the loop."""
        if self.edit is not None and not self._saving.busy:
            self._save(self.edit)

    def _save(self, edit: Edit) -> None:
        curator, drafts, typed, ticket = self.curator, self.drafts, self.pane.typed(), self.drafts.ticket()
        self._refusal = None

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
            self.others.look()

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
            case Refused(_, problem):
                self._refusal = problem
                self._show_standing()
            case Conflict() | CreatedMeanwhile() | DeletedMeanwhile():
                self.others.met(outcome)
                self._show_standing()

    def _go_on_from(self, edit: Edit) -> None:
        """What is typed goes on from what is stored now."""
        self.edit = edit
        self.others.expect()
        self.pane.go_on_from(edit)
        self.desk.reload()

    def _go_on(self, edit: Edit, is_final: bool) -> None:
        """Go on with what a person decided, and save it at once when that was part of it."""
        if self.edit is not None and self.edit.key != edit.key:
            self.drafts.forget(self.drafts.ticket(), self.edit.key)
        self._load_again(edit)
        if is_final:
            self._save(edit)
        else:
            self._show_form()
            self.notify("Nothing is saved yet: ^s saves it.", title="To adjust")

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
                self.others.look()

    def _follow(self, what: Meanwhile, edit: Edit) -> None:
        """The file has become another in the store."""
        match what:
            case Meanwhile.CLOSE:
                self._close()
            case Meanwhile.GO_ON:
                self._go_on_from(edit)
            case Meanwhile.READ_AGAIN:
                self._load_again(edit)
            case _:
                self._show_standing()

    def _load_again(self, edit: Edit) -> None:
        """Show another text of the same file."""
        self.edit = edit
        self.others.expect()
        self.pane.load(edit, keep_cursor=True)

    def action_compare(self) -> None:
        """Compare with what somebody else wrote, or decide about what they deleted."""
        self.others.compare()

    # other commands

    def met_needs(self) -> set[Need]:
        """What the file and its state allow."""
        edit = self.edit if self.has_class("-editing") else None
        tests = {
            Need.OPEN: edit is not None,
            Need.FILE: self._target is not None,
            Need.EDITABLE: edit is not None and self.curator.objection(edit.key) is None,
            Need.STORED: edit is not None and edit.base is not None,
            Need.TYPED: self.is_unsaved,
            Need.CONFLICT: self.others.differ,
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.UNDO: bool(self.curator.log.changes),
        }
        return super().met_needs() | {need for need, is_met in tests.items() if is_met}

    @property
    def _target(self) -> str | None:
        """The file that a command is about: the row in focus, or what is edited."""
        if self.edit is None or self.focused is self.desk.list:
            return self.desk.list.current_key
        return self.edit.key

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

    def action_as_agent(self) -> None:
        """The file as the agent would meet it; with what is typed, for the one being edited."""
        edit, row = self.typed(), self.desk.list.current
        if edit is not None and edit.key == self._target:
            note = "Not stored yet." if edit.base is None else "As it would be once this is saved." * edit.is_changed
            show_as_agent(self, row_of(edit, self.workspace.settings.source), note)
        elif row is not None and row.row is not None:
            show_as_agent(self, row.row)

    def action_to_browse(self) -> None:
        """Show it in Browse."""
        if self._target is not None:
            self.post_message(Frame.OpenInBrowse(self._target))

    def action_outside(self) -> None:
        """Lend the terminal to the person's editor, with the body in it."""
        self.keeping.now()
        edit = self.typed()
        if edit is not None:
            self.outside.start(edit)

    def action_rename(self) -> None:
        """Rename what is stored; what is typed has to be saved first."""
        edit = self.typed()
        if edit is not None and edit.is_changed:
            self.notify("Save it first: a rename takes what is stored.", title="Not saved", severity="warning")
        elif edit is not None and edit.base is not None:
            self._renaming.start(edit.base)

    def _renamed(self, outcome: Renamed, original: str) -> None:
        for key in (original, outcome.edit.key):
            self.drafts.forget(self.drafts.ticket(), key)
        self._begin(outcome.edit)
        self.desk.reload()
        self.notify(f"It was {original} before.", title="Renamed")
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

        sentence = f"What you typed in {key} and did not save would be lost."
        self.app.push_screen(ChoiceDialog("Start over", (sentence,), ways), answer)

    def action_take_back(self) -> None:
        """List the changes, and take one back."""
        self._taking_back.start()

    def action_reload(self) -> None:
        """Read the list anew."""
        self.desk.reload()

    def action_step_back(self) -> None:
        """Cancel, or leave the text for the list."""
        if self._opening.lane.cancel() or self.desk.cancel():
            return
        if self.has_class("-editing") and self.focused is not self.desk.list:
            if not self.has_class("-wide"):
                self.remove_class("-editing")
                self.keeping.leave()
            self.set_focus(self.desk.list)
            self.refresh_bindings()

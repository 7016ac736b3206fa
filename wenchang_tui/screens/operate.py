"""Operate: hand over or erase an entity. Export, restore and purge, each looked at before it is done, and a receipt."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang.core import Progress
from wenchang_tui.model.checking import entity_prefix
from wenchang_tui.model.operations import EntityPreview, preview_entity
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.receipts import Deed, Ending, Operator, Receipt, file_name, spoken
from wenchang_tui.model.restoring import RestorePlan, plan_restore
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_dialogs import AskDialog, NameDialog
from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.typed_dialog import TypedDialog
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.entity_pane import EntityPane
from wenchang_tui.widgets.entity_view import EntityView, preview_lines
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.progress_line import ProgressLine
from wenchang_tui.widgets.receipt_list import ReceiptList
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.text_lines import TextLine

_DOING = {Deed.EXPORT: "Exporting", Deed.RESTORE: "Putting back", Deed.PURGE: "Deleting"}


class OperateScreen(Frame):
    """The entities, what the one under the cursor holds, and the receipts of what was done."""

    PLACE = Where.OPERATE
    NAME = "operate"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.OPERATE)]
    DEFAULT_CSS = """
    OperateScreen {
        & #panes { height: 1fr; }
        & EntityPane { width: 34; height: 1fr; border-right: vkey $panel-lighten-1; }
        & #what { width: 1fr; height: 1fr; }
        & #done { height: auto; }
        &.-wide EntityPane { width: 44; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.entities = EntityPane(workspace.catalog)
        self.view = EntityView(id="entity")
        self.receipts = ReceiptList()
        self.progress = ProgressLine()
        self.status = StatusLine()
        self.entity: str | None = None
        self.preview: EntityPreview | None = None
        self._view_title = PaneTitle()
        self._done = Vertical(PaneTitle("done in this session"), self.receipts, id="done")
        self._came_with = ""
        self._archive: Path | None = None
        self._stop = Event()
        self._is_leaving = False
        self._touched: set[str] = set()
        self._previewing = Lane[EntityPreview](self, self._show_preview, self._not_previewed)
        self._asking = Lane[Callable[[], None]](self, lambda then: then(), self._end)
        self._operating = Lane[Receipt](self, self._receive, self._end)
        self._view_title.track(self._previewing, "reading")
        self._view_title.track(self._asking, "looking")

    def body(self) -> Iterable[Widget]:
        """Entities, entity, receipts."""
        self._done.display = False
        what = Vertical(self._view_title, self.view, id="what")
        yield Vertical(Horizontal(self.entities, what, id="panes"), self._done, self.progress, self.status)

    def on_mount(self) -> None:
        """The cursor starts on the entity that is selected in Browse."""
        self.set_focus(self.entities.list)

    def on_screen_resume(self) -> None:
        """Follow what was selected in Browse meanwhile."""
        entity = entity_prefix(self.selected).removesuffix("/")
        if entity != self._came_with:
            self._came_with = entity
            self.entities.select(entity)

    def on_unmount(self) -> None:
        """What is running ends before the app does, after the object it is at."""
        self._stop.set()

    # what an entity holds

    @on(EntityPane.Selected)
    def _select(self, event: EntityPane.Selected) -> None:
        event.stop()
        if event.entity != self.entity:
            self.entity, self.preview = event.entity, None
            self._look()
        self.refresh_bindings()

    def _look(self) -> None:
        """Read what the entity holds, unless a receipt is being looked at."""
        entity, workspace = self.entity, self.workspace
        if entity is None:
            self._previewing.cancel()
            self.preview = None
        else:
            self._previewing.run(lambda _: iter([_preview(workspace, entity)]))
        self._show()

    def _show_preview(self, preview: EntityPreview) -> None:
        self.preview = preview
        self._show()

    def _not_previewed(self, problem: Problem | None) -> None:
        if problem is not None and self._receipt is None:
            self.view.show_problem(problem)

    @property
    def _receipt(self) -> Receipt | None:
        """The receipt that is being looked at, if one is."""
        return self.receipts.current if self.focused is self.receipts else None

    def _show(self) -> None:
        """The receipt under the cursor while the cursor is among receipts, the entity otherwise."""
        receipt, preview = self._receipt, self.preview
        if receipt is not None:
            self._view_title.left = Content("receipt")
            self.view.show_receipt(receipt)
            return
        self._view_title.left = safe(self.entity or "")
        if preview is not None:
            may_purge = "; the store is opened read-only" if self.workspace.settings.read_only else ", p erases it"
            self.view.show_entity(preview, f"e hands it over as a file{may_purge}")
        elif self.entity is None:
            self.view.show_note("No entity is selected. r puts back one that was exported.")
        else:
            self.view.show_note("reading…")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show what belongs to the list with the cursor."""
        if event.widget in (self.receipts, self.entities.list):
            self._show()

    @on(RowList.Highlighted, "#receipts")
    def _look_at_receipt(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show()

    def store_changed(self, keys: frozenset[str]) -> None:
        """Count again what changed, unless it is this screen that changes it."""
        if not self.is_mounted or self._operating.busy:
            return
        changed = {entity_prefix(key).removesuffix("/") for key in keys}
        if self.entity in changed:
            self._look()
        if changed - set(self.entities.list.rows):
            self.entities.reload()

    # export

    def action_export(self) -> None:
        """Ask where to."""
        entity = self.entity
        if entity is not None:
            path = Path.cwd() / file_name(entity, ".zip")
            note = (
                "Everything that is stored, readable or not, with a manifest: one zip file for the eyes of its owner."
            )
            self.app.push_screen(NameDialog("Export to", str(path), note), lambda name: self._export_to(entity, name))

    def _export_to(self, entity: str, name: str | None) -> None:
        if not name:
            return
        path = Path(name).expanduser()

        def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
            yield partial(self._ask_to_replace if path.is_file() else self._export, entity, path)

        self._asking.run(work)

    def _ask_to_replace(self, entity: str, path: Path) -> None:
        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._export(entity, path, force=True)

        sentences = (f"{path} exists.", "It is replaced once the new archive is complete, and not before.")
        self.app.push_screen(AskDialog("Replace the file", sentences, "Replace it"), answer)

    def _export(self, entity: str, path: Path, *, force: bool = False) -> None:
        self._archive = path
        scope, _, name = entity.partition("/")
        self._begin(Deed.EXPORT, entity, lambda operator: operator.export(scope, name, path, force=force))

    # restore

    def action_restore(self) -> None:
        """Ask from where."""
        path = self._archive or Path.cwd() / (file_name(self.entity, ".zip") if self.entity else "")
        note = "The file of an export. It is checked as a whole, and you see what would be done first."
        self.app.push_screen(NameDialog("Restore from", str(path), note), self._plan)

    def _plan(self, name: str | None) -> None:
        if not name:
            return
        path, workspace = Path(name).expanduser(), self.workspace

        def work(is_cancelled: IsCancelled) -> Iterator[Callable[[], None]]:
            yield partial(self._show_plan, path, plan_restore(workspace, path, is_cancelled=is_cancelled))

        self._asking.run(work)

    def _show_plan(self, path: Path, plan: RestorePlan) -> None:
        entity = f"{plan.scope}/{plan.entity}"
        is_empty = plan.replaced + plan.kept == 0

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._restore(path, plan, force=not is_empty)

        if is_empty:
            sentences = (f"{entity} is empty. {spoken(plan.totals)} are put back.", f"From {path}.")
            self.app.push_screen(AskDialog("Restore", sentences, "Put it back"), answer)
        else:
            lines = (
                TextLine(entity, "strong"),
                TextLine(f"{spoken(plan.totals)} from {path}", "", "puts back  ", "dim"),
                TextLine(
                    f"{plan.replaced:,} that stand there now; what they hold is lost", "bad", "replaces   ", "dim"
                ),
                TextLine(f"{plan.kept:,} others as they are", "", "leaves     ", "dim"),
            )
            self.app.push_screen(TypedDialog("Restore over what is there", lines, entity), answer)

    def _restore(self, path: Path, plan: RestorePlan, *, force: bool) -> None:
        entity = f"{plan.scope}/{plan.entity}"
        self._begin(Deed.RESTORE, entity, lambda operator: operator.restore(plan, path, force=force))

    # purge

    def action_purge(self) -> None:
        """Look at what goes, then ask for its name."""
        entity, workspace = self.entity, self.workspace
        if entity is not None:

            def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
                yield partial(self._ask_to_purge, entity, _preview(workspace, entity))

            self._asking.run(work)

    def _ask_to_purge(self, entity: str, preview: EntityPreview) -> None:
        scope, _, name = entity.partition("/")

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._begin(Deed.PURGE, entity, lambda operator: operator.purge(scope, name))

        lines = [
            TextLine(entity, "strong"),
            *preview_lines(preview),
            TextLine(""),
            TextLine("All of it is deleted, and this cannot be undone. An export (e) can be put back.", "bad"),
        ]
        self.app.push_screen(TypedDialog("Purge", lines, entity), answer)

    # carrying out

    def _begin(self, deed: Deed, entity: str, work: Callable[[Operator], Receipt]) -> None:
        self._stop.clear()
        self._touched = set()
        operator = Operator(self.workspace, self._follow, self._stop.is_set)
        self.progress.begin(f"{_DOING[deed]} {entity}")
        self.status.clear()
        self._operating.run(lambda _: iter([work(operator)]))
        self.refresh_bindings()

    def _follow(self, progress: Progress) -> None:
        """In the thread of the operation."""
        self._touched.add(progress.key)
        self.progress.tell(progress)

    def _receive(self, receipt: Receipt) -> None:
        self.progress.end()
        self.receipts.add(receipt)
        self._done.display = True
        self.set_focus(self.receipts)
        self._show()
        if receipt.deed is not Deed.EXPORT:
            self.preview = None
            self._look()
            self.entities.reload()
            self.post_message(self.Touched(frozenset(self._touched)))
        if self._is_leaving:
            self.parting = f"{receipt.deed.capitalize()} of {receipt.entity}: {receipt.result}"
            self.call_later(self.run_action, "app.quit")
        elif not self.is_current:
            severity = "information" if receipt.ending is Ending.DONE else "warning"
            self.notify(receipt.result, title=f"{receipt.deed.capitalize()} of {receipt.entity}", severity=severity)  # type: ignore[arg-type]

    def let_go(self) -> bool:
        """Ask before something that is running is cut short; then leave with what it came to."""
        if not self._operating.busy or self._is_leaving:
            return True

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._is_leaving = True
                self.action_step_back()

        sentences = (
            f"{self.progress.doing} is not finished yet.",
            "To leave ends it after the objects that are under way. It can be gone on with later.",
        )
        self.app.push_screen(AskDialog("Still running", sentences, "End it, and leave"), answer)
        return False

    def _end(self, problem: Problem | None) -> None:
        self.progress.end()
        if problem is not None:
            self.status.show_problem(problem)
        self.refresh_bindings()

    # the rest

    def met_needs(self) -> set[Need]:
        """What the store and the selection allow."""
        tests = {
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.ENTITY: self.entity is not None,
            Need.RECEIPT: bool(self.receipts.rows),
            Need.IDLE: not self._operating.busy,
        }
        return super().met_needs() | {need for need, is_met in tests.items() if is_met}

    def action_copy(self) -> None:
        """Copy the receipt under the cursor, or the latest."""
        if (receipt := self.receipts.current) is not None:
            copy_text(self.app, "Receipt", receipt.text())

    def action_save(self) -> None:
        """Ask where to."""
        receipt = self.receipts.current
        if receipt is not None:
            path = Path.cwd() / file_name(f"receipt-{receipt.deed}-{receipt.entity}", ".txt")
            note = "The receipt as text; it holds no memory contents."
            self.app.push_screen(
                NameDialog("Save the receipt", str(path), note), lambda name: self._save(receipt, name)
            )

    def _save(self, receipt: Receipt, name: str | None) -> None:
        if not name:
            return
        path = Path(name).expanduser()

        def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
            with path.open("x", encoding="utf-8", errors="replace") as file:
                file.write(receipt.text())
            yield lambda: self.notify(str(path), title="Receipt saved")

        self._asking.run(work)

    def action_filter(self) -> None:
        """Open the filter. The focus moves at once, so that the next key is typed into it."""
        self.entities.input.display = True
        self.set_focus(self.entities.input)

    @on(FilterInput.Done)
    def _to_list(self) -> None:
        self.set_focus(self.entities.list)

    def action_reload(self) -> None:
        """Names and entity anew."""
        self.entities.reload()
        self._look()

    def action_step_back(self) -> None:
        """Cancel what is running, or one step of what is open."""
        if self._operating.busy:
            self._stop.set()
            self.progress.stopping()
        elif not any([self._asking.cancel(), self.entities.cancel(), self._previewing.cancel()]):
            if self.entities.input.display:
                self.entities.close_filter()
            self.status.clear()
            self.set_focus(self.entities.list)


def _preview(workspace: Workspace, entity: str) -> EntityPreview:
    scope, _, name = entity.partition("/")
    try:
        return preview_entity(workspace, scope, name)
    except ValueError as error:
        sentence = f"{entity} cannot be named, by an agent or here."
        raise OpenError(Problem("Not an entity", sentence, "Health (5) repairs what lies there.")) from error

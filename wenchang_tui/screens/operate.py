"""Operate: hand over or erase an entity. Export, restore and purge, each looked at before it is done, and a receipt."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from wenchang_tui.model.checking import entity_prefix
from wenchang_tui.model.operations import EntityPreview
from wenchang_tui.model.problems import Problem
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
from wenchang_tui.widgets.entity_view import EntityDetail, plan_lines, preview_named, purge_lines
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.operation_line import OperationLine
from wenchang_tui.widgets.receipt_list import ReceiptList
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.status_line import StatusLine


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
        &.-half EntityPane:focus-within { width: 60%; }
        &.-half EntityDetail:focus-within { width: 4fr; }
        &.-full #panes > * { display: none; }
        &.-full #panes > *:focus-within { display: block; width: 1fr; border: none; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.entities = EntityPane(workspace.catalog)
        self.detail = EntityDetail(workspace)
        self.receipts = ReceiptList()
        self.operation = OperationLine(workspace)
        self.status = StatusLine()
        self._done = Vertical(PaneTitle("done in this session"), self.receipts, id="done")
        self._came_with = ""
        self._archive: Path | None = None
        self._is_leaving = False
        self._asking = Lane[Callable[[], None]](self, lambda then: then(), self._say)
        self.detail.title.track(self._asking, "looking")

    def body(self) -> Iterable[Widget]:
        """Entities, entity, receipts."""
        self._done.display = False
        panes = Horizontal(self.entities, self.detail, id="panes")
        yield Vertical(panes, self._done, self.operation, self.status)

    def on_mount(self) -> None:
        """The cursor starts on the entity that is selected in Browse."""
        self.set_focus(self.entities.list)

    def on_screen_resume(self) -> None:
        """Follow what was selected in Browse meanwhile."""
        entity = entity_prefix(self.selected).removesuffix("/")
        if entity != self._came_with:
            self._came_with = entity
            self.entities.select(entity)

    # what is looked at

    @property
    def entity(self) -> str | None:
        """The entity that is chosen, as `SCOPE/ENTITY`."""
        return self.detail.entity

    @on(EntityPane.Selected)
    def _select(self, event: EntityPane.Selected) -> None:
        event.stop()
        if event.entity != self.entity:
            self.detail.choose(event.entity)
        self.refresh_bindings()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show what belongs to the list with the cursor."""
        if event.widget in (self.receipts, self.entities.list):
            self._look()

    @on(RowList.Highlighted, "#receipts")
    def _look_at_receipt(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._look()

    def _look(self) -> None:
        """The receipt under the cursor while the cursor is among receipts, the entity otherwise."""
        self.detail.look_at(self.receipts.current if self.focused is self.receipts else None)

    def store_changed(self, keys: frozenset[str]) -> None:
        """Count again what changed, unless it is this screen that changes it."""
        if not self.is_mounted or self.operation.is_busy:
            return
        changed = {entity_prefix(key).removesuffix("/") for key in keys}
        if self.entity in changed:
            self.detail.reload()
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
            self.app.push_screen(TypedDialog("Restore over what is there", plan_lines(plan, path), entity), answer)

    def _restore(self, path: Path, plan: RestorePlan, *, force: bool) -> None:
        entity = f"{plan.scope}/{plan.entity}"
        self._begin(Deed.RESTORE, entity, lambda operator: operator.restore(plan, path, force=force))

    # purge

    def action_purge(self) -> None:
        """Look at what goes, then ask for its name."""
        entity, workspace = self.entity, self.workspace
        if entity is not None:

            def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
                yield partial(self._ask_to_purge, entity, preview_named(workspace, entity))

            self._asking.run(work)

    def _ask_to_purge(self, entity: str, preview: EntityPreview) -> None:
        scope, _, name = entity.partition("/")

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._begin(Deed.PURGE, entity, lambda operator: operator.purge(scope, name))

        self.app.push_screen(TypedDialog("Purge", purge_lines(preview), entity), answer)

    # carrying out

    def _begin(self, deed: Deed, entity: str, work: Callable[[Operator], Receipt]) -> None:
        self.status.clear()
        self.set_focus(self.entities.list)  # an older receipt would pass for that of what is running
        self.operation.run(deed, entity, work)
        self.refresh_bindings()

    @on(OperationLine.Ended)
    def _ended(self, event: OperationLine.Ended) -> None:
        event.stop()
        receipt = event.receipt
        self.receipts.add(receipt)
        self._done.display = True
        self.set_focus(self.receipts)
        self._look()
        if receipt.deed is not Deed.EXPORT:
            self.detail.reload()
            self.entities.reload()
            self.post_message(self.Touched(event.keys))
        self._announce(receipt)
        self.refresh_bindings()

    def _announce(self, receipt: Receipt) -> None:
        """Tell those who look elsewhere, or leave."""
        title = f"{receipt.deed.capitalize()} of {receipt.entity}"
        if self._is_leaving:
            self.parting = f"{title}: {receipt.result}"
            self.call_later(self.run_action, "app.quit")
        elif not self.is_current:
            is_fine = receipt.ending is Ending.DONE
            self.notify(receipt.result, title=title, severity="information" if is_fine else "warning")

    def let_go(self) -> bool:
        """Ask before something that is running is cut short; then leave with what it came to."""
        if not self.operation.is_busy or self._is_leaving:
            return True

        def answer(is_sure: bool | None) -> None:
            if is_sure:
                self._is_leaving = True
                self.action_step_back()

        sentences = (
            f"{self.operation.doing} is not finished yet.",
            "To leave ends it after the objects that are under way. It can be gone on with later.",
        )
        self.app.push_screen(AskDialog("Still running", sentences, "End it, and leave"), answer)
        return False

    def _say(self, problem: Problem | None) -> None:
        if problem is not None:
            self.status.show_problem(problem)

    # the rest

    def met_needs(self) -> set[Need]:
        """What the store and the selection allow."""
        tests = {
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.ENTITY: self.entity is not None,
            Need.RECEIPT: bool(self.receipts.rows),
            Need.IDLE: not self.operation.is_busy,
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
        self.detail.reload()

    def action_step_back(self) -> None:
        """Cancel what is running, or one step of what is open."""
        if self.operation.stop():
            return
        if not any([self._asking.cancel(), self.entities.cancel(), self.detail.cancel()]):
            if self.entities.input.display:
                self.entities.close_filter()
            elif self.zoom != "normal":
                self.zoom = "normal"
                return
            self.status.clear()
            self.set_focus(self.entities.list)

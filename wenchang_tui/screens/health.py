"""Health: will anything break? A check of the store that shows what it finds as it goes, and repairs what can be."""

import json
from collections.abc import Iterable
from typing import ClassVar, TypeAlias

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang.paths import is_valid_path
from wenchang_tui.model.checking import Scope, scopes
from wenchang_tui.model.curation_log import Change, Done, Stopped
from wenchang_tui.model.editing import Curator
from wenchang_tui.model.findings import Finding, Kind
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.repairs import Proposal, Removed, apply, propose
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.repair import RepairDialog
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.finding_view import FindingView
from wenchang_tui.widgets.findings_pane import FindingsPane
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.text_lines import TextLine

Proposed: TypeAlias = tuple[Finding, tuple[Proposal, ...]]
Outcome: TypeAlias = tuple[Finding | None, Done | Stopped | Removed]

_UNREADABLE = (Kind.MALFORMED_METADATA, Kind.NOT_UTF8)


class HealthScreen(CuratingFrame):
    """The findings, and below them the one under the cursor with its repair."""

    PLACE = Where.HEALTH
    NAME = "health"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.HEALTH)]
    DEFAULT_CSS = """
    HealthScreen {
        & #body { height: 1fr; }
        & #panes { height: 1fr; }
        & FindingView { height: 1fr; }
        &.-half FindingsPane:focus-within { height: 3fr; max-height: 100%; }
        &.-half FindingsPane:focus-within #findings { height: 1fr; max-height: 100%; }
        &.-full #panes > * { display: none; }
        &.-full #panes > *:focus-within { display: block; height: 1fr; max-height: 100%; }
        &.-full #findings { height: 1fr; max-height: 100%; }
    }
    """

    def __init__(self, workspace: Workspace, curator: Curator) -> None:
        super().__init__(workspace, curator)
        self.findings = FindingsPane(workspace)
        self.view = FindingView(id="finding")
        self.status = StatusLine()
        self._title = PaneTitle()
        self._came_with = ""
        self._proposed: Proposed | None = None
        self._proposing = Lane[Proposed](self, self._show_proposals, self._not_proposed)
        self._repairing = Lane[Outcome](self, self._repaired, self._say)
        self._title.track(self._repairing, "repairing")

    def body(self) -> Iterable[Widget]:
        """Findings and finding."""
        panes = Vertical(self.findings, Vertical(self._title, self.view), id="panes")
        yield Vertical(panes, self.status, id="body")

    def on_mount(self) -> None:
        """Begin, unless every body costs a request."""
        self.set_focus(self.findings.list)
        self._came_with = self.selected
        self.call_later(self._begin, self._scopes()[0])

    def on_screen_resume(self) -> None:
        """Catch up with what changed while nobody looked."""
        if not self.findings.is_begun and self.selected != self._came_with:
            self._came_with = self.selected
            self._begin(self._scopes()[0])
        self.findings.recheck()

    def store_changed(self, keys: frozenset[str]) -> None:
        """Look again at what changed."""
        if self.is_mounted:
            self.findings.store_changed(keys)

    # what is checked

    def _scopes(self) -> tuple[Scope, ...]:
        found = scopes(self.identity, self.selected)
        return found[::-1] if self.workspace.catalog.is_far else found

    def _begin(self, scope: Scope) -> None:
        """Check a part of the store; of one far away, only offer to."""
        self.status.clear()
        if self.workspace.catalog.is_far:
            self.findings.wait(scope)
        else:
            self.findings.check(scope)

    def action_check(self) -> None:
        """From the beginning."""
        self.status.clear()
        self.findings.check(self.findings.scope or self._scopes()[0])

    def action_scope(self) -> None:
        """Another part of the store, the next one there is."""
        found, now = self._scopes(), self.findings.scope
        names = [scope.name for scope in found]
        at = names.index(now.name) + 1 if now and now.name in names else 0
        self._begin(found[at % len(found)])

    @on(FindingsPane.Failed)
    def _failed(self, event: FindingsPane.Failed) -> None:
        event.stop()
        self._say(event.problem)

    # the finding under the cursor

    @property
    def _finding(self) -> Finding | None:
        return self.findings.list.current

    @on(FindingsPane.Selected)
    def _select(self, event: FindingsPane.Selected) -> None:
        event.stop()
        self._show()
        self.refresh_bindings()

    def _show(self) -> None:
        """Show the finding, and work out its repairs."""
        finding, workspace = self._finding, self.workspace
        self._proposed = None
        self._title.left = safe(finding.key.removesuffix(".md")) if finding else Content("")
        self._title.right = Content("")
        if finding is None:
            self._proposing.cancel()
            self.view.show_notes(*self._explanation())
        else:
            self.view.show_finding(finding, None)
            self._proposing.run(lambda _: iter([(finding, propose(workspace, finding))]))

    def _show_proposals(self, proposed: Proposed) -> None:
        if proposed[0] == self._finding:
            self._proposed = proposed
            self.view.show_finding(*proposed)
            offers = bool(proposed[1]) and not self.workspace.settings.read_only
            self._title.right = Content("r repairs it, and asks first" if offers else "")

    def _not_proposed(self, problem: Problem | None) -> None:
        finding = self._finding
        if problem is not None and finding is not None:
            self.view.show_problem(finding, problem)

    def _explanation(self) -> Iterable[TextLine]:
        """Why there is no finding."""
        name = self.findings.scope.name if self.findings.scope else ""
        if not self.findings.is_begun:
            yield TextLine("Nothing was checked yet.", "strong")
            yield TextLine("A check reads every object once, and each is a request to the bucket.")
            yield TextLine("")
            yield TextLine(f"f5 checks {name}, / chooses another part.", "dim")
        elif self.findings.is_complete:
            later = "" if self.workspace.catalog.is_far else "A change shows here by itself."
            yield TextLine("Everything is in order.", "good")
            yield TextLine(f"Looked at in {name}: metadata, paths, sizes, texts, names and aliases.")
            yield TextLine("")
            yield TextLine(f"/ checks another part, f5 checks again. {later}", "dim")
        else:
            yield TextLine("Nothing is wrong so far.", "dim")

    # repairing

    @on(RowList.Chosen, "#findings")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if Need.WRITABLE in self.met_needs():
            self.action_repair()

    def action_repair(self) -> None:
        """Offer the ways to repair it, the best one in sight."""
        finding, proposed = self._finding, self._proposed
        if finding is not None and not self._repairing.busy:
            known = proposed[1] if proposed and proposed[0] == finding else None
            dialog = RepairDialog(self.workspace, finding, known)
            self.app.push_screen(dialog, lambda proposal: self._repair(finding, proposal))

    def _repair(self, finding: Finding, proposal: Proposal | None) -> None:
        if proposal is not None:
            workspace, log = self.workspace, self.curator.log
            self._repairing.run(lambda _: iter([(finding, apply(workspace, log, proposal))]))

    def action_undo(self) -> None:
        """Ask, then take back the latest change."""
        changes = self.curator.log.changes
        if changes:
            sentences = (changes[-1].title, "Nothing happens if anybody changed it since.")
            dialog = AskDialog("Take back", sentences, "Take it back")
            self.app.push_screen(dialog, lambda sure: self._undo(sure, changes[-1]))

    def _undo(self, is_sure: bool | None, change: Change) -> None:
        if is_sure:
            log = self.curator.log
            self._repairing.run(lambda _: iter([(None, log.undo(change))]))

    def _repaired(self, outcome: Outcome) -> None:
        """Show what became of a repair, or of taking one back."""
        finding, result = outcome
        match result:
            case Done(change):
                self.status.clear()
                self.findings.drop(finding, frozenset(moved.key for moved in change.moves if moved.after is None))
                self._touch(change)
                self.notify(f"{change.title}. u takes it back.", title="Repaired" if finding else "Taken back")
            case Removed(path):
                self.status.clear()
                self.findings.drop(finding)
                self.notify(str(path), title="Removed")
            case Stopped(_, problem, part):
                self.status.show_problem(problem, "A part of it was made: u takes that back." if part else "")
                self._touch(part)
                self._show()
        self.refresh_bindings()

    def _touch(self, change: Change | None) -> None:
        if change is not None:
            self.post_message(self.Touched(frozenset(moved.key for moved in change.moves)))

    # the rest

    def _say(self, problem: Problem | None) -> None:
        if problem is not None:
            self.status.show_problem(problem, "f5 tries again")

    def met_needs(self) -> set[Need]:
        """What the findings and the store allow."""
        tests = {
            Need.FINDING: self._finding is not None,
            Need.FILE: self._file is not None,
            Need.READABLE: self._finding is None or self._finding.kind not in _UNREADABLE,
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.UNDO: bool(self.curator.log.changes),
        }
        return super().met_needs() | {need for need, is_met in tests.items() if is_met}

    @property
    def _file(self) -> str | None:
        """The memory file that the finding is about, if it is about one."""
        finding = self._finding
        is_file = finding is not None and finding.version is not None and is_valid_path(finding.key)
        return finding.key if finding is not None and is_file else None

    def action_open_file(self) -> None:
        """Go to the object in Browse."""
        if self._finding is not None:
            self.post_message(self.OpenInBrowse(self._finding.key))

    def action_edit(self) -> None:
        """Go to the file in Edit."""
        if self._file is not None:
            self.post_message(self.OpenInEdit(self._file))

    def action_copy(self) -> None:
        """Copy the finding as `wenchang check --json` prints it."""
        finding = self._finding
        if finding is not None:
            names = ("kind", "severity", "key", "detail", "breaks", "repair")
            copy_text(self.app, "Finding", json.dumps({name: getattr(finding, name) for name in names}, indent=2))

    def action_step_back(self) -> None:
        """Stop what is under way; otherwise take a problem away, and go back to the list."""
        if self.findings.stop():
            return
        if self.zoom != "normal":
            self.zoom = "normal"
        else:
            self.status.clear()
            self.set_focus(self.findings.list)

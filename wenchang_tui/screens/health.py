"""Health: will anything break? A check of the store that shows what it finds as it goes, and repairs what can be."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang.paths import is_valid_path
from wenchang_tui.model.checking import Scope, entity_prefix, scopes
from wenchang_tui.model.curation_log import Change, Done, Stopped
from wenchang_tui.model.findings import Finding
from wenchang_tui.model.health import Checkup
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.repairs import Proposal, Removed, apply, propose
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.repair import RepairDialog
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.finding_list import FindingList, count_by_severity, finding_key
from wenchang_tui.widgets.finding_view import FindingView
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.text_lines import TextLine

_TICK_S = 0.1
_SHARE = 20
"""While a check goes on, a list is ordered anew once it has grown by this part of itself."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """All that is wrong below some prefixes now."""

    prefixes: tuple[str, ...]
    findings: tuple[Finding, ...]


class HealthScreen(Frame):
    """The findings, and below them the one under the cursor with its repair."""

    PLACE = Where.HEALTH
    NAME = "health"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.HEALTH)]
    DEFAULT_CSS = """
    HealthScreen {
        & #body { height: 1fr; }
        & #found { height: auto; max-height: 44vh; }
        & #findings { max-height: 40vh; }
        & FindingView { height: 1fr; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.list = FindingList()
        self.view = FindingView(id="finding")
        self.status = StatusLine()
        self.scope: Scope | None = None
        self._title = PaneTitle("findings")
        self._detail_title = PaneTitle("finding")
        self._found: dict[str, Finding] = {}
        self._checkup: Checkup | None = None
        self._ended = ""
        self._is_listed = True
        self._came_with = ""
        self._stale: set[str] = set()
        self._proposed: tuple[str, tuple[Proposal, ...]] | None = None
        self._checking = Lane[Finding](self, self._receive, self._end_check)
        self._rechecking = Lane[Rechecked](self, self._take_in, self._end_recheck)
        self._proposing = Lane[tuple[str, tuple[Proposal, ...]]](self, self._show_proposals, self._not_proposed)
        self._repairing = Lane[tuple[Finding | None, Done | Stopped | Removed]](
            self, self._repaired, self.status_problem
        )
        self._title.track(self._checking, "checking")
        self._title.track(self._rechecking, "looking again")
        self._detail_title.track(self._repairing, "repairing")

    def body(self) -> Iterable[Widget]:
        """Findings and finding."""
        found = Vertical(self._title, self.list, id="found")
        yield Vertical(found, Vertical(self._detail_title, self.view), self.status, id="body")

    def on_mount(self) -> None:
        """Begin, unless every body costs a request."""
        self.set_focus(self.list)
        self._ticker = self.set_interval(_TICK_S, self._tick, pause=True)
        self._came_with, self.scope = self.selected, self._scopes()[0]
        if self.workspace.catalog.is_far:
            self._wait()
        else:
            self.action_check()

    def on_screen_resume(self) -> None:
        """Catch up with what changed while nobody looked."""
        if self._checkup is None and self.scope is not None and self.selected != self._came_with:
            self._came_with, self.scope = self.selected, self._scopes()[0]
            self._wait()
        self._recheck()

    # the check

    def _scopes(self) -> tuple[Scope, ...]:
        found = scopes(self.identity, self.selected)
        return found[::-1] if self.workspace.catalog.is_far else found

    def action_check(self) -> None:
        """From the beginning."""
        scope = self.scope or self._scopes()[0]
        self._rechecking.cancel()
        self._found.clear()
        self._stale.clear()
        self._ended = ""
        checkup = self._checkup = Checkup(self.workspace, scope.prefixes)
        self.status.clear()
        self._checking.run(checkup.findings)
        self._is_listed = False
        self._ticker.resume()
        self._tick()

    def action_scope(self) -> None:
        """Another part of the store, the next one there is."""
        found = self._scopes()
        names = [scope.name for scope in found]
        at = names.index(self.scope.name) + 1 if self.scope and self.scope.name in names else 0
        self.scope = found[at % len(found)]
        if self.workspace.catalog.is_far:
            self._wait()
        else:
            self.action_check()

    def _wait(self) -> None:
        """Show what would be checked, for somebody to say so."""
        self._checking.cancel()
        self._ticker.pause()
        self._checkup = None
        self._found.clear()
        self.list.empty = "not checked yet"
        self.list.show([])
        self._title.left, self._title.right = Content("findings"), Content("")
        self.view.show_notes(
            TextLine("Nothing was checked yet.", "strong"),
            TextLine("A check reads every object once, and each is a request to the bucket."),
            TextLine(""),
            TextLine(f"f5 checks {self.scope.name if self.scope else ''}, s chooses another part.", "dim"),
        )

    def _receive(self, finding: Finding) -> None:
        self._found[finding_key(finding)] = finding
        self._is_listed = False

    def _end_check(self, problem: Problem | None) -> None:
        self._finish("checked" if problem is None else "could not go on after")
        self.status_problem(problem)
        self._recheck()

    def _finish(self, ended: str) -> None:
        self._ended = ended
        self._ticker.pause()
        self._is_listed = False
        self._tick()

    def _tick(self) -> None:
        """Show what came since the last time; of very many findings, not every single one at once."""
        came = len(self._found) - len(self.list.rows)
        if not self._is_listed and (came > len(self.list.rows) // _SHARE or not self._checking.busy):
            self._is_listed = True
            self.list.show(self._found.values())
            self._show_current()
        self._report()

    def _report(self) -> None:
        checkup, scope = self._checkup, self.scope
        if checkup is None or scope is None:
            return
        counts = count_by_severity(self._found.values())
        if self._checking.busy:
            how_far = f"listed {checkup.checked:,}, read {checkup.bodies:,}"
        else:
            how_far = f"{self._ended} {checkup.checked:,} object{'' if checkup.checked == 1 else 's'}"
        is_outdated = self._stale and not self._checking.busy and self.workspace.catalog.is_far
        self.list.empty = "nothing found so far" if self._checking.busy else "nothing to repair"
        self._title.left = Content.assemble(f"{counts or 'nothing found'} in ", safe(scope.name))
        self._title.right = Content(f"{how_far}, changed since" if is_outdated else how_far)

    # changes of the store

    def store_changed(self, keys: frozenset[str]) -> None:
        """Look again at the entities that changed; far away, only say so."""
        if self._checkup is not None and self.scope is not None:
            changed = {entity_prefix(key) for key in keys if self.scope.covers(key)}
            self._stale |= changed
            if self.is_mounted and changed:
                self._recheck()
                self._report()

    def _recheck(self) -> None:
        """Look again at what changed, when nothing else is under way and somebody is looking."""
        is_idle = self.is_current and not self._checking.busy and not self._rechecking.busy
        if not self._stale or not is_idle or self.workspace.catalog.is_far:
            return
        prefixes, workspace = tuple(sorted(self._stale)), self.workspace
        self._stale.clear()

        def work(is_cancelled: IsCancelled) -> Iterator[Rechecked]:
            yield Rechecked(prefixes, tuple(Checkup(workspace, prefixes).findings(is_cancelled)))

        self._rechecking.run(work)

    def _take_in(self, rechecked: Rechecked) -> None:
        kept = {key: found for key, found in self._found.items() if not found.key.startswith(rechecked.prefixes)}
        self._found = kept | {finding_key(finding): finding for finding in rechecked.findings}
        self._is_listed = False
        self._tick()

    def _end_recheck(self, problem: Problem | None) -> None:
        self.status_problem(problem)
        self._recheck()
        self._report()

    # the finding under the cursor

    @on(RowList.Highlighted, "#findings")
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show_current()
        self.refresh_bindings()

    def _show_current(self) -> None:
        finding = self.list.current
        if finding is None:
            self._proposing.cancel()
            self._proposed = None
            self._detail_title.left = Content("")
            self._explain_nothing()
            return
        self._detail_title.left = safe(finding.key.removesuffix(".md"))
        self._proposed = None
        self.view.show_finding(finding, None)
        workspace, key = self.workspace, finding_key(finding)
        self._proposing.run(lambda _: iter([(key, propose(workspace, finding))]))

    def _show_proposals(self, proposed: tuple[str, tuple[Proposal, ...]]) -> None:
        finding = self.list.current
        if finding is not None and finding_key(finding) == proposed[0]:
            self._proposed = proposed
            self.view.show_finding(finding, proposed[1])

    def _not_proposed(self, problem: Problem | None) -> None:
        finding = self.list.current
        if problem is not None and finding is not None:
            self.view.show_problem(finding, problem)

    def _explain_nothing(self) -> None:
        checkup, scope = self._checkup, self.scope
        if checkup is None or scope is None:
            return
        if self._checking.busy:
            self.view.show_notes(TextLine("Nothing is wrong so far.", "dim"))
        elif self._ended == "checked":
            later = "" if self.workspace.catalog.is_far else "A change shows here by itself."
            self.view.show_notes(
                TextLine("Everything is in order.", "good"),
                TextLine(f"Looked at in {scope.name}: metadata, paths, sizes, texts, names and aliases."),
                TextLine(""),
                TextLine(f"s checks another part, f5 checks again. {later}", "dim"),
            )

    # repairing

    @on(RowList.Chosen, "#findings")
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if Need.WRITABLE in self.met_needs():
            self.action_repair()

    def action_repair(self) -> None:
        """Offer the ways to repair it, the best one in sight."""
        finding = self.list.current
        if finding is not None and not self._repairing.busy:
            known = self._proposed[1] if self._proposed and self._proposed[0] == finding_key(finding) else None
            dialog = RepairDialog(self.workspace, finding, known)
            self.app.push_screen(dialog, lambda proposal: self._repair(finding, proposal))

    def _repair(self, finding: Finding, proposal: Proposal | None) -> None:
        if proposal is not None:
            workspace, log = self.workspace, self.curator.log
            self._repairing.run(lambda _: iter([(finding, apply(workspace, log, proposal))]))

    def _repaired(self, outcome: tuple[Finding | None, Done | Stopped | Removed]) -> None:
        finding, result = outcome
        match result:
            case Done(change):
                self._changed(finding, change)
                self.status.clear()
                self.notify(f"{change.title}. u takes it back.", title="Repaired" if finding else "Taken back")
            case Removed(path):
                self._drop({finding_key(finding)} if finding else set())
                self.status.clear()
                self.notify(str(path), title="Removed")
            case Stopped(_, problem, change):
                self._stopped(problem, change)
        self.refresh_bindings()

    def _changed(self, finding: Finding | None, change: Change) -> None:
        keys = frozenset(moved.key for moved in change.moves)
        gone = {moved.key for moved in change.moves if moved.after is None}
        closed = {key for key, found in self._found.items() if found.key in gone}
        self._drop(closed | ({finding_key(finding)} if finding else set()))
        self.post_message(self.Touched(keys))

    def _drop(self, keys: set[str]) -> None:
        """These are settled; the cursor comes to stand on the next."""
        self._found = {key: found for key, found in self._found.items() if key not in keys}
        self._is_listed = False
        self._tick()

    def _stopped(self, problem: Problem, change: Change | None) -> None:
        made = " A part of it was made: u takes that back." if change else ""
        self.status.show_problem(problem, made.strip())
        if change is not None:
            self.post_message(self.Touched(frozenset(moved.key for moved in change.moves)))
        self._show_current()

    def action_undo(self) -> None:
        """Ask, then take back the latest change."""
        changes = self.curator.log.changes
        if changes:
            sentences = (changes[-1].title, "Nothing happens if anybody changed it since.")
            self.app.push_screen(
                AskDialog("Take back", sentences, "Take it back"), lambda sure: self._undo(sure, changes[-1])
            )

    def _undo(self, is_sure: bool | None, change: Change) -> None:
        if is_sure:
            log = self.curator.log
            self._repairing.run(lambda _: iter([(None, log.undo(change))]))

    # the rest

    def status_problem(self, problem: Problem | None) -> None:
        """Show what went wrong."""
        if problem is not None:
            self.status.show_problem(problem, "f5 tries again")

    def met_needs(self) -> set[Need]:
        """What the findings and the store allow."""
        tests = {
            Need.FINDING: self.list.current is not None,
            Need.FILE: self._file is not None,
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.UNDO: bool(self.curator.log.changes),
        }
        return super().met_needs() | {need for need, is_met in tests.items() if is_met}

    def action_open_file(self) -> None:
        """Go to the object in Browse."""
        finding = self.list.current
        if finding is not None:
            self.post_message(self.OpenInBrowse(finding.key))

    @property
    def _file(self) -> str | None:
        """The memory file that the finding is about, if it is about one."""
        finding = self.list.current
        is_file = finding is not None and finding.version is not None and is_valid_path(finding.key)
        return finding.key if finding is not None and is_file else None

    def action_edit(self) -> None:
        """Go to the file in Edit."""
        if self._file is not None:
            self.post_message(self.OpenInEdit(self._file))

    def action_copy(self) -> None:
        """Copy the finding as `wenchang check --json` prints it."""
        finding = self.list.current
        if finding is not None:
            names = ("kind", "severity", "key", "detail", "breaks", "repair")
            copy_text(self.app, "Finding", json.dumps({name: getattr(finding, name) for name in names}, indent=2))

    def action_step_back(self) -> None:
        """Stop what is under way, or go back to the list, or take a problem away."""
        if self._checking.cancel():
            self._finish("stopped after")
        elif not self._rechecking.cancel():
            self.status.clear()
            self.set_focus(self.list)

"""A health check as it goes: how far it is, what it found so far, and what became of that when the store changed since.

A store that is near is looked at again by itself where it changed; of one far away, where every body is a request,
nothing is read unasked.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from wenchang_tui.model.checking import Scope, entity_prefix
from wenchang_tui.model.findings import Finding
from wenchang_tui.model.health import Checkup
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.finding_list import FindingList, count_by_severity, finding_key
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe

_TICK_S = 0.1
_SHARE = 20
"""While a check goes on, a list is ordered anew once it has grown by this part of itself."""


@dataclass(frozen=True, slots=True)
class Rechecked:
    """All that is wrong below some prefixes now."""

    prefixes: tuple[str, ...]
    findings: tuple[Finding, ...]


class FindingsPane(Vertical):
    """A title that counts, and the findings. Nothing is checked before `check` is called."""

    DEFAULT_CSS = """
    FindingsPane {
        height: auto;
        max-height: 44vh;
        & #findings { max-height: 40vh; }
    }
    """

    @dataclass
    class Selected(Message):
        """Another finding is under the cursor, or none is and that has another reason now."""

        finding: Finding | None

    @dataclass
    class Failed(Message):
        """A check could not go on."""

        problem: Problem

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._found: dict[str, Finding] = {}
        self._checkup: Checkup | None = None
        self._ended = ""
        self._is_listed = True
        self._stale: set[str] = set()
        self._said: object = None
        self._checking = Lane[Finding](self, self._receive, self._end_check)
        self._rechecking = Lane[Rechecked](self, self._take_in, self._end_recheck)
        self.scope: Scope | None = None
        self.list = FindingList()
        self.title = PaneTitle("findings")
        self.title.track(self._checking, "checking")
        self.title.track(self._rechecking, "looking again")

    def compose(self) -> ComposeResult:
        """Title and findings."""
        yield self.title
        yield self.list

    def on_mount(self) -> None:
        """What comes is shown ten times a second."""
        self._ticker = self.set_interval(_TICK_S, self._tick, pause=True)

    # what the screen asks for

    @property
    def is_busy(self) -> bool:
        """Whether a check is under way."""
        return self._checking.busy

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be checked was."""
        return self._ended == "checked"

    @property
    def is_begun(self) -> bool:
        """Whether anything was checked at all."""
        return self._checkup is not None

    def check(self, scope: Scope) -> None:
        """Check a part of the store from its beginning."""
        self._forget()
        self.scope = scope
        checkup = self._checkup = Checkup(self._workspace, scope.prefixes)
        self._checking.run(checkup.findings)
        self._is_listed = False
        self._ticker.resume()
        self._tick()

    def wait(self, scope: Scope) -> None:
        """Show that nothing is checked until somebody says so."""
        self._forget()
        self.scope = scope
        self.list.empty = "not checked yet"
        self.list.show([])
        self.title.left, self.title.right = Content("findings"), Content("")
        self._announce()

    def stop(self) -> bool:
        """End a check; whether one was under way. What was found stays."""
        was_busy = self._checking.cancel()
        if was_busy:
            self._finish("stopped after")
        return was_busy

    def drop(self, finding: Finding | None, gone: frozenset[str] = frozenset()) -> None:
        """A finding is settled, and so is all about objects that are gone; the cursor comes to stand on the next."""
        settled = None if finding is None else finding_key(finding)
        kept = {key: found for key, found in self._found.items() if key != settled and found.key not in gone}
        self._found, self._is_listed = kept, False
        self._tick()

    def _forget(self) -> None:
        self._checking.cancel()
        self._rechecking.cancel()
        self._ticker.pause()
        self._checkup, self._ended = None, ""
        self._found = {}
        self._stale.clear()

    # the check

    def _receive(self, finding: Finding) -> None:
        self._found[finding_key(finding)] = finding
        self._is_listed = False

    def _end_check(self, problem: Problem | None) -> None:
        self._finish("checked" if problem is None else "could not go on after")
        if problem is not None:
            self.post_message(self.Failed(problem))
        self.recheck()

    def _finish(self, ended: str) -> None:
        self._ended = ended
        self._ticker.pause()
        self._is_listed = False
        self._tick()

    def _tick(self) -> None:
        """Show what came since the last time; of very many findings, not every single one at once."""
        came = len(self._found) - len(self.list.rows)
        if not self._is_listed and (came > len(self.list.rows) // _SHARE or not self.is_busy):
            self._is_listed = True
            self.list.show(self._found.values())
        self._report()
        self._announce()

    def _report(self) -> None:
        checkup, scope = self._checkup, self.scope
        if checkup is None or scope is None:
            return
        if self.is_busy:
            how_far = f"listed {checkup.checked:,}, read {checkup.bodies:,}"
        else:
            how_far = f"{self._ended} {checkup.checked:,} object{'' if checkup.checked == 1 else 's'}"
        is_outdated = self._stale and not self.is_busy and self._workspace.catalog.is_far
        self.list.empty = "nothing found so far" if self.is_busy else "nothing to repair"
        self.title.left = Content.assemble(
            f"{count_by_severity(self._found.values()) or 'nothing found'} in ", safe(scope.name)
        )
        self.title.right = Content(f"{how_far}, changed since" if is_outdated else how_far)

    @on(RowList.Highlighted)
    def _select(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._announce()

    def _announce(self) -> None:
        """Say which finding is under the cursor; of none, also when there is another reason for it."""
        finding = self.list.current
        said = (finding, None if finding else (self.scope, self.is_busy, self._ended))
        if said != self._said:
            self._said = said
            self.post_message(self.Selected(finding))

    # changes of the store

    def store_changed(self, keys: frozenset[str]) -> None:
        """Look again at the entities that changed, or at least say so."""
        if self._checkup is None or self.scope is None:
            return
        changed = {entity_prefix(key) for key in keys if self.scope.covers(key)}
        self._stale |= changed
        if changed:
            self.recheck()
            self._report()

    def recheck(self) -> None:
        """Look again at what changed, when nothing else is under way and somebody is looking."""
        is_idle = self.screen.is_current and not self.is_busy and not self._rechecking.busy
        if not self._stale or not is_idle or self._workspace.catalog.is_far:
            return
        prefixes, workspace = tuple(sorted(self._stale)), self._workspace
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
        if problem is not None:
            self.post_message(self.Failed(problem))
        self.recheck()
        self._report()

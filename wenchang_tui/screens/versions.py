"""The versions of one file, where the storage keeps former ones: what each was, what changed since, the way back."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from wenchang.storage import ObjectVersion
from wenchang_tui.agent.diffing import FileDiff, Mark, diff_files, diff_stored
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.curation_log import Done, Stopped
from wenchang_tui.model.editing import Curator
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.versions import FormerVersions, memory_file
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.bars import KeyHints, PaneTitle, SizeGuard
from wenchang_tui.widgets.commands import Need, Where, bindings, by_action, unmet
from wenchang_tui.widgets.diff_view import DiffText, count, diff_lines
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.text_lines import TextLine

_COLUMNS = (
    Column("written", "written (UTC)", 19, sortable=False),
    Column("size", "bytes", 8, right=True, sortable=False),
    Column("version", "version", 16, rank=2, sortable=False),
    Column("what", "", sortable=False),
)
_MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Compared:
    """A version beside the one of now; either may be gone by the time it is read."""

    version: ObjectVersion
    past: OpenFile | None
    present: OpenFile | None


class VersionsDialog(Dialog[None]):
    """The versions of the file at `key`, newest first. Posts `Frame.Touched` for what was put back."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.VERSIONS, Where.DIALOG)]
    DEFAULT_CSS = """
    VersionsDialog {
        align: center middle;
        & > #box {
            width: 112;
            max-width: 100%;
            height: 90%;
            border: round $primary;
            border-title-color: $primary;
            background: $surface;
        }
        & DiffText { height: 1fr; }
    }
    """

    def __init__(self, history: FormerVersions, curator: Curator, key: str) -> None:
        super().__init__()
        self._history = history
        self._curator = curator
        self._key = key
        self._compared: Compared | None = None
        self.list = RowList[ObjectVersion](_COLUMNS, lambda row: row.version, _draw, empty="reading…", marks=False)
        self.title_line = PaneTitle("since then")
        self.text = DiffText()
        self.status = StatusLine()
        self._listing = Lane[Sequence[ObjectVersion]](self, self._fill, self._say)
        self._comparing = Lane[Compared](self, self._show, self._say)
        self._restoring = Lane[Done | Stopped](self, self._restored, self._say)
        self.title_line.track(self._comparing, "reading")
        self.title_line.track(self._restoring, "putting back")

    def compose(self) -> ComposeResult:
        """The versions, and below them what changed since the one under the cursor."""
        with Vertical(id="box") as box:
            box.border_title = Content("Versions of ") + safe(self._key.removesuffix(".md"))
            yield self.list
            yield Vertical(self.title_line, self.text)
            yield self.status
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Begin with the newest."""
        self.list.styles.height = 2
        self.set_focus(self.list)
        self._read()

    def _read(self) -> None:
        self._listing.run(lambda _: iter([self._history.versions(self._key)]))

    def _fill(self, versions: Sequence[ObjectVersion]) -> None:
        self.list.empty = "nothing is kept of this file"
        self.list.set_rows(versions)
        self.list.styles.height = 1 + min(_MOST_ROWS, max(1, len(versions)))
        self._compare()

    # the version under the cursor

    @on(RowList.Highlighted)
    def _look(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._compare()

    def _compare(self) -> None:
        version = self.list.current
        self._compared = None
        self.refresh_bindings()
        if version is None:
            return
        newest, history, key = self.list.rows[0], self._history, self._key

        def work(_: IsCancelled) -> Iterator[Compared]:
            past = history.open(key, version.version) if version.readable else None
            present = history.open(key, newest.version) if newest.replaced is None else None
            yield Compared(version, past, present)

        self._comparing.run(work)

    def _show(self, compared: Compared) -> None:
        self._compared = compared
        self.refresh_bindings()
        past = compared.past
        self.title_line.right = Content("")
        if past is None:
            why = "It is no longer kept." if compared.version.readable else "It can be read once it is undeleted."
            self.text.show([TextLine(why, "warn")])
        elif compared.version.replaced is None:
            self.title_line.left = Content("as it is now")
            self.text.show([TextLine(line) for line in past.shown_text.split("\n")])
        else:
            diff = _compare(past, compared.present)
            gone = "" if compared.present else ", when it was deleted"
            self.title_line.left = safe(f"from {moment(compared.version.written)} to now{gone}")
            self.title_line.right = Content(count(diff))
            is_same = not any(line.mark in (Mark.ADDED, Mark.REMOVED) for line in diff.lines)
            self.text.show([TextLine("The same as now.", "dim")] if is_same else list(diff_lines(diff)))

    # putting one back

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Only a former version that is in sight can be put back."""
        command = by_action(action, Where.VERSIONS)
        compared = self._compared
        is_past = compared is not None and compared.past is not None and compared.version.replaced is not None
        met = {Need.PAST} if is_past and not self._restoring.busy else set()
        return None if command is not None and unmet(command, met) else True

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.check_action("restore", ()):
            self.action_restore()

    def action_restore(self) -> None:
        """Ask, then put it back over exactly the version that it was compared with."""
        compared, objection = self._compared, self._curator.objection(self._key)
        if objection is not None:
            self.status.show_problem(objection)
        elif compared is not None:
            sentences = (
                f"The file becomes what it was at {moment(compared.version.written)} UTC: text, description, aliases.",
                "What it holds now stays a former version. Nothing happens if anybody changes it meanwhile.",
            )
            self.app.push_screen(AskDialog("Put back", sentences, "Put it back"), self._answer(compared))

    def _answer(self, compared: Compared) -> Callable[[bool | None], None]:
        def answer(is_sure: bool | None) -> None:
            past = compared.past
            if is_sure and past is not None:
                log = self._curator.log
                self._restoring.run(lambda _: iter([self._history.restore(past, compared.present, log)]))

        return answer

    def _restored(self, outcome: Done | Stopped) -> None:
        match outcome:
            case Done(change):
                self.status.clear()
                self.notify(change.title, title="Put back")
                self.post_message(Frame.Touched(frozenset({self._key})))
            case Stopped(_, problem):
                self.status.show_problem(problem)
        self._read()

    def _say(self, problem: Problem | None) -> None:
        if problem is not None:
            self.status.show_problem(problem)

    def action_close(self) -> None:
        """Back to the file."""
        self.dismiss()


def _compare(past: OpenFile, present: OpenFile | None) -> FileDiff:
    """What became of a version until now, also where one of the two cannot be read as a memory file."""
    before, after = memory_file(past), memory_file(present) if present else None
    if before is not None and (after is not None or present is None):
        return diff_files(before, after)
    now = None if present is None else (present.shown_text, present.stored)
    return diff_stored((past.shown_text, past.stored), now)


def _draw(version: ObjectVersion) -> Look:
    what = "now" if version.replaced is None else f"until {moment(version.replaced)}"
    cells = {
        "written": Cell(moment(version.written), "strong"),
        "size": Cell("" if version.size is None else f"{version.size:,}"),
        "version": Cell(version.version, "dim"),
        "what": Cell(what if version.readable else "kept for an undelete", "good" if what == "now" else "dim"),
    }
    return Look(cells)

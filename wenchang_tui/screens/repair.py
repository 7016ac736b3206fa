"""The ways to repair a finding: each with what it would change, before and after, and first of all the way out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from wenchang_tui.model.findings import Finding, Kind
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.repairs import Proposal, propose, propose_describing, propose_moving
from wenchang_tui.model.suggestions import suggested_key
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_dialogs import NameDialog
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.typed_dialog import TypedDialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.diff_view import DiffText
from wenchang_tui.widgets.finding_list import kind_name
from wenchang_tui.widgets.finding_view import proposal_lines
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.text_lines import TextLine

_MOST_ROWS = 6


class Form(Enum):
    """A repair that takes a text of a person's; the value is the row that asks for it."""

    MOVE = "Move it somewhere else…"
    DESCRIBE = "Write a description…"


_FORMS = {
    Kind.NOT_A_PATH: Form.MOVE,
    Kind.UNREACHABLE: Form.MOVE,
    Kind.SAME_LOOKING: Form.MOVE,
    Kind.VAGUE_DESCRIPTION: Form.DESCRIBE,
}


@dataclass(frozen=True, slots=True)
class Way:
    """One answer: a repair, a form for one, or with neither, to cancel."""

    label: str
    proposal: Proposal | None = None
    form: Form | None = None


_CANCEL = Way("Cancel")


class RepairDialog(Dialog[Proposal | None]):
    """Results in the repair that was accepted. `known` are the repairs, where they were worked out before."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.REPAIR, Where.DIALOG)]
    DEFAULT_CSS = """
    RepairDialog {
        align: center middle;
        & > #box {
            width: 104;
            max-width: 100%;
            height: auto;
            max-height: 92%;
            border: round $primary;
            border-title-color: $primary;
            background: $surface;
        }
        & DiffText { height: auto; max-height: 24; margin: 0 1; }
        & RowList { background: $surface; border-top: solid $panel-lighten-1; }
    }
    RepairDialog.-low DiffText { max-height: 8; }
    """

    def __init__(self, workspace: Workspace, finding: Finding, known: Sequence[Proposal] | None) -> None:
        super().__init__()
        self._workspace = workspace
        self._finding = finding
        self._known = known
        self.preview = DiffText()
        self.ways = RowList[Way]((Column("what", ""),), lambda way: way.label, _draw, header=False, marks=False)
        self._proposing = Lane[tuple[Proposal, ...]](self, self._offer, self._say)
        self._forming = Lane[Proposal | None](self, self._add, self._say)

    def compose(self) -> ComposeResult:
        """What would change, and the answers."""
        with Vertical(id="box") as box:
            box.border_title = f"Repair: {kind_name(self._finding)}"
            yield self.preview
            yield self.ways
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The cursor is on the way out."""
        self.set_focus(self.ways)
        self._fill([_CANCEL])
        if self._known is not None:
            self._offer(tuple(self._known))
        else:
            self.preview.show([TextLine("working out the repair…", "dim")])
            self._proposing.run(lambda _: iter([propose(self._workspace, self._finding)]))

    def _offer(self, proposals: tuple[Proposal, ...]) -> None:
        form = _FORMS.get(self._finding.kind)
        ways = [Way(proposal.title, proposal) for proposal in proposals]
        if form is not None and proposals:
            ways.insert(len(ways) - 1, Way(form.value, form=form))
        self._fill([_CANCEL, *ways])
        self._preview()

    def _fill(self, ways: Sequence[Way]) -> None:
        self.ways.set_rows(ways)
        self.ways.styles.height = min(_MOST_ROWS, len(ways)) + 1

    def _say(self, problem: Problem | None) -> None:
        if problem is not None:
            text = f"{problem.title}: {problem.sentence} {problem.next_step}"
            self.preview.show([TextLine(text, "bad", "! ", "bad")])

    # what is in sight

    @property
    def shown(self) -> Way:
        """The way under the cursor; on the way out, the best one."""
        current = self.ways.current or _CANCEL
        others = [way for way in self.ways.rows if way is not _CANCEL]
        return others[0] if current is _CANCEL and others else current

    @on(RowList.Highlighted)
    def _look(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._preview()

    def _preview(self) -> None:
        if self._proposing.busy or self._forming.busy:
            return
        way = self.shown
        if way.proposal is not None:
            self.preview.show([TextLine(self._finding.detail, "dim"), *proposal_lines(way.proposal)])
        elif way.form is not None:
            self.preview.show([TextLine(self._finding.key, "dim"), TextLine(self._finding.detail)])
        else:
            self.preview.show(
                [
                    TextLine("It takes a person to judge what to do here:", "strong"),
                    TextLine(self._finding.detail),
                    TextLine(self._finding.repair),
                ]
            )

    # answers

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Only what is in sight can be accepted."""
        return None if action == "accept" and self.shown is _CANCEL else True

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        current = self.ways.current
        if current is None or current is _CANCEL:
            self.dismiss(None)
        else:
            self._take(current)

    def action_accept(self) -> None:
        """Make the repair in sight."""
        self._take(self.shown)

    def _take(self, way: Way) -> None:
        proposal = way.proposal
        if way.form is not None:
            self._ask(way.form)
        elif proposal is not None and proposal.deletes:
            dialog = TypedDialog("Delete", [*proposal_lines(proposal)], _name(proposal))
            self.app.push_screen(dialog, lambda sure: self._delete(proposal, sure))
        elif proposal is not None:
            self.dismiss(proposal)

    def _delete(self, proposal: Proposal, is_sure: bool | None) -> None:
        if is_sure:
            self.dismiss(proposal)

    def action_close(self) -> None:
        """Change nothing."""
        self.dismiss(None)

    # forms

    def _ask(self, form: Form) -> None:
        key = self._finding.key
        if form is Form.MOVE:
            suggestion = (suggested_key(key) or key).removesuffix(".md")
            note = "SCOPE/ENTITY/AREA/NAME, as agents name it. Nothing is replaced there."
            dialog = NameDialog("Move it to", suggestion, note)
        else:
            note = "One line that says what is in the file, so that agents find it by what they look for."
            dialog = NameDialog("Describe the file", "", note)
        self.app.push_screen(dialog, lambda text: self._form(form, text))

    def _form(self, form: Form, text: str | None) -> None:
        if not text:
            return
        workspace, key = self._workspace, self._finding.key

        def work(_: IsCancelled) -> Iterator[Proposal | None]:
            if form is Form.DESCRIBE:
                yield propose_describing(workspace, key, text)
            else:
                yield _moving(workspace, key, text)

        self._forming.run(work)

    def _add(self, proposal: Proposal | None) -> None:
        """The repair with the text that was given, in sight."""
        if proposal is None:
            self._say(Problem("Gone", "The file no longer exists.", "Check again."))
            return
        way = Way(proposal.title, proposal)
        self._forming.cancel()
        self._fill(
            [_CANCEL, way, *(other for other in self.ways.rows if other.label not in (_CANCEL.label, way.label))]
        )
        self.ways.move_to_key(way.label)
        self._preview()
        self.refresh_bindings()


def _moving(workspace: Workspace, key: str, text: str) -> Proposal | None:
    to = f"{text.removesuffix('.md')}.md"
    try:
        return propose_moving(workspace, key, to)
    except ValueError as error:
        problem = Problem("Not a memory path", f"{to} is not of the form SCOPE/ENTITY/AREA/NAME.", "Choose another.")
        raise OpenError(problem) from error


def _name(proposal: Proposal) -> str:
    """What has to be typed before something goes: its name."""
    if proposal.removal is not None:
        return proposal.removal.path.name
    key = proposal.moves[-1].key.removesuffix(".md")
    return key.rstrip("/").rpartition("/")[2] or key


def _draw(way: Way) -> Look:
    if way is _CANCEL:
        return Look({"what": Cell(way.label, "strong")})
    tone = "bad" if way.proposal is not None and way.proposal.deletes else "warn"
    return Look({"what": Cell(way.label, "accent" if way.form else tone)})

"""Index: what does my agent see at the start, and what falls off the edge? And what if the rules were others?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from wenchang.core import CappedPrefix, MemoryStore
from wenchang.identity import Identity
from wenchang_tui.model.budget import Budget, Collected, collect_entries, payload, plan_budget
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.screens.frame import Frame, Served
from wenchang_tui.screens.payload import PayloadScreen
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.budget_bar import BudgetBar
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.index_list import CUT_KEY, IndexList
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.status_line import StatusLine
from wenchang_tui.widgets.what_if import Question, WhatIf

Edge: TypeAlias = CappedPrefix | FileRow

_EDGE_ROWS = 6
_EDGE_COLUMNS = (Column("what", ""), Column("why", ""))
_WHAT_CAPPED_MEANS = "no agent knows of these files before it lists the area"
_WHAT_STOPS_IT = "no agent gets an index until 5 repairs them"


@dataclass(frozen=True, slots=True)
class Answer:
    """The budget that a question leads to, and the entries it was planned from."""

    question: Question
    collected: Collected
    budget: Budget


class IndexScreen(Frame):
    """The budget, the entries in their order, and below them what is left out or would make the index fail."""

    PLACE = Where.INDEX
    NAME = "index"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.INDEX)]
    DEFAULT_CSS = """
    IndexScreen {
        & #body { height: 1fr; }
        & #edge-pane { height: auto; }
        & #edge { height: auto; max-height: 3; }
        &.-wide #edge { max-height: 6; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.bar = BudgetBar()
        self.what_if = WhatIf()
        self.entries = IndexList()
        self.edge = RowList[Edge](_EDGE_COLUMNS, _edge_key, _draw_edge, header=False, marks=False, id="edge")
        self.status = StatusLine()
        self.answer: Answer | None = None
        self._title = PaneTitle("index")
        self._edge_title = PaneTitle()
        self._edge_pane = Vertical(self._edge_title, self.edge, id="edge-pane")
        self._planning = Lane[Answer](self, self._receive, self._end)
        self._paying = Lane[str](self, self._show_payload, self._end)
        self._title.track(self._planning, "collecting")
        self._title.track(self._paying, "rendering the payload")

    def body(self) -> Iterable[Widget]:
        """Bar, fields, entries, edge."""
        self._edge_pane.display = False
        yield Vertical(self.bar, self.what_if, self._title, self.entries, self._edge_pane, self.status, id="body")

    def on_mount(self) -> None:
        """The cursor starts on the entries."""
        self.set_focus(self.entries)
        self.call_later(self._fill)

    # what is served, and what if

    def show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        """Say who is served, or how to name somebody."""
        super().show_identity(identity, problem)
        if self.is_mounted:
            self._fill()

    def show_served(self, served: Served) -> None:
        """Take what the served identity gets; a what-if is asked again."""
        super().show_served(served)
        if self.is_mounted:
            self._fill()

    def _fill(self) -> None:
        settings = self.workspace.settings
        scope_map = self.served.scope_map if self.served else {}
        question = Question(settings.index_bytes, settings.priority, scope_map)
        self.what_if.fill(question)
        if self.served is None:
            self._explain_nobody()
        elif not self.what_if.is_changed:
            self._receive(Answer(question, self.served.collected, self.served.budget))
        else:
            self.answer = None
            self._ask_again()

    def _explain_nobody(self) -> None:
        if isinstance(self.identity, Ambiguous):
            found = "; ".join(f"{scope}: {', '.join(names)}" for scope, names in self.identity.entities.items())
            self.status.show_note(safe(f"Nobody is served yet. Press I and name an entity for each scope. {found}"))

    def _ask_again(self) -> None:
        try:
            self._plan(self.what_if.question())
        except ValueError as error:
            self.status.show_note(safe(str(error)))

    @on(WhatIf.Asked)
    def _asked(self, event: WhatIf.Asked) -> None:
        event.stop()
        if event.question is not None:
            self._plan(event.question)
        else:
            self.status.show_note(safe(event.error))

    @on(WhatIf.Done)
    def _to_entries(self, event: WhatIf.Done) -> None:
        event.stop()
        self.set_focus(self.entries)

    def _plan(self, question: Question) -> None:
        before, storage = self.answer, self.workspace.storage

        def work(_: IsCancelled) -> Iterator[Answer]:
            is_same = before is not None and before.question.scope_map == question.scope_map
            collected = before.collected if before and is_same else collect_entries(storage, question.scope_map)
            yield Answer(question, collected, plan_budget(collected, question.limit, question.priority))

        self._planning.run(work)

    def _receive(self, answer: Answer) -> None:
        self.answer = answer
        self.bar.show(answer.budget)
        self.entries.show(answer.budget)
        edge: list[Edge] = [*answer.budget.problems, *answer.budget.capped]
        self.edge.set_rows(edge)
        self.edge.styles.height = min(_EDGE_ROWS, len(edge))
        self._edge_pane.display = bool(edge)
        self._edge_title.left = Content("in the way" if answer.budget.problems else "left out")
        self._edge_title.right = Content(_WHAT_STOPS_IT if answer.budget.problems else _WHAT_CAPPED_MEANS)
        is_served = not self.what_if.is_changed
        self._title.right = Content("as served" if is_served else "WHAT IF: nothing is written, u shows what is served")
        self.status.clear()
        if not answer.question.scope_map:
            self._explain_nobody()
        self.refresh_bindings()

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self.status.show_problem(problem, "f5 tries again")

    # commands

    def met_needs(self) -> set[Need]:
        """What the entries and the fields allow."""
        needs = super().met_needs()
        tests = {
            Need.WHAT_IF: self.what_if.is_changed,
            Need.ROWS: bool(self.entries.rows),
            Need.ENTRY: self._wanted_file() is not None,
        }
        return needs | {need for need, is_met in tests.items() if is_met}

    def _wanted_file(self) -> str | None:
        if self.focused is self.edge:
            current = self.edge.current
            return current.key if isinstance(current, FileRow) else None
        key = self.entries.current_key
        return None if key == CUT_KEY else key

    def action_edit(self, name: str) -> None:
        """Type into a field. The focus moves at once, so that the next key goes there."""
        field = self.what_if.field(name)
        self.set_focus(field)
        field.select_all()

    def action_reset(self) -> None:
        """Show what is served."""
        self.what_if.reset()
        self.set_focus(self.entries)

    def action_step_back(self) -> None:
        """Cancel, or leave the fields."""
        if not (self._planning.cancel() or self._paying.cancel()):
            self.set_focus(self.entries)

    def action_reload(self) -> None:
        """Collect anew."""
        self.post_message(self.Recollect())

    def action_to_cut(self) -> None:
        """The line where the cut falls; without one, the last entry."""
        if not self.entries.move_to_key(CUT_KEY):
            self.entries.action_edge(1)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.action_open_entry()

    @on(RowList.Highlighted)
    def _highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.refresh_bindings()

    def action_open_entry(self) -> None:
        """Go to the file in Browse."""
        key = self._wanted_file()
        if key is not None:
            self.post_message(self.OpenInBrowse(key))

    def action_payload(self) -> None:
        """Render exactly what the agent receives under the rules in the fields."""
        if self.answer is None:
            return
        question, storage = self.answer.question, self.workspace.storage
        page_size = self.workspace.settings.page_size

        def work(_: IsCancelled) -> Iterator[str]:
            store = MemoryStore(storage, list_page_size=page_size, index_max_bytes=question.limit,
                                scope_priority=question.priority)  # fmt: skip
            yield payload(store, question.scope_map)

        self._paying.run(work)

    def _show_payload(self, text: str) -> None:
        if self.is_current:
            self.app.push_screen(PayloadScreen(text, "of the what-if" if self.what_if.is_changed else "as served"))


def _edge_key(edge: Edge) -> str:
    return edge.prefix if isinstance(edge, CappedPrefix) else edge.key


def _draw_edge(edge: Edge) -> Look:
    if isinstance(edge, CappedPrefix):
        files = f"{edge.omitted:,} file{'' if edge.omitted == 1 else 's'} behind the cut"
        return Look({"what": Cell(edge.prefix.removesuffix("/")), "why": Cell(files, "warn")})
    why = f"{edge.problem}. The whole index fails while it is there"
    return Look({"what": Cell(edge.key.removesuffix(".md"), "bad"), "why": Cell(why, "bad")}, "!")

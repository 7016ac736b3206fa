"""One finding as a person reads it: what is there, what it breaks for whom, and what its repair would change."""

import json
from collections.abc import Iterator, Mapping, Sequence

from wenchang.file_format import LAST_UPDATED_KEY
from wenchang.storage import StoredObject
from wenchang_tui.agent.diffing import diff_stored
from wenchang_tui.model.curation_log import Move, State
from wenchang_tui.model.findings import Finding
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.repairs import Proposal
from wenchang_tui.widgets.diff_view import DiffText, diff_lines
from wenchang_tui.widgets.finding_list import TONES, kind_name
from wenchang_tui.widgets.text_lines import TextLine

_LEAD = 8
_MOST_LINES = 400


class FindingView(DiffText):
    """The finding under the cursor with its best repair."""

    def show_finding(self, finding: Finding, proposals: Sequence[Proposal] | None) -> None:
        """Show a finding; its repairs are `None` while they are being worked out."""
        self.show([*finding_lines(finding), *_repair_lines(proposals)], keep_scroll=proposals is not None)

    def show_problem(self, finding: Finding, problem: Problem) -> None:
        """Show a finding whose repairs cannot be worked out."""
        trouble = TextLine(f"{problem.title}: {problem.sentence} {problem.next_step}", "bad", "! ", "bad")
        self.show([*finding_lines(finding), trouble])

    def show_notes(self, *notes: TextLine) -> None:
        """Show sentences in place of a finding."""
        self.show([TextLine(""), *notes])


def finding_lines(finding: Finding) -> Iterator[TextLine]:
    """What a check found out."""
    tone = TONES[finding.severity]
    yield TextLine(kind_name(finding), "strong", f"{finding.severity.value}  ", tone)
    for name, text in (
        ("place", finding.key),
        ("found", finding.detail),
        ("breaks", finding.breaks),
        ("repair", finding.repair),
    ):
        yield TextLine(text, "", f"{name:<{_LEAD}}", "dim")
    yield TextLine("─" * 24, "rule")


def _repair_lines(proposals: Sequence[Proposal] | None) -> Iterator[TextLine]:
    if proposals is None:
        yield TextLine("working out the repair…", "dim")
    elif not proposals:
        yield TextLine("It takes a person to judge what to do here; no repair is offered.", "dim")
    else:
        shown = [] if proposals[0].deletes else [proposals[0]]
        yield from (line for proposal in shown for line in proposal_lines(proposal))
        yield from (TextLine(other.title, "dim", "or  ", "dim") for other in proposals[len(shown) :])


def proposal_lines(proposal: Proposal) -> Iterator[TextLine]:
    """What a repair would change, before and after."""
    yield TextLine(proposal.title, "title")
    lines = list(_change_lines(proposal))
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield TextLine(f"… and {len(lines) - _MOST_LINES:,} more lines", "dim")


def _change_lines(proposal: Proposal) -> Iterator[TextLine]:
    removal = proposal.removal
    if removal is not None:
        yield TextLine(f"{removal.path}, {removal.size:,} bytes. This cannot be undone.", "removed", "- ", "removed")
    for move in _as_renaming(proposal.moves):
        if len(proposal.moves) > 1:
            yield TextLine(move.key, "strong", "new  " if move.before is None else "to  ", "dim")
        yield from _move_lines(move)


def _move_lines(move: Move) -> Iterator[TextLine]:
    old, new = _parts(move.before), _parts(move.after)
    if new is not None:
        new = new[0], _stamped(old[1] if old else {}, new[1])
    if move.before and move.after and move.before.data == move.after.data:
        yield TextLine(f"the body stays as it is, {len(move.after.data):,} bytes", "dim", "  ")
        old, new = (old and ("", old[1])), (new and ("", new[1]))
    yield from diff_lines(diff_stored(old, new))


def _as_renaming(moves: Sequence[Move]) -> Sequence[Move]:
    """Making an object and deleting another reads as one move, from the one to the other."""
    if len(moves) == 2 and moves[0].before is None and moves[1].after is None:
        return (Move(moves[0].key, moves[1].before, moves[0].after),)
    return moves


def _stamped(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """The time of the repair as what it is, rather than as one to compare with another to the microsecond."""
    is_new = new.get(LAST_UPDATED_KEY) != old.get(LAST_UPDATED_KEY)
    return {**new, LAST_UPDATED_KEY: "now"} if is_new else new


def _parts(state: StoredObject | State | None) -> tuple[str, Mapping[str, str]] | None:
    return None if state is None else (state.data.decode("utf-8", "replace"), _readable(state.metadata))


def _readable(metadata: Mapping[str, str]) -> Mapping[str, str]:
    """Lists as people read them rather than escaped as in storage; whatever is none, as it stands."""
    return {name: _unescaped(text) for name, text in metadata.items()}


def _unescaped(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else text

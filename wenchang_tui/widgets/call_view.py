"""One call as a person reads it: what became of it, what it changed, what was sent and what came back."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.diffing import Proposal, diff_files
from wenchang_tui.agent.reverting import versions
from wenchang_tui.model.folding import find_folded, fold
from wenchang_tui.widgets.call_list import milliseconds
from wenchang_tui.widgets.diff_view import DiffText, count, diff_lines
from wenchang_tui.widgets.file_view import moment
from wenchang_tui.widgets.safe_text import safe_line
from wenchang_tui.widgets.text_lines import TextLine

MAX_LINES = 400
_LEAD = 18


class CallView(DiffText):
    """The call under the cursor."""

    def show_call(
        self, call: Call, needle: str = "", proposal: Proposal | None = None, *, keep_scroll: bool = False
    ) -> None:
        """Show a call; `needle` is pointed at, `proposal` is what the change that waits would do."""
        lines = list(call_lines(call, proposal))
        self.show(list(_pointed(lines, fold(needle)) if needle else lines), keep_scroll=keep_scroll)

    def show_note(self, *notes: str) -> None:
        """Show sentences in place of a call."""
        self.show([TextLine(note, "dim") for note in notes])


def call_lines(call: Call, proposal: Proposal | None = None) -> Iterator[TextLine]:
    """All that is known of a call."""
    if call.note:
        yield TextLine(call.note, "warn", "! ", "warn")
    yield from _change_lines(call, proposal)
    answer = () if call.is_pending else _section("error" if call.is_error else "answer", call.answer)
    arguments = _section("arguments", call.arguments)
    # What a change led to shows in the difference; of anything else the answer says the most.
    yield from (*arguments, *answer) if call.change is not None else (*answer, *arguments)
    yield _title("call")
    yield from (TextLine(text, "", f"{name:<10}", "dim") for name, text in _record(call))


def _record(call: Call) -> Iterator[tuple[str, str]]:
    """Who called, when, and how."""
    yield "began", f"{moment(call.started)} UTC"
    yield "took", "" if call.is_pending else f"{milliseconds(call)} ms"
    yield "caller", call.caller
    yield "client", call.client
    yield "protocol", call.protocol
    yield "process", str(call.process)


def _change_lines(call: Call, proposal: Proposal | None) -> Iterator[TextLine]:
    if call.change is not None:
        diff = diff_files(call.change.before, call.change.after)
        yield _title(f"change  {count(diff)}  {versions(call.change)}")
        yield from _capped(diff_lines(diff))
    elif proposal is not None:
        yield from proposal_lines(proposal)


def proposal_lines(proposal: Proposal) -> Iterator[TextLine]:
    """What a change that waits would do."""
    diff = proposal.diff()
    what = "deletes the file" if proposal.after is None else "a new file" if proposal.before is None else ""
    yield _title(f"would change  {count(diff)}  {what}")
    if proposal.obstacle:
        yield TextLine(f"It would be refused: {proposal.obstacle}", "warn", "! ", "warn")
    yield from _capped(diff_lines(diff))


def _section(name: str, values: Mapping[str, Any]) -> Iterator[TextLine]:
    yield _title(name if values else f"{name}: none")
    width = min(_LEAD, max((len(key) for key in values), default=0) + 2)
    yield from _capped(line for key, value in values.items() for line in _value_lines(key, value, width))


def _title(text: str) -> TextLine:
    return TextLine(text, "title")


def _value_lines(key: str, value: Any, width: int) -> Iterator[TextLine]:
    """A value as JSON; a text of several lines as those lines, a list of objects as an object a line."""
    tone = "bad" if key in ("error", "category") else ""
    block = _block(value)
    if block is None:
        yield TextLine(json.dumps(value, ensure_ascii=False), tone, f"{safe_line(key):<{width}}", "dim")
        return
    yield TextLine(key, "dim")
    yield from (TextLine(text, tone, "  │ ", "dim") for text in block)


def _block(value: Any) -> list[str] | None:
    """The lines of a value that has several."""
    if isinstance(value, str) and "\n" in value.removesuffix("\n"):
        rest = [] if value.endswith("\n") else ["(no line break at the end)"]
        return [*value.removesuffix("\n").split("\n"), *rest]
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [json.dumps(item, ensure_ascii=False) for item in value]
    return None


def _capped(lines: Iterator[TextLine]) -> Iterator[TextLine]:
    left_out = 0
    for at, line in enumerate(lines):
        if at < MAX_LINES:
            yield line
        else:
            left_out += 1
    if left_out:
        yield TextLine(f"… {left_out:,} more lines: J shows the answer, c copies the whole call", "dim")


def _pointed(lines: list[TextLine], needle: str) -> Iterator[TextLine]:
    for line in lines:
        span = find_folded(needle, line.text)
        yield line if span is None else replace(line, found=span, tone="warn")

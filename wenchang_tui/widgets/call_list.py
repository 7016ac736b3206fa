"""The calls of a server as they come: one row a call, followed at its newest end until somebody moves away.

The pane holds entries of a history and draws them; which calls there are is not its business.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.diffing import diff_files
from wenchang_tui.agent.history import MAX_CALLS, CallFilter, Entry, outcome, parse_call_filter, target
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

COLUMNS = (
    Column("time", "time", 8, rank=3, sortable=False),
    Column("who", "client", 13, rank=5, sortable=False),
    Column("tool", "tool", 16, sortable=False),
    Column("target", "file", rank=1, cut_start=True, sortable=False),
    Column("outcome", "outcome", 11, sortable=False),
    Column("change", "lines", 7, rank=4, right=True, sortable=False),
    Column("ms", "ms", 6, rank=2, right=True, sortable=False),
)
BY_CALLER = (
    Column("who", "caller", 9, sortable=False),
    *(column for column in COLUMNS if column.key not in ("who", "time")),
)
"""For a few calls of several callers, where the time of day says nothing."""

_WORDS = "words: client, tool, file, outcome; !not"
_TEXT = "text to look for in arguments, answers and files"


class CallsPane(Vertical):
    """A title, an input that opens on demand, and the list.

    `by_caller` names callers in the place of clients; `empty` is what an empty list says.
    """

    DEFAULT_CSS = """
    CallsPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Selected(Message):
        """Another call is under the cursor, something became of the one that is, or none is left."""

        entry: Entry | None

    def __init__(self, *, empty: str, by_caller: bool = False) -> None:
        super().__init__()
        self._by_caller = by_caller
        self._empty = empty
        self._entries: Sequence[Entry] = ()
        self._dropped = 0
        self._said: Entry | None = None
        self._filter = CallFilter()
        self._verdicts: dict[int, tuple[Call, bool]] = {}
        self._changes: dict[int, tuple[Call, str]] = {}
        self._judging = Lane[dict[int, tuple[Call, bool]]](self, self._receive_verdicts)
        self.waiting: Mapping[str, int] = {}
        self.newest_first = False
        columns = BY_CALLER if by_caller else COLUMNS
        self.list = RowList[Entry](columns, lambda entry: entry.key, self._draw, empty=empty, marks=False, id="calls")
        self.input = FilterInput(placeholder=_WORDS, id="filter")
        self.title = PaneTitle("calls")
        self.title.track(self._judging, "searching")

    def compose(self) -> ComposeResult:
        """Title, input, list."""
        yield self.title
        yield self.input
        yield self.list

    def on_mount(self) -> None:
        """The input opens when it is asked for."""
        self.input.display = False
        self._report()

    # what the screen asks for

    @property
    def needle(self) -> str:
        """The text that is searched for in all that calls hold; empty while only rows are filtered."""
        return self.input.value.strip() if self._filter.everything else ""

    @property
    def is_narrowed(self) -> bool:
        """Whether the input is open."""
        return self.input.display

    @property
    def follows(self) -> bool:
        """Whether the cursor stands on the newest row, and goes on with those that come."""
        return not self.list.rows or self.list.cursor == (0 if self.newest_first else len(self.list.rows) - 1)

    def show(self, entries: Sequence[Entry], dropped: int = 0) -> None:
        """List these; `dropped` older ones are gone for good."""
        self._entries, self._dropped = entries, dropped
        if len(self._verdicts) > 2 * MAX_CALLS:
            self._verdicts.clear()
        if len(self._changes) > 2 * MAX_CALLS:
            self._changes.clear()
        self._arrange()

    def open_input(self, *, everything: bool) -> None:
        """Let a filter be typed, or with `everything` a text to search for."""
        self.input.display = True
        self.input.placeholder = _TEXT if everything else _WORDS
        self.screen.set_focus(self.input)
        self._narrow(everything)

    def close_input(self) -> None:
        """Show all calls again."""
        self.input.value = ""
        self.input.display = False
        self._narrow(everything=False)
        self.screen.set_focus(self.list)

    def follow(self) -> None:
        """Go to the newest call."""
        self.list.cursor = 0 if self.newest_first else len(self.list.rows) - 1
        self._report()

    def turn_around(self) -> None:
        """Put the newest call at the other end."""
        self.newest_first = not self.newest_first
        self._arrange()

    # narrowing

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(self._filter.everything)

    @on(Input.Submitted)
    def _keep(self, event: Input.Submitted) -> None:
        event.stop()

    @on(FilterInput.Done)
    def _to_list(self, event: FilterInput.Done) -> None:
        event.stop()
        self.screen.set_focus(self.list)

    def _narrow(self, everything: bool) -> None:
        self._filter = parse_call_filter(self.input.value, everything=everything)
        if not self._filter.words:
            self._judging.cancel()
            self._verdicts = {}
            self._arrange()
            return
        entries, chosen = self._entries, self._filter

        def judge(is_cancelled: IsCancelled) -> Iterator[dict[int, tuple[Call, bool]]]:
            verdicts: dict[int, tuple[Call, bool]] = {}
            for entry in entries:
                if is_cancelled():
                    return
                verdicts[entry.number] = (entry.call, chosen.matches(entry.call))
            yield verdicts

        self._judging.run(judge)

    def _receive_verdicts(self, verdicts: dict[int, tuple[Call, bool]]) -> None:
        self._verdicts = verdicts
        self._arrange(is_judged=True)

    def _matches(self, entry: Entry) -> bool:
        if not self._filter.words:
            return True
        call, verdict = self._verdicts.get(entry.number, (None, False))
        if call is not entry.call:
            verdict = self._filter.matches(entry.call)
            self._verdicts[entry.number] = (entry.call, verdict)
        return verdict

    def _arrange(self, *, is_judged: bool = False) -> None:
        if self._judging.busy and not is_judged:
            return
        follows = self.follows
        rows = [entry for entry in self._entries if self._matches(entry)]
        self.list.set_rows(rows[::-1] if self.newest_first else rows)
        if follows:
            self.follow()
        self._announce()
        self._report()

    @on(RowList.Highlighted)
    def _moved(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._announce()
        self._report()

    def _announce(self) -> None:
        current = self.list.current
        if current is not self._said:
            self._said = current
            self.post_message(self.Selected(current))

    # drawing

    def refresh_waiting(self, waiting: Mapping[str, int]) -> None:
        """Say of calls, by their key, how many seconds they go on waiting for a person."""
        if waiting != self.waiting:
            self.waiting = waiting
            self.list.refresh()

    def _report(self) -> None:
        shown, kept = len(self.list.rows), len(self._entries)
        errors = sum(entry.call.is_error for entry in self._entries)
        calls = f"{kept:,} call{'' if kept == 1 else 's'}"
        notes = [f"{shown:,} of {calls}" if self._filter.words else calls]
        notes += [f"{errors:,} error{'' if errors == 1 else 's'}"] if errors else []
        notes += [f"{self._dropped:,} older ones let go (keeps {MAX_CALLS:,})"] if self._dropped else []
        notes += ["newest first"] if self.newest_first else []
        notes += [] if self.follows else ["f follows the newest"]
        self.title.right = Content("  ".join(notes)) if kept else Content("")
        self.list.empty = "no call matches" if kept else self._empty

    def _draw(self, entry: Entry) -> Look:
        call = entry.call
        cells = {
            "time": Cell(f"{call.started:%H:%M:%S}", "dim"),
            "who": Cell(call.caller if self._by_caller else call.client, "dim"),
            "tool": Cell(call.tool, "strong"),
            "target": Cell(target(call)),
            "change": Cell(self._lines(entry), "good" if call.change else "dim"),
        }
        if call.is_pending:
            seconds = self.waiting.get(entry.key)
            word = "pending" if seconds is None else f"waits {seconds} s"
            return Look({**cells, "outcome": Cell(word, "warn")}, "?" if seconds is not None else ".", "warn")
        tone = "bad" if call.is_error else "good"
        cells |= {"outcome": Cell(outcome(call), tone), "ms": Cell(milliseconds(call), "dim")}
        return Look(cells, "!" if call.is_error else " ")

    def _lines(self, entry: Entry) -> str:
        """How many lines were added and removed; worked out when the row comes in sight."""
        change = entry.call.change
        if change is None:
            return ""
        call, text = self._changes.get(entry.number, (None, ""))
        if call is not entry.call:
            diff = diff_files(change.before, change.after)
            text = f"+{diff.added} -{diff.removed}"
            self._changes[entry.number] = (entry.call, text)
        return text


def milliseconds(call: Call) -> str:
    """How long a call took, in milliseconds, with as many digits as say anything."""
    ms = call.duration_s * 1000
    return f"{ms:.1f}" if ms < 100 else f"{ms:,.0f}"

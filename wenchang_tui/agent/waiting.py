"""Changes that wait at the gate, as a person sees them: which call each belongs to, what it would do, for how long."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from wenchang.core import MemoryStore
from wenchang.errors import NotFoundError
from wenchang.gate import WaitingChange
from wenchang_tui.agent.diffing import Proposal, propose
from wenchang_tui.agent.history import Entry, short_path, target


def in_a_line(change: WaitingChange) -> str:
    """A waiting change in a line."""
    return f"{change.operation} {short_path(change.path)}"


def seconds_left(change: WaitingChange, wait_s: float, now: datetime) -> int:
    """How long a change goes on waiting, in whole seconds; never longer than it can, even if the clock was set back."""
    return max(0, round(wait_s - max(0.0, (now - change.asked_at).total_seconds())))


def proposal_for(store: MemoryStore, change: WaitingChange) -> Proposal:
    """What a change would do now. Reads the file; raises what the store raises, but not for a file that is absent."""
    try:
        return propose(change, store.read_file(change.path))
    except NotFoundError:
        return propose(change, None)


def waiting_for(entry: Entry, waiting: Iterable[WaitingChange]) -> WaitingChange | None:
    """The waiting change that a running call is about; of several alike, the one that asked first."""
    if not entry.call.is_pending:
        return None
    wanted = (entry.call.tool, target(entry.call))
    return next((change for change in waiting if (change.operation, short_path(change.path)) == wanted), None)


def seconds_by_key(
    entries: Iterable[Entry], waiting: Sequence[WaitingChange], wait_s: float, now: datetime
) -> dict[str, int]:
    """For each entry whose change waits, by its key, how long it still does."""
    if not waiting:
        return {}
    pairs = ((entry, waiting_for(entry, waiting)) for entry in entries)
    return {entry.key: seconds_left(change, wait_s, now) for entry, change in pairs if change is not None}

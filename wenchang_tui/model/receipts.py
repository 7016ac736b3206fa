"""Operations on an entity as a person starts them: each ends in a receipt that says what became of it.

Whatever happens on the way is part of the receipt, and nothing is raised; the operations are in `operations` and
`restoring`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from wenchang.core import OperationCancelledError, PurgeIncompleteError
from wenchang_tui.model.archive import Totals
from wenchang_tui.model.operations import (
    IsCancelled,
    OnProgress,
    UnfinishedError,
    export_entity,
    outlasting,
    purge_entity,
)
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.model.restoring import NotEmptyError, RestorePlan, restore_entity
from wenchang_tui.model.workspace import Workspace

Clock = Callable[[], datetime]


class Deed(StrEnum):
    """What can be done to an entity as a whole."""

    EXPORT = "export"
    RESTORE = "restore"
    PURGE = "purge"


class Ending(StrEnum):
    """How an operation ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an operation on `entity` (SCOPE/ENTITY) of the store `target`; `result` says it in sentences.

    `file` is the archive, if there is one; `seconds` is how long it took from `began`.
    """

    deed: Deed
    target: str
    entity: str
    file: Path | None
    began: datetime
    seconds: float
    ending: Ending
    result: str

    def lines(self) -> tuple[tuple[str, str], ...]:
        """The names and texts of all that a receipt says."""
        file = (("file", str(self.file)),) if self.file else ()
        return (
            ("operation", self.deed.value),
            ("store", self.target),
            ("entity", self.entity),
            *file,
            ("began", f"{self.began.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"),
            ("took", f"{self.seconds:.1f} s"),
            ("ending", self.ending.value),
            ("result", self.result),
        )

    def text(self) -> str:
        """The receipt as a text to keep."""
        return "".join(f"{name:<11}{text}\n" for name, text in self.lines())


@dataclass(frozen=True, slots=True)
class Operator:
    """Starts operations in one workspace; whoever watches is told as `wenchang_tui.model.operations` says."""

    workspace: Workspace
    on_progress: OnProgress | None = None
    is_cancelled: IsCancelled | None = None
    clock: Clock = lambda: datetime.now(UTC)

    def export(self, scope: str, entity: str, path: Path, *, force: bool = False) -> Receipt:
        """Write everything an entity has stored to an archive at `path`, which `force` replaces."""

        def work() -> str:
            receipt = export_entity(
                self.workspace,
                scope,
                entity,
                path,
                force=force,
                on_progress=self.on_progress,
                is_cancelled=self.is_cancelled,
            )
            return f"Exported {spoken(receipt.totals)}."

        return self._carry_out(Deed.EXPORT, f"{scope}/{entity}", path, work)

    def restore(self, plan: RestorePlan, path: Path, *, force: bool = False) -> Receipt:
        """Put back what the archive at `path` holds, as was planned; `force` where something stands there already."""

        def work() -> str:
            totals = restore_entity(
                self.workspace, path, force=force, on_progress=self.on_progress, is_cancelled=self.is_cancelled
            )
            return f"Put back {spoken(totals)}."

        return self._carry_out(Deed.RESTORE, f"{plan.scope}/{plan.entity}", path, work)

    def purge(self, scope: str, entity: str) -> Receipt:
        """Delete everything an entity has stored."""

        def work() -> str:
            deleted = purge_entity(
                self.workspace, scope, entity, on_progress=self.on_progress, is_cancelled=self.is_cancelled
            )
            return f"Deleted {_objects(deleted)}. {outlasting(self.workspace) or 'Nothing is left.'}"

        return self._carry_out(Deed.PURGE, f"{scope}/{entity}", None, work)

    def _carry_out(self, deed: Deed, entity: str, file: Path | None, work: Callable[[], str]) -> Receipt:
        began = self.clock()
        try:
            ending, result = Ending.DONE, work()
        except Exception as error:
            ending, result = _explain(deed, error)
        seconds = (self.clock() - began).total_seconds()
        return Receipt(deed, self.workspace.target, entity, file, began, seconds, ending, result)


def spoken(totals: Totals) -> str:
    """So many objects, so many bytes."""
    return f"{_objects(totals.objects)}, {totals.bytes:,} bytes"


def _objects(number: int) -> str:
    return f"{number:,} object{'' if number == 1 else 's'}"


_NOTHING = {
    Deed.EXPORT: "No file was written.",
    Deed.RESTORE: "Nothing was put back.",
    Deed.PURGE: "Nothing was deleted.",
}
_SO_FAR = {Deed.RESTORE: "put back", Deed.PURGE: "deleted"}


def _explain(deed: Deed, error: Exception) -> tuple[Ending, str]:
    """How an operation ended that did not come to its end: why, how far it came, and how to go on."""
    cause = error.cause if isinstance(error, UnfinishedError) else error
    so_far, is_begun = _NOTHING[deed], False
    if isinstance(error, UnfinishedError) and error.done:
        so_far = f"{error.done:,} of {_objects(error.total)} were {_SO_FAR[deed]}; {deed} again to go on."
        is_begun = True
    if isinstance(cause, OperationCancelledError):
        return Ending.CANCELLED, f"Cancelled. {so_far}"
    if isinstance(cause, PurgeIncompleteError):
        return Ending.FAILED, f"New objects kept coming. {so_far} Stop the agents that write there first."
    problem = describe(cause)
    # What is right to do for a single refused write would be wrong where others were made before it.
    next_step = "" if is_begun else f" {_next_step(cause, problem)}"
    return Ending.FAILED, f"{problem.title}: {problem.sentence} {so_far}{next_step}"


def _next_step(error: Exception, problem: Problem) -> str:
    """As a person at a screen reads it, who has no command-line options."""
    if isinstance(error, NotEmptyError):
        return "Restore again, and look at what would be replaced."
    return problem.next_step


def file_name(name: str, suffix: str) -> str:
    """A name for a file about an entity that every file system takes."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "entity"
    return f"{plain[:100]}{suffix}"

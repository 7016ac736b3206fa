"""Drafts of one target, written from threads: whoever asked last wins, however late the others get to run."""

import itertools
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from wenchang_tui.model.drafts import Draft, DraftFolder, draft_target
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.workspace import Workspace


class DraftKeeper:
    """Keeps and forgets in the order of tickets, which are taken when something is asked for."""

    def __init__(
        self, folder: DraftFolder, target: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._folder = folder
        self._target = target
        self._clock = clock
        self._tickets = itertools.count(1)
        self._done: dict[str, int] = {}
        self._lock = threading.Lock()

    def ticket(self) -> int:
        """A place in the order."""
        return next(self._tickets)

    def keep(self, ticket: int, edit: Edit) -> bool:
        """Keep an edit that has something to save, forget the draft of one that has not; `False` if that failed."""
        with self._lock:
            if not self._is_next(ticket, edit.key):
                return True
            if is_worth_keeping(edit):
                return self._folder.keep(Draft(self._target, edit, self._clock()))
            self._folder.discard(self._target, edit.key)
        return True

    def forget(self, ticket: int, key: str) -> None:
        """Forget the draft: it is saved, or given up."""
        with self._lock:
            if self._is_next(ticket, key):
                self._folder.discard(self._target, key)

    def find(self, key: str) -> Draft | None:
        """The draft of a file, if there is one."""
        return self._folder.find(self._target, key)

    def all(self) -> tuple[Draft, ...]:
        """All drafts, the latest first."""
        return self._folder.of_target(self._target)

    def _is_next(self, ticket: int, key: str) -> bool:
        is_next = ticket > self._done.get(key, 0)
        self._done[key] = max(ticket, self._done.get(key, 0))
        return is_next


def drafts_of(state: Path, workspace: Workspace) -> DraftKeeper:
    """The drafts of an open store, in the folder of what the app remembers; those of a demo go when the demo goes."""
    around = workspace.root.parent if workspace.root and workspace.kind == "demo" else state
    return DraftKeeper(DraftFolder(around / "drafts"), draft_target(workspace))


def is_worth_keeping(edit: Edit) -> bool:
    """Whether anything typed would be lost with the edit."""
    return edit.is_changed and (edit.base is not None or edit.content != type(edit.content)())

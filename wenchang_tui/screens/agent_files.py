"""The calls of the Agent screen as files: saved, opened again, followed in the log of another server, or forgotten."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from wenchang_tui.agent import session_files
from wenchang_tui.agent.embedded import Embedded
from wenchang_tui.agent.history import History
from wenchang_tui.agent.recorder import Session
from wenchang_tui.config import state_path
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_calls import CallsFrame
from wenchang_tui.screens.agent_dialogs import AskDialog, NameDialog
from wenchang_tui.screens.agent_session import SessionScreen
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.status_line import StatusLine


class FilingFrame(CallsFrame):
    """A screen with a server and the history of its calls."""

    def __init__(self, opened: Workspace | FlatFolder, *, empty: str) -> None:
        super().__init__(opened, empty=empty)
        self.embedded = Embedded(opened, state_path())
        self.history = History()
        self.status = StatusLine()
        # What is done off the loop ends in something to do in it.
        self._filing = Lane[Callable[[], None]](self, lambda then: then(), self.show_end)
        self.calls.title.track(self._filing, "working")

    def show_end(self, problem: Problem | None) -> None:
        """Show what ended some work, if it is a problem."""
        if problem is not None:
            self.status.show_problem(problem)

    def follow_own_log(self) -> None:
        """Follow the log that servers of this store write to when they are told of it here."""
        self._filing.run(lambda _: iter([self._follow(None)]))

    def action_save(self) -> None:
        """Ask where to."""
        path = session_files.new_path(state_path(), datetime.now(UTC))
        note = "The calls with all that was sent, answered and changed, memory contents included; never a token."
        self.app.push_screen(NameDialog("Save the calls", str(path), note), self._save)

    def _save(self, name: str | None) -> None:
        if not name:
            return
        path = Path(name).expanduser()
        calls = [entry.call for entry in self.history.entries if not entry.call.is_pending]
        place = self.opened.target

        def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
            session_files.save(path, place, calls)
            yield lambda: self.notify(str(path), title=f"{len(calls):,} calls saved")

        self._filing.run(work)

    def action_open_session(self) -> None:
        """Ask which one."""

        def work(_: IsCancelled) -> Iterator[Callable[[], None]]:
            suggested = session_files.latest(state_path())
            yield lambda: self._ask_for_session(str(suggested))

        self._filing.run(work)

    def _ask_for_session(self, suggested: str) -> None:
        note = "The file of a saved session; suggested is the one saved last."
        self.app.push_screen(NameDialog("Open a saved session", suggested, note), self._open_session)

    def _open_session(self, name: str | None) -> None:
        if name:
            path = Path(name).expanduser()
            self._filing.run(lambda _: iter([self._loaded(path)]))

    def _loaded(self, path: Path) -> Callable[[], None]:
        session = session_files.load(path)
        return lambda: self._show_session(path.name, session)

    def _show_session(self, name: str, session: Session) -> None:
        self.app.push_screen(SessionScreen(self.opened, name, session))

    def action_follow_log(self) -> None:
        """Ask for the log."""
        note = "The FILE of wenchang serve --call-log. The one suggested is followed without asking."
        followed = str(self.embedded.followed)
        self.app.push_screen(NameDialog("Follow the calls of another server", followed, note), self._follow_named)

    def _follow_named(self, name: str | None) -> None:
        if name:
            path = Path(name).expanduser()
            is_own = path == self.embedded.call_log
            self._filing.run(lambda _: iter([self._follow(None if is_own else path)]))

    def _follow(self, path: Path | None) -> Callable[[], None]:
        if (problem := self.embedded.follow(path)) is not None:
            raise OpenError(problem)
        return (lambda: self.notify(str(path), title="Following")) if path else lambda: None

    def action_clear(self) -> None:
        """Ask, then forget."""
        count = len(self.history.entries)
        sentences = (f"{count:,} calls are forgotten here, unless they are saved first (e).", "No file changes.")
        self.app.push_screen(AskDialog("Clear the list", sentences, "Clear"), self._clear)

    def _clear(self, is_sure: bool | None) -> None:
        if is_sure:
            self.history.clear()
            self.calls.show(self.history.entries)

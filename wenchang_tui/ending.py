"""How the app ends: by a person, by a signal, by a fault of its own. Whichever it is, what is typed is kept."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.screen import Screen

from wenchang_tui.config import state_path, write_whole
from wenchang_tui.model.safe import visible
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.frame import Frame

EXIT_ON_SIGNAL = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
THREADS = 32


class EndingApp(App[None]):
    """An app that leaves the terminal as it was, and says what became of what was typed."""

    def __init__(self) -> None:
        super().__init__()
        self.stopping = threading.Event()
        """Set once the app ends: threads that wait let go."""
        self.last_words: list[str] = []
        """What is said when the terminal is as it was."""
        self._frames: dict[str, Frame] = {}
        self._is_lent = False
        self._question: Screen[Any] | None = None

    def _print_error_renderables(self) -> None:
        """Say the last words. Textual would break their lines, and with them a path that somebody copies."""
        with suppress(OSError):  # the terminal may be gone
            for words in self.last_words:
                self.error_console.print(visible(words), soft_wrap=True, emoji=False)

    # by a signal

    def on_load(self) -> None:
        """Signals end the app properly from before the first frame on, and work that waits holds up no other."""
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="lane"))
        for number, status in EXIT_ON_SIGNAL.items():
            loop.add_signal_handler(number, partial(self._end_on, number, status))

    def on_mount(self) -> None:
        """Know who has the terminal."""
        self.app_suspend_signal.subscribe(self, partial(self._lend, True), immediate=True)
        self.app_resume_signal.subscribe(self, partial(self._lend, False), immediate=True)

    def _end_on(self, number: signal.Signals, status: int) -> None:
        """Keep what is typed and end; while the terminal is lent out, an interrupt is meant for who has it."""
        if not (self._is_lent and number is signal.SIGINT):
            self.last_words = [*self._keep_all()]
            self.exit(return_code=status)

    def _lend(self, is_lent: bool, _: App[None]) -> None:
        """Note who has the terminal; the screen that comes back is empty, and drawn anew."""
        self._is_lent = is_lent
        if not is_lent:
            self.refresh(layout=True)

    def on_unmount(self) -> None:
        """Let go of the threads that wait."""
        self.stopping.set()

    # by a person

    async def action_quit(self) -> None:
        """Leave with status 0; where something would be lost, ask first, and once."""
        if self._question in self.screen_stack:
            return
        before, frames = self.screen, list(self._frames.values())
        dialogs = [screen for screen in self.screen_stack if isinstance(screen, Dialog)]
        if all(dialog.let_go() for dialog in dialogs) and all(frame.let_go() for frame in frames):
            self.last_words = [frame.parting for frame in frames if frame.parting]
            self.exit()
        elif self.screen is not before:
            self._question = self.screen

    # by a fault

    def _fatal_error(self) -> None:
        """Say in a few words that the app ends by a fault of its own; what is typed is kept, its details are written.

        Textual would show the values at hand, which may be anything that is stored, to the terminal.
        """
        if self._exception is not None:  # the first: what that leads to is no fault of its own
            self.last_words = [*_report(self._exception, state_path() / "fault.txt"), *self._keep_all()]
        self._close_messages_no_wait()

    def _keep_all(self) -> Iterator[str]:
        screens: list[Frame | Dialog[Any]] = [*self._frames.values()]
        screens += [screen for screen in self.screen_stack if isinstance(screen, Dialog)]
        for screen in screens:
            with suppress(Exception):  # it may be what is at fault
                if words := screen.keep():
                    yield words

    def panic(self, *renderables: Any) -> None:  # noqa: ARG002
        """The same of a fault that has a picture of its own."""
        self._fatal_error()


def _report(error: Exception, path: Path) -> Iterator[str]:
    """Write down where a fault comes from, for its owner alone; the words to say of it."""
    from wenchang_tui.model.fault_report import fault_details, fault_summary  # hardly ever wanted

    yield fault_summary(error)
    try:
        write_whole(path, fault_details(error))
    except OSError as refusal:
        yield f"What a report of it needs could not be written to {path}: {refusal.strerror}."
    else:
        yield f"What a report of it needs, and may quote what is stored, is written in\n{path}"

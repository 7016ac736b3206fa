"""A long operation that somebody attends: progress where they can see it, and Ctrl+C as a wish to stop."""

import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Any

from wenchang.core import Progress

_SECONDS_BETWEEN = 0.1


class Attended:
    """Shows progress on stderr, if that is a terminal, in place of what it showed before.

    The first Ctrl+C sets `is_cancelled`, which lets the operation end in order and report; the second ends it at once.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._cancelled = threading.Event()
        self._width = 0
        self._next = 0.0

    def __enter__(self) -> "Attended":
        self._before: Any = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)
        if self._width:
            self._show("")
            sys.stderr.write("\r")

    def is_cancelled(self) -> bool:
        """Whether Ctrl+C was pressed."""
        return self._cancelled.is_set()

    def on_progress(self, progress: Progress) -> None:
        """Show how far it is, unless that was just shown."""
        if sys.stderr.isatty() and time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN
            self._show(f"{self._doing} {progress.done:,} of {progress.total:,}")

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.default_int_handler)
        self._cancelled.set()

    def _show(self, text: str) -> None:
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()
        self._width = len(text)

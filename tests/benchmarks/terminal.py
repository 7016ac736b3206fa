"""A program on a pseudo-terminal: when it first paints, and how long a key takes to show."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

ROWS, COLUMNS = 40, 120

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""What programs are run with: the byte code of all they import is kept, as where they are installed."""

_ALTERNATE = b"\x1b[?1049h"
_CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[PX^_\]][^\x1b\x07]*(?:\x1b\\|\x07)|[ -/]*[0-~])")
_QUESTIONS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;22c", b"\x1b[?u": b"\x1b[?0u"}
_PATIENCE_SECONDS = 60.0


class Terminal:
    """A running program, as its terminal sees it."""

    def __init__(self, pid: int, fd: int, began: float) -> None:
        self.pid = pid
        self._fd = fd
        self._began = began
        self._seen = b""

    def read(self, seconds: float) -> bytes:
        """What the program writes next; nothing if it is silent for so long, or has ended."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return b""
        data = b""
        with suppress(OSError):
            data = os.read(self._fd, 1 << 16)
        for question, answer in _QUESTIONS.items():
            if question in data:
                os.write(self._fd, answer)
        return data

    def first_paint(self) -> float:
        """The seconds from the start of the program to the first character on its screen."""
        while data := self.read(_PATIENCE_SECONDS):
            self._seen += data
            _, entered, painted = self._seen.partition(_ALTERNATE)
            if entered and re.search(rb"[!-~\xc2-\xf4]", _CONTROL.sub(b"", painted)):
                return time.perf_counter() - self._began
        raise RuntimeError(f"nothing was painted: {self._seen[-500:]!r}")

    def read_until(self, pattern: bytes) -> None:
        """Wait until what is painted matches."""
        painted = b""
        while not re.search(pattern, _CONTROL.sub(b" ", painted)):
            data = self.read(_PATIENCE_SECONDS)
            if not data:
                raise RuntimeError(f"nothing like {pattern!r} was painted")
            painted += data

    def settle(self, quiet: float = 0.3) -> None:
        """Wait until nothing more is painted for a while."""
        while self.read(quiet):
            pass

    def key(self, key: bytes) -> float:
        """The seconds from a key to what it makes the program write."""
        self.settle(0.05)
        began = time.perf_counter()
        os.write(self._fd, key)
        if not self.read(_PATIENCE_SECONDS):
            raise RuntimeError("the key shows nothing")
        return time.perf_counter() - began


@contextmanager
def running(command: Sequence[str]) -> Iterator[Terminal]:
    """A program on a terminal of its own, killed at the end."""
    began = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execvpe(command[0], list(command), {**ENVIRONMENT, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
    try:
        yield Terminal(pid, fd, began)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)

"""The app in a real terminal: what it leaves behind, and which bytes it sends there."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.demo import build_demo

ROOT = Path(__file__).parents[2]
ENTER_SCREEN, LEAVE_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"
MODES_LEFT = (b"\x1b[?1000l", b"\x1b[?2004l")
WAIT_SECONDS = 30.0


@dataclass
class Terminal:
    pid: int
    descriptor: int
    before: list[object]
    sent: bytes = b""
    status: int | None = None
    _typed: int = field(default=0, repr=False)  # how much had been sent when keys were typed last

    def read(self) -> bool:
        """Take what has been sent; whether the other side is still there."""
        ready, _, _ = select.select([self.descriptor], [], [], 0.05)
        if not ready:
            return True
        try:
            data = os.read(self.descriptor, 1 << 16)
        except OSError:
            return False
        self.sent += data
        return bool(data)

    def wait_for(self, text: bytes) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while text not in self.sent:
            assert self.read(), self.sent[-2_000:]
            assert time.monotonic() < end, self.sent[-2_000:]

    def wait_for_answer(self, text: bytes) -> None:
        """Wait for what comes after the keys that were typed last."""
        end = time.monotonic() + WAIT_SECONDS
        while text not in self.sent[self._typed :]:
            assert self.read(), self.sent[-2_000:]
            assert time.monotonic() < end, self.sent[-2_000:]

    def settle(self) -> None:
        """Wait until nothing more comes for a while."""
        quiet = 0
        while quiet < 6:  # times 50 ms
            before = len(self.sent)
            assert self.read(), self.sent[-2_000:]
            quiet = quiet + 1 if len(self.sent) == before else 0

    def type(self, keys: bytes) -> None:
        self._typed = len(self.sent)
        os.write(self.descriptor, keys)

    def end(self) -> int:
        """Read to the end and return the exit status."""
        stop = time.monotonic() + WAIT_SECONDS
        while self.status is None:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            assert time.monotonic() < stop
        with suppress(OSError):
            while self.read() and select.select([self.descriptor], [], [], 0)[0]:
                pass
        return self.status

    def is_restored(self) -> bool:
        """Whether the main screen is back, and no mode the app switched on is left."""
        left = self.sent.rfind(LEAVE_SCREEN) > self.sent.rfind(ENTER_SCREEN)
        return left and all(mode in self.sent for mode in MODES_LEFT)


@contextmanager
def wenchang(*arguments: str, home: Path, code: str = "") -> Iterator[Terminal]:
    """The program under a terminal of 100x30, in a home of its own."""
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "wenchang_tui", *arguments]
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    pid, descriptor = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    terminal = Terminal(pid, descriptor, termios.tcgetattr(descriptor))
    try:
        yield terminal
    finally:
        if terminal.status is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(descriptor)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    build_demo(FilesystemStorage(tmp_path / "demo", durable=False))
    return tmp_path / "demo"


def test_it_starts_and_q_leaves_the_terminal_as_it_was(demo: Path, tmp_path: Path) -> None:
    with wenchang(str(demo), home=tmp_path) as terminal:
        terminal.wait_for(b"organization")
        terminal.type(b"q")
        assert terminal.end() == 0
        assert terminal.is_restored()
        assert b"Traceback" not in terminal.sent


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_restores_the_terminal(number: signal.Signals, status: int, demo: Path, tmp_path: Path) -> None:
    with wenchang(str(demo), home=tmp_path) as terminal:
        terminal.wait_for(b"organization")
        os.kill(terminal.pid, number)
        assert terminal.end() == status
        assert terminal.is_restored()
        assert b"Traceback" not in terminal.sent


def test_a_signal_before_the_first_frame_restores_the_terminal(demo: Path, tmp_path: Path) -> None:
    with wenchang(str(demo), home=tmp_path) as terminal:
        terminal.wait_for(ENTER_SCREEN)
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.end() == 143
        assert terminal.is_restored()


def test_stopped_it_lends_the_terminal_to_the_shell_and_goes_on_where_it_was(demo: Path, tmp_path: Path) -> None:
    with wenchang(str(demo), home=tmp_path) as terminal:
        terminal.wait_for(b"organization")
        os.kill(terminal.pid, signal.SIGTSTP)
        while os.waitpid(terminal.pid, os.WNOHANG | os.WUNTRACED) == (0, 0):
            terminal.read()
        terminal.read()
        assert terminal.is_restored()
        terminal.sent = b""
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for(ENTER_SCREEN)
        terminal.wait_for(b"organization")
        terminal.type(b"q")
        assert terminal.end() == 0
        assert terminal.is_restored()


FAULTY = """
import sys
from wenchang_tui.app import WenchangApp, run
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_folder

def fail(app):
    token = "LOCAL"
    raise RuntimeError("STORED \\x1b]0;STORED\\x07")

WenchangApp.action_help = fail
sys.exit(run(open_folder({folder!r}, Settings())))
"""


def test_a_fault_of_the_app_itself_restores_the_terminal_and_is_no_success(demo: Path, tmp_path: Path) -> None:
    with wenchang(home=tmp_path, code=FAULTY.format(folder=str(demo))) as terminal:
        terminal.wait_for(b"organization")
        terminal.type(b"?")
        assert terminal.end() == 1
        assert terminal.is_restored()
        said = terminal.sent[terminal.sent.rfind(LEAVE_SCREEN) :].decode()
    report = tmp_path / ".local/state/wenchang/fault.txt"
    assert "by a fault of its own: RuntimeError in fail, <string> line 9." in said
    assert f"\n{report}\r\n" in said
    assert not any(word in said for word in ("Traceback", "STORED", "LOCAL", "\x07", "─"))
    assert said.count("\n") < 6
    assert report.stat().st_mode & 0o777 == 0o600
    written = report.read_text()
    assert "RuntimeError: STORED ␛]0;STORED␇" in written
    assert "LOCAL" not in written.replace('token = "LOCAL"', "")


HANGING = """
import sys, threading
from wenchang.core import MemoryStore
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import run
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace

class Hanging(InMemoryStorage):
    def list_page(self, prefix, start_after, limit):
        threading.Event().wait()

storage = Hanging()
sys.exit(run(Workspace("hanging", "folder", storage, MemoryStore(storage), Settings(), None)))
"""

TALKING = """import logging, warnings
        logging.getLogger("wenchang.core").error("a line of a log")
        warnings.warn("a warning of a library")
        print("a word on stdout")
        print("a word on stderr", file=sys.stderr)
        raise MemoryError("storage broke")"""
FAILING = HANGING.replace("threading.Event().wait()", TALKING).replace("hanging", "failing")


def test_a_storage_call_that_hangs_does_not_keep_the_process(tmp_path: Path) -> None:
    with wenchang(home=tmp_path, code=HANGING) as terminal:
        terminal.wait_for(b"loading")
        os.kill(terminal.pid, signal.SIGTERM)
        began = time.monotonic()
        assert terminal.end() == 143
        assert time.monotonic() - began < WAIT_SECONDS
        assert terminal.is_restored()


def test_storage_that_talks_and_breaks_in_a_worker_leaves_the_app_up_and_the_screen_alone(tmp_path: Path) -> None:
    with wenchang(home=tmp_path, code=FAILING) as terminal:
        terminal.wait_for(b"storage broke")
        terminal.type(b"?")
        terminal.wait_for(b"esc closes")
        terminal.type(b"q\x11")
        assert terminal.end() == 0
        assert terminal.is_restored()
        assert not re.search(rb"a (line|warning|word) o[fn]", terminal.sent)


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:

    ended = subprocess.run(
        [sys.executable, "-m", "wenchang_tui", "--demo"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert ended.returncode == 2
    assert "needs a terminal" in ended.stderr
    assert ENTER_SCREEN.decode() not in ended.stdout


LATE = ("mcp", "google", "pydantic", "rich.markdown", "uvicorn", "starlette", "jsonschema", "tree_sitter")


def test_opening_the_app_imports_nothing_that_it_does_not_need_at_once() -> None:

    code = "import sys, wenchang_tui.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert [name for name in LATE if name in loaded.split()] == []

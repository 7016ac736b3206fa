"""The command as its own process: streams, signals, a terminal, and what it loads."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "wenchang_tui"]
LIMIT = 60


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LIMIT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **environment},
        check=False,
    )


def on_a_terminal(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, what came to the terminal, and stderr."""
    master, slave = pty.openpty()
    try:
        ended = subprocess.run(
            [*PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT,
            env={**os.environ, "TERM": "xterm-256color", **environment},
            check=False,
        )
        os.write(slave, b"\n")  # so that there is something to read in any case
        return ended.returncode, os.read(master, 1 << 16).decode(), ended.stderr
    finally:
        os.close(master)
        os.close(slave)


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")


@needs_full
@pytest.mark.parametrize("arguments", [["tree", "--demo"], ["--version"], ["tree", "--help"]])
def test_an_output_that_takes_no_more_is_not_blamed_on_the_store(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False
        )
    words = "wenchang: The output cannot be written: No space left on device. Send it elsewhere, or make room.\n"
    assert (ended.returncode, ended.stderr) == (3, words)


@needs_full
@pytest.mark.parametrize(
    ("arguments", "code", "start"), [(["tree", "/no/such/folder"], 3, ""), (["tree", "--demo", "--keep"], 0, "demo")]
)
def test_a_stderr_that_takes_nothing_changes_neither_answer_nor_code(
    arguments: list[str], code: int, start: str, tmp_path: Path
) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=LIMIT,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            check=False,
        )
    assert (ended.returncode, ended.stdout[: len("demo")]) == (code, start)


def test_an_answer_goes_to_stdout_and_nothing_else_does(tmp_path: Path) -> None:
    ended = run("tree", "--json", "--create", str(tmp_path / "é"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["target"] == str(tmp_path / "é")
    ended = run("tree", str(tmp_path / "absent"))
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (3, "", 1)


def test_a_stream_that_lacks_a_character_shows_its_escape() -> None:
    ended = run("tree", "--demo", "--scope", "user", PYTHONIOENCODING="ascii")
    assert ended.returncode == 0
    assert "\\u8b80" in ended.stdout


def test_a_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    assert run("index", "--demo", TMPDIR=str(tmp_path)).returncode == 0
    assert list(tmp_path.iterdir()) == []
    assert run("index", "--demo", "--keep", TMPDIR=str(tmp_path)).returncode == 0
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("arguments", [["tree", "--demo"], ["--help"]])
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [*PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_stream_that_is_closed_is_no_error() -> None:
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, "config"]
    ended = subprocess.run(closed, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_an_interrupt_ends_it_with_130(tmp_path: Path) -> None:
    """The configuration is a pipe here: opening it for writing waits until the command has begun to read it."""
    fifo = tmp_path / "config.toml"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [*PROGRAM, "tree", "--demo", "--config", str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with fifo.open("w"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="the size of a pipe cannot be set")
def test_a_signal_before_there_is_a_screen_leaves_no_demo_behind(tmp_path: Path) -> None:
    """The tree is too long for the pipe: the command waits for its reader, with the demo in place."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(
        [*PROGRAM, "tree", "--demo", "--json"], stdout=writer, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    os.read(reader, 1)
    assert list(tmp_path.iterdir()) != []
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=LIMIT) == 143
    assert list(tmp_path.iterdir()) == []
    os.close(reader)
    os.close(writer)


def test_a_target_that_cannot_be_opened_fails_before_the_screen(tmp_path: Path) -> None:
    code, shown, error = on_a_terminal(str(tmp_path / "absent"))
    assert code == 3
    assert shown.strip() == ""
    assert error.startswith("wenchang: Not found")


def test_a_dumb_terminal_is_none() -> None:
    code, shown, error = on_a_terminal("--demo", TERM="dumb")
    assert code == 2
    assert shown.strip() == ""
    assert "needs a terminal" in error


def test_the_screen_is_on_stdout_wherever_stderr_goes_and_the_demo_goes_with_it(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "--demo"],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color", "TMPDIR": str(tmp_path)},
    )
    os.close(slave)
    shown = b""
    try:
        while chunk := _read(master):
            shown += chunk
            if b"tianlong" in shown:
                os.write(master, b"\x11")
        assert process.wait(LIMIT) == 0
    finally:
        process.kill()
        os.close(master)
    assert b"\x1b[?1049h" in shown
    assert process.communicate()[1] == b""
    assert list(tmp_path.iterdir()) == []


def _read(terminal: int) -> bytes:
    """What comes next; nothing when the other side is closed, or stays silent for good."""
    readable, _, _ = select.select([terminal], [], [], LIMIT)
    try:
        return os.read(terminal, 1 << 16) if readable else b""
    except OSError:
        return b""


def test_a_terminal_gets_colours() -> None:
    code, shown, _ = on_a_terminal("show", "--demo", "user/u-tianlong/preferences/feedback")
    assert code == 0
    assert "\x1b[32m[stated]\x1b[0m" in shown


@pytest.mark.parametrize("missing", ["textual", "click"])
def test_without_the_extra_it_names_it(missing: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; import wenchang_tui.__main__ as m; sys.exit(m.main())"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "wenchang[tui]" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["index", "--demo", "--json"]])
def test_nothing_heavy_is_loaded_for_an_answer(arguments: list[str]) -> None:
    script = (
        "import sys; import wenchang_tui.__main__ as m; m.main(); "
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    loaded = set(ended.stderr.split())
    assert "wenchang_tui" in loaded
    assert ("click" in loaded) == (arguments[0] == "index")
    assert not loaded & {"textual", "mcp", "google", "rich", "watchfiles", "requests", "pydantic"}


def test_the_end_collects_nothing_that_goes_with_the_process_anyway() -> None:
    script = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count(), file=sys.stderr)); "
        "import wenchang_tui.__main__ as m; m.main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "--version"], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert int(ended.stderr) > 1000

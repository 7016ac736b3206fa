"""Opening the app on a terminal, with what the command line asks for."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import Request, open_any_request, open_target, read_request
from wenchang_tui.config import remember_target, remembered_targets
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.targets import lasting_target
from wenchang_tui.model.workspace import Workspace


def enter(arguments: Sequence[str], options: Mapping[str, Any]) -> int:
    """Open the app; return its exit code. Raises as `read_request` and opening do."""
    request = read_request(arguments, options)
    is_elsewhere = bool(os.environ.get("TEXTUAL_DRIVER"))  # a web server draws what comes out of stdout
    if not is_elsewhere:
        _check_terminal()
    recent = remembered_targets()
    workspace, problem = _open(request, recent)
    if workspace and workspace.kind != "demo":
        remember_target(lasting_target(workspace))

    from wenchang_tui.app import run  # the screen, and all it takes, only for those who look at it

    with nullcontext() if is_elsewhere else _drawing_on_stdout():
        return run(workspace, recent=recent, problem=problem)


def _check_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError("the app needs a terminal; without one, use wenchang tree or wenchang index.", Exit.USAGE)
    if os.environ.get("TERM") == "dumb":
        raise CommandError("the app needs a terminal, and TERM=dumb is none; use wenchang tree or index.", Exit.USAGE)


@contextmanager
def _drawing_on_stdout() -> Iterator[None]:
    """Let stderr, which Textual draws on, lead to the terminal as well, even where it was sent elsewhere."""
    kept = os.dup(sys.stderr.fileno())
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    try:
        yield
    finally:
        os.dup2(kept, sys.stderr.fileno())
        os.close(kept)


def _open(request: Request, recent: tuple[str, ...]) -> tuple[Workspace | FlatFolder | None, Problem | None]:
    """What is asked for; otherwise the place opened last, or a welcome that says why it cannot be opened."""
    if request.names_something:
        return open_any_request(request), None
    if not recent:
        return None, None
    try:
        return open_target(recent[0], request.settings), None
    except OpenError as error:
        return None, error.problem

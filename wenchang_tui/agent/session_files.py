"""Where saved sessions lie, and what a person is told when one cannot be saved or opened."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.recorder import Session, load_session, save_session
from wenchang_tui.model.problems import OpenError, Problem


def new_path(state: Path, now: datetime) -> Path:
    """A name for a session to be saved."""
    return state / "sessions" / f"{now:%Y-%m-%d-%H%M%S}.json"


def latest(state: Path) -> Path:
    """The session saved last under a name of ours; the folder where there is none."""
    folder = state / "sessions"
    return max(folder.glob("*.json"), default=folder)


def save(path: Path, target: str, calls: Sequence[Call]) -> None:
    """Save calls in a new file. Raises `OSError`, and `OpenError` rather than replace a file."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists():
        raise OpenError(Problem("Already there", f"{path} exists already.", "Choose another name."))
    save_session(path, target, calls)


def load(path: Path) -> Session:
    """Read saved calls. Raises `OSError`, and `OpenError` for another kind of file."""
    try:
        return load_session(path)
    except ValueError as error:
        raise OpenError(Problem("Not opened", str(error), "Name a file that was saved with ^s.")) from error

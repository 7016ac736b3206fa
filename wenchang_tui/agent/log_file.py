"""Keeping the logs of libraries off the terminal: into the app's file, or nowhere."""

import logging
import logging.handlers
from pathlib import Path

_MAX_BYTES = 1_000_000


def log_to(path: Path | None) -> None:
    """Send the logs of this process to a file, for its owner alone; nowhere where it cannot be written.

    Has to come before an MCP server is made: without a handler the framework adds one for the terminal.
    """
    root = logging.getLogger()
    root.addHandler(logging.NullHandler() if path is None else _file_handler(path))
    logging.captureWarnings(True)


def keep_off_the_terminal() -> None:
    """Give the logs of this process somewhere to go, unless they have."""
    if not logging.getLogger().handlers:
        log_to(None)


def _file_handler(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        return logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    return handler

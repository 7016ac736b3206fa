"""What the app finds around it, as a report of a fault needs it: versions, terminal, places, credentials.

Reads the environment and a few files, loads none of what it tells the version of, and speaks to no network. No value of
a credential is ever part of what is returned.
"""

import json
import os
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from wenchang_tui.model.bucket import PAYER

Facts = dict[str, str | bool | None]

PACKAGES = (
    "wenchang", "textual", "rich", "click", "mcp", "uvicorn", "google-cloud-storage", "orjson", "google-re2",
    "watchfiles", "textual-serve",
)  # fmt: skip

_KINDS = ("authorized_user", "external_account", "external_account_authorized_user", "gdch_service_account",
          "impersonated_service_account", "service_account")  # fmt: skip
_KEY_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS"
_EMULATOR_VARIABLE = "STORAGE_EMULATOR_HOST"


def versions() -> Facts:
    """The versions of Python, of the system and of `PACKAGES`; `None` for what is not installed."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        **{package: _version(package) for package in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def terminal(environment: Mapping[str, str]) -> Facts:
    """What is known of the terminal. Whether it takes what is copied (OSC 52), none tells."""
    inside = [name for name, variable in (("tmux", "TMUX"), ("screen", "STY"), ("ssh", "SSH_CONNECTION"))
              if environment.get(variable)]  # fmt: skip
    return {
        **{name: environment.get(name) for name in ("TERM", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "LANG")},
        "input": "a terminal" if sys.stdin.isatty() else "no terminal",
        "output": "a terminal" if sys.stdout.isatty() else "no terminal",
        "size": _size(),
        "encoding": sys.stdout.encoding,
        "inside": ", ".join(inside) or None,
        "clipboard": "unknown: a terminal takes what is copied (OSC 52), or drops it, and does not tell",
    }


def _size() -> str | None:
    try:
        columns, lines = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1)
    except (OSError, ValueError):
        return None
    return f"{columns}x{lines}"


def place(path: Path) -> Facts:
    """Whether there is something at a path, and whether it could be written, or made."""
    exists = path.exists()
    nearest = path if exists else next((folder for folder in path.parents if folder.exists()), path)
    return {"path": str(path), "exists": exists, "writable": os.access(nearest, os.W_OK)}


def cloud(environment: Mapping[str, str]) -> Facts:
    """How buckets are reached: an emulator, or the kind of credentials that were found and where."""
    emulator = environment.get(_EMULATOR_VARIABLE)
    return {
        "emulator": emulator.rpartition("@")[2] if emulator else None,
        "credentials": _credentials(environment),
        "billing project": environment.get(PAYER),
    }


def _credentials(environment: Mapping[str, str]) -> str | None:
    if named := environment.get(_KEY_VARIABLE):
        return f"{_kind(Path(named))}, named by {_KEY_VARIABLE}"
    folder = environment.get("CLOUDSDK_CONFIG") or Path("~/.config/gcloud").expanduser()
    path = Path(folder) / "application_default_credentials.json"
    return f"{_kind(path)}, from gcloud" if path.exists() else None


def _kind(path: Path) -> str:
    try:
        kind = json.loads(path.read_text(encoding="utf-8"))["type"]
    except FileNotFoundError:
        return "a file that does not exist"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "a file that cannot be read as credentials"
    return kind if kind in _KINDS else "credentials of an unknown kind"

"""What a client was told about this server, kept so that it finds it tomorrow: the token and the port, by target.

A convenience: in a home that cannot be written or read nothing is kept, and that is no error.
"""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from wenchang_tui.agent.callers import new_token


@dataclass(frozen=True, slots=True)
class Registration:
    """The token and the port of one target; port 0 until one was taken."""

    token: str = field(repr=False)
    port: int = 0


class Registrations:
    """The registrations in one state folder, each in a file that only its owner can read."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "agent"

    def of(self, target: str) -> Registration:
        """The registration of `target`, a new one where none can be read."""
        try:
            kept = json.loads(self._path(target).read_text(encoding="utf-8"))
            return Registration(_text(kept["token"]), _port(kept["port"]))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return self.renew(target)

    def renew(self, target: str, port: int = 0) -> Registration:
        """Make a new token, so that whoever knows the old one is shut out, and keep it with `port`."""
        made = Registration(new_token(), port)
        self.keep(target, made)
        return made

    def keep(self, target: str, registration: Registration) -> None:
        """Keep a registration, where that is possible."""
        text = json.dumps({"target": target, "token": registration.token, "port": registration.port})
        with suppress(OSError):
            _write_private(self._path(target), text)

    def _path(self, target: str) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(target)).hexdigest()[:16]}.json"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isascii() or len(value) < 16:
        raise ValueError("not a token")
    return value


def _port(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 65536:
        raise ValueError("not a port")
    return value


def _write_private(path: Path, text: str) -> None:
    """Replace a file by one that is never seen half written, for its owner alone (mode 0600, in a folder of 0700)."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise

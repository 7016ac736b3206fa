"""A body in the person's own editor and back: the file it stands in meanwhile, byte for byte. Running it is the app's.

The file is kept until it was read back, so that a text typed there survives whatever happens to the app.
"""

import os
import shlex
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from wenchang_tui.model.problems import Problem, describe

_LONGEST_NAME = 60


def editor_command(environment: Mapping[str, str]) -> list[str] | None:
    """The words of `$VISUAL`, else of `$EDITOR`; `None` when neither says anything that can be run."""
    for variable in ("VISUAL", "EDITOR"):
        with suppress(ValueError):
            if words := shlex.split(environment.get(variable, "")):
                return words
    return None


def start_editing(folder: Path, name: str, body: str) -> Path | Problem:
    """Write the body into a new file below `folder`, readable by its owner alone, with a name that says which it is."""
    safe = "".join(character if character.isalnum() or character in "-_" else "-" for character in name)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = Path(tempfile.mkdtemp(dir=folder)) / f"{safe.encode()[:_LONGEST_NAME].decode(errors='ignore')}.md"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(body.encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        return describe(error)
    return path


def finish_editing(path: Path) -> str | Problem:
    """What the editor left there, and the file is gone; on a problem it stays, for the text in it."""
    try:
        body = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return Problem("Not UTF-8", f"The editor left bytes in {path} that are no UTF-8 text.", "Save it as UTF-8.")
    except OSError as error:
        return describe(error)
    with suppress(OSError):
        for leftover in path.parent.iterdir():  # swap and backup files of the editor
            leftover.unlink()
        path.parent.rmdir()
    return body

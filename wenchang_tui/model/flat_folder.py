"""A file memory that is open: a folder of plain text files, as a person names it and as it is recognised.

Says nothing about what lies in it (`flat_memory`), and imports nothing that needs the extra `filememory`.
"""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from wenchang.storage.filesystem import key_of
from wenchang_tui.model.problems import OpenError, Problem, describe
from wenchang_tui.model.settings import Settings

SCHEME = "filememory:"
KIND = "filememory"

_STAGING = ".wenchang-staging"
_LOOKED_AT = 10_000
"""Files below a folder that are looked at to find an object of a store among them."""


@dataclass(frozen=True, slots=True)
class FlatFolder:
    """An open file memory. `target` is its name for a person, `kind` is `filememory` or `demo`.

    Of the settings only `read_only` and `source` mean anything here: there are no scopes and no limits.
    """

    target: str
    kind: str
    root: Path
    settings: Settings


def open_flat(target: str, settings: Settings, *, create: bool = False) -> FlatFolder:
    """The file memory at `target`, a path with or without `SCHEME`; `create` makes it, for its owner alone.

    Raises `OpenError`.
    """
    _check_installed()
    root = _path(target.removeprefix(SCHEME))
    try:
        if create and not settings.read_only:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.scandir(root):  # a folder that may not be read fails here, before anything is drawn
            pass
    except OSError as error:
        raise OpenError(describe(error)) from error
    return FlatFolder(target, KIND, root, settings)


def _path(text: str) -> Path:
    """`~/` is the home."""
    path = Path(text)
    return path.expanduser() if path.parts[:1] == ("~",) else path


def _check_installed() -> None:
    if find_spec("re2") is None:
        sentence = "A file memory needs the optional 'filememory' extra."
        raise OpenError(Problem("Not installed", sentence, "Run pip install 'wenchang[filememory]'."))


def is_flat(path: str) -> bool:
    """Whether a folder is a file memory: plain files lie in it, and nowhere below it an object of a store.

    Hidden files decide nothing. A folder that cannot be read is none.
    """
    root = _path(path)
    try:
        with os.scandir(root) as entries:
            has_files = any(e.is_file(follow_symlinks=False) and not e.name.startswith(".") for e in entries)
    except OSError:
        return False
    return has_files and not _holds_objects(root)


def _holds_objects(root: Path) -> bool:
    files = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)  # noqa: PTH118
    return any(key_of(root, path) is not None for path in islice(files, _LOOKED_AT))


def flat_key(root: Path, path: str) -> str | None:
    """The path of a file within the memory; `None` for what the library puts aside for itself."""
    try:
        key = Path(path).relative_to(root)
    except ValueError:
        return None
    return None if key.parts[:1] in ((), (_STAGING,)) else key.as_posix()

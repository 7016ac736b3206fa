"""Every way to write a target, and what it opens: a store, or a file memory."""

import os

from wenchang_tui.model.bucket import SCHEME, open_bucket_target
from wenchang_tui.model.flat_folder import SCHEME as FLAT_SCHEME
from wenchang_tui.model.flat_folder import FlatFolder, is_flat, open_flat
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder


class UnknownTargetError(ValueError):
    """A target of a kind that is not known; the text says which kinds are."""


def open_any(target: str, settings: Settings, *, create: bool = False) -> Workspace | FlatFolder:
    """Open a target as `open_target` does, or as a file memory: `filememory:PATH`, or a folder that is one.

    Raises as `open_target`.
    """
    if not _can_be_named(target):
        raise UnknownTargetError("the target holds a character that no path can hold; name a folder or gs://BUCKET")
    if target == FLAT_SCHEME:
        raise UnknownTargetError(f"{FLAT_SCHEME} names no folder; write {FLAT_SCHEME}PATH")
    if target.startswith(FLAT_SCHEME) or ("://" not in target and is_flat(target)):
        return open_flat(target, settings, create=create)
    return open_target(target, settings, create=create)


def open_target(target: str, settings: Settings, *, create: bool = False) -> Workspace:
    """Open a store as a person writes it: `gs://BUCKET`, or the path of a folder, which `create` makes.

    Raises `UnknownTargetError` before anything is touched, and `OpenError`.
    """
    if target.startswith(SCHEME):
        return open_bucket_target(target, settings)
    if target.startswith(FLAT_SCHEME) or "://" in target:
        kind = target[: target.index(":")]
        raise UnknownTargetError(
            f"{target}: stores of the kind {kind} cannot be opened; name a folder or gs://BUCKET, or use --demo"
        )
    return open_folder(target, settings, create=create)


def _can_be_named(target: str) -> bool:
    """Whether the operating system could have a file of this name: no NUL, and nothing that it cannot spell."""
    try:
        return b"\0" not in os.fsencode(target)
    except UnicodeEncodeError:
        return False


def lasting_target(opened: Workspace | FlatFolder) -> str:
    """The target that opens the same place again, from wherever."""
    if opened.root is None:
        return opened.target
    return f"{FLAT_SCHEME if isinstance(opened, FlatFolder) else ''}{opened.root.absolute()}"

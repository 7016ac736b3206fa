"""Every way to write a target, and the workspace that it opens."""

from wenchang_tui.model.bucket import SCHEME, open_bucket_target
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder


class UnknownTargetError(ValueError):
    """A target of a kind that is not known; the text says which kinds are."""


def open_target(target: str, settings: Settings, *, create: bool = False) -> Workspace:
    """Open a target as a person writes it: `gs://BUCKET`, or the path of a folder, which `create` makes.

    Raises `UnknownTargetError` before anything is touched, and `OpenError`.
    """
    if target.startswith(SCHEME):
        return open_bucket_target(target, settings)
    if target.startswith("filememory:") or "://" in target:
        kind = target[: target.index(":")]
        raise UnknownTargetError(
            f"{target}: targets of the kind {kind} cannot be opened; name a folder or gs://BUCKET, or use --demo"
        )
    return open_folder(target, settings, create=create)

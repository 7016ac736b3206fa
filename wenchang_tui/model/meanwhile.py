"""What a change from outside means for an edit that is open: it never touches what is typed. Pure."""

from enum import StrEnum

from wenchang_tui.model.content import Snapshot
from wenchang_tui.model.editing import Edit


class Meanwhile(StrEnum):
    """What to make of what stands in the store now."""

    NOTHING = "nothing"
    """It is the version that the edit started from, or nothing where nothing was."""
    READ_AGAIN = "read again"
    """Nobody typed anything: show what is there now."""
    GO_ON = "go on"
    """Only the version is another, or both say the same: go on typing, over that version."""
    COMPARE = "compare"
    """Both sides changed it: a person has to compare."""
    CLOSE = "close"
    """It is gone, and nobody typed anything."""
    GONE = "gone"
    """It is gone, but what is typed is still here."""


def meanwhile(typed: Edit, found: Snapshot | None) -> Meanwhile:
    """Compare an edit as typed so far with what stands in the store, `None` being nothing."""
    base = typed.base
    if found is None:
        return Meanwhile.NOTHING if base is None else Meanwhile.GONE if typed.is_changed else Meanwhile.CLOSE
    if base is not None and found.version == base.version:
        return Meanwhile.NOTHING
    if base is not None and not typed.is_changed:
        return Meanwhile.READ_AGAIN
    is_same = typed.content == found.content or (base is not None and base.content == found.content)
    return Meanwhile.GO_ON if is_same else Meanwhile.COMPARE

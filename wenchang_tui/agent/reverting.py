"""Taking a change back, in words for a person, and as one more call in the list."""

from dataclasses import replace
from datetime import datetime
from os import getpid

from wenchang_tui.agent.calls import Call, Change
from wenchang_tui.agent.history import REVERT, long_path, target
from wenchang_tui.agent.recorder import ChangedSince, Reverted
from wenchang_tui.model.problems import Problem

_SHORT = 12


def versions(change: Change) -> str:
    """From which version to which, in words where there was or is no file."""
    if change.before is None:
        return f"a new file, version {_short(change.after.version)}" if change.after else ""
    before = _short(change.before.version)
    return (
        f"version {before}, deleted" if change.after is None else f"version {before} to {_short(change.after.version)}"
    )


def _short(version: str) -> str:
    return version if len(version) <= _SHORT else f"{version[:_SHORT]}…"


def consequence(change: Change) -> str:
    """What taking a change back would lead to."""
    name = long_path(change.path)
    if change.before is None:
        return f"{name} would be deleted again. The call made {versions(change)}."
    if change.after is None:
        return f"{name} would be written again as it was. The call left {versions(change)}."
    return f"{name} would get back the text, description and aliases it had. The call took it from {versions(change)}."


def as_call(call: Call, reverted: Reverted, now: datetime) -> Call:
    """What the person did, as a row among the calls; it can be taken back like any other."""
    assert call.change is not None
    file = reverted.file
    return replace(
        call,
        caller="you",
        client="wenchang",
        protocol="",
        tool=REVERT,
        arguments={"call": call.tool, "path": call.change.path},
        answer={"ok": True} if file is None else {"version": file.version, "content": file.content},
        category=None,
        started=now,
        duration_s=0.0,
        change=Change(call.change.path, call.change.after, file),
        process=getpid(),
        note="",
    )


def conflict(call: Call, found: ChangedSince) -> Problem:
    """Why a change was not taken back."""
    assert call.change is not None
    after = call.change.after
    left = "this call deleted it" if after is None else f"this call left version {_short(after.version)}"
    now = "it is gone now" if found.version is None else f"it is at version {_short(found.version)} now"
    sentence = f"{target(call)} was changed since: {left}, {now}. Nothing was reverted."
    return Problem("Conflict", sentence, "b opens the file as it is.")

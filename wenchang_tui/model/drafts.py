"""Typed text that is not saved yet, kept on disk so that no crash takes it: one file for each target and key.

A draft remembers what it was made from, so that a person who returns can still merge. It is a convenience of the app: a
folder that cannot be written or a draft that cannot be read is reported, never an error.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from wenchang.file_format import metadata_from_map
from wenchang.paths import parse_path
from wenchang.storage import StoredObject
from wenchang.version_token import VersionToken
from wenchang_tui.model.content import Content, Snapshot
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit of a file of `target` as it was when last typed in."""

    target: str
    edit: Edit
    saved_at: datetime


class DraftFolder:
    """The drafts in one folder, which the first one makes, readable by its owner alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, draft: Draft) -> bool:
        """Write a draft in the place of an earlier one, whole and flushed; whether that worked."""
        try:
            _write_whole(self._path(draft.target, draft.edit.key), json.dumps(_to_json(draft)))
        except OSError:
            return False
        return True

    def find(self, target: str, key: str) -> Draft | None:
        """The draft for `key`, if there is one that can be read."""
        return _read(self._path(target, key), target)

    def of_target(self, target: str) -> tuple[Draft, ...]:
        """All readable drafts of a target, latest first."""
        drafts = (_read(path, target) for path in self._paths())
        return tuple(sorted(filter(None, drafts), key=lambda draft: draft.saved_at, reverse=True))

    def discard(self, target: str, key: str) -> None:
        """Forget the draft for `key`: it is saved, or given up."""
        with suppress(OSError):
            self._path(target, key).unlink(missing_ok=True)

    def _path(self, target: str, key: str) -> Path:
        name = json.dumps([target, key])  # ASCII, so that no surrogate is in the way
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.json"

    def _paths(self) -> Iterator[Path]:
        with suppress(OSError):
            yield from self._folder.glob("*.json")


def draft_target(workspace: Workspace) -> str:
    """The name under which the drafts of a workspace are kept: that of a folder does not depend on where one stands."""
    return str(workspace.root.resolve()) if workspace.root else workspace.target


def _read(path: Path, target: str) -> Draft | None:
    try:
        draft = _from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        return None  # cut short, edited by hand, or of another release
    return draft if draft.target == target else None


def _to_json(draft: Draft) -> dict[str, Any]:
    base = draft.edit.base
    return {
        "target": draft.target,
        "key": draft.edit.key,
        "saved_at": draft.saved_at.isoformat(),
        "content": _content_to_json(draft.edit.content),
        "base": base and {"body": base.content.body, "metadata": dict(base.stored.metadata), "version": base.version},
    }


def _content_to_json(content: Content) -> dict[str, Any]:
    return {"body": content.body, "description": content.description, "aliases": list(content.aliases)}


def _from_json(document: Mapping[str, Any]) -> Draft:
    """Raises whatever a document that is no draft leads to."""
    key = _text(document["key"])
    parse_path(key)
    base = document["base"]
    edit = Edit(key, None if base is None else _base_from_json(key, base), _content_from_json(document["content"]))
    saved_at = datetime.fromisoformat(document["saved_at"])
    if saved_at.tzinfo is None:
        raise ValueError("a time without an offset")
    return Draft(_text(document["target"]), edit, saved_at)


def _base_from_json(key: str, base: Mapping[str, Any]) -> Snapshot:
    body, version = _text(base["body"]), VersionToken(_text(base["version"]))
    stored = {_text(name): _text(value) for name, value in base["metadata"].items()}
    metadata = metadata_from_map(stored)
    content = Content(body, metadata.description, metadata.aliases)
    return Snapshot(key, content, metadata, StoredObject(body.encode("utf-8"), stored, version))


def _content_from_json(content: Mapping[str, Any]) -> Content:
    aliases = tuple(_text(alias) for alias in content["aliases"])
    return Content(_text(content["body"]), _text(content["description"]), aliases)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

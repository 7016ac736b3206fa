"""One call of a tool as it is shown, saved and logged: who called what, what came of it, what it did to a file.

Values and their JSON. A record holds memory contents but never a token or a header.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wenchang.core import MemoryFile
from wenchang.file_format import DESCRIPTION_KEY, FileMetadata, metadata_from_map, metadata_to_map
from wenchang.version_token import VersionToken

CANCELLED = "cancelled"
"""The category of a call that was broken off, by its client or because the server stopped."""

REJECTED = "rejected"
"""The category of a call that reached no tool: an unknown one, or arguments that do not fit it."""

PENDING = "pending"
"""In the place of a category while a call runs; only who watches calls begin ever sees it."""


class FlatMetadata(FileMetadata):
    """The metadata of a file in a file memory, where a description may have several lines."""

    __slots__ = ()

    def __post_init__(self) -> None:
        """Any description will do."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a call did to one file: how it was before and how the call left it, `None` where there was no file."""

    path: str
    before: MemoryFile | None
    after: MemoryFile | None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    `caller` is whose token it carried, `client` what the program calls itself, `protocol` the revision spoken.
    `arguments` are those sent. `answer` is what the client got. `category` is `None` for a success, otherwise the one
    of the error: recoverable, permanent, transient, internal, rejected or cancelled. `started` is in UTC, `duration_s`
    in seconds. `process` is the process ID of the server. `note` says what this record lacks, and why.
    """

    caller: str
    client: str
    protocol: str
    tool: str
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    category: str | None
    started: datetime
    duration_s: float
    change: Change | None
    process: int
    note: str = ""

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.category not in (None, PENDING)

    @property
    def is_pending(self) -> bool:
        """Whether the call still runs."""
        return self.category == PENDING


def call_to_json(call: Call) -> dict[str, Any]:
    """The JSON object of a call."""
    return {
        "caller": call.caller,
        "client": call.client,
        "protocol": call.protocol,
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "answer": dict(call.answer),
        "category": call.category,
        "started": call.started.isoformat(),
        "duration_s": call.duration_s,
        "change": None if call.change is None else _change_to_json(call.change),
        "process": call.process,
        "note": call.note,
    }


def call_from_json(value: Any) -> Call:
    """The call that `call_to_json` made `value` of. Raises `ValueError` for anything else."""
    try:
        started = datetime.fromisoformat(value["started"])
        change = None if value["change"] is None else _change_from_json(value["change"])
        call = Call(**{**value, "started": started, "change": change})
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise ValueError("not the record of a call") from error
    _check(call)
    return call


def _check(call: Call) -> None:
    texts = (call.caller, call.client, call.protocol, call.tool, call.note, call.category or "")
    is_sound = (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(mapping, dict) for mapping in (call.arguments, call.answer))
        and isinstance(call.duration_s, int | float)
        and isinstance(call.process, int)
        and call.started.tzinfo is not None
    )
    if not is_sound:
        raise ValueError("not the record of a call")


def _change_to_json(change: Change) -> dict[str, Any]:
    return {"path": change.path, "before": _file_to_json(change.before), "after": _file_to_json(change.after)}


def _change_from_json(value: dict[str, Any]) -> Change:
    path = _text(value["path"])
    return Change(path, _file_from_json(path, value["before"]), _file_from_json(path, value["after"]))


def _file_to_json(file: MemoryFile | None) -> dict[str, Any] | None:
    if file is None:
        return None
    return {"content": file.content, "metadata": metadata_to_map(file.metadata), "version": file.version}


def _file_from_json(path: str, value: dict[str, Any] | None) -> MemoryFile | None:
    if value is None:
        return None
    metadata = _metadata_from_json(path, value["metadata"])
    return MemoryFile(path, _text(value["content"]), metadata, VersionToken(_text(value["version"])))


def _metadata_from_json(path: str, value: dict[str, str]) -> FileMetadata:
    if "/" in path:
        return metadata_from_map(value)
    rest = metadata_from_map({**value, DESCRIPTION_KEY: ""})  # only a file memory names its files without a folder
    return FlatMetadata(_text(value[DESCRIPTION_KEY]), rest.aliases, rest.sources, rest.last_updated)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value

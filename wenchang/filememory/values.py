"""The values that go in and out of the file memory, and what an application's session must be able to do."""

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class State:
    """What a session remembers: its working folder, relative to the root; the root itself when blank."""

    working_folder: str = ""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One memory as a listing shows it; `description` is empty where there is none."""

    name: str
    type: str = "file"
    description: str = ""


@dataclass(frozen=True, slots=True)
class LineMatch:
    """A line that matches: its number, counted from 1, and all of it with its terminator."""

    line_number: int
    line: str


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A memory with at least one matching line; `snippet` is the text around the first match."""

    file_name: str
    snippet: str
    matching_lines: tuple[LineMatch, ...]


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message for the application to add to a conversation, and where it comes from."""

    role: str
    text: str
    source_type: str
    source_id: str


class Session(Protocol):
    """What an application keeps for one conversation: JSON values under keys. It must be safe for its threads."""

    def get(self, key: str) -> Any:
        """The value under `key`; `None` when nothing is stored."""

    def set(self, key: str, value: Any) -> None:
        """Keep `value` under `key`."""

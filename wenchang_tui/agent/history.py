"""The calls seen so far, as a list that a person reads: bounded, searchable, each call in its place from its beginning.

Knows neither where calls come from nor how they are drawn.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wenchang.paths import parse_path
from wenchang_tui.agent.calls import Call, call_to_json
from wenchang_tui.model.folding import fold

MAX_CALLS = 5_000
REVERT = "revert"
"""In the place of a tool: the person took a change back."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A call with a number that stays the same for as long as it is listed."""

    number: int
    call: Call

    @property
    def key(self) -> str:
        """The number as a text."""
        return str(self.number)


class History:
    """The newest calls, oldest first. A call that runs is replaced by what became of it."""

    def __init__(self, limit: int = MAX_CALLS) -> None:
        self._limit = limit
        self._entries: dict[int, Entry] = {}
        self._running: dict[tuple[int, datetime, str], int] = {}
        self._next = 1
        self._dropped = 0

    @property
    def entries(self) -> Sequence[Entry]:
        """What is kept, in the order in which the calls began."""
        return list(self._entries.values())

    @property
    def dropped(self) -> int:
        """How many calls were let go to stay within the limit."""
        return self._dropped

    def add(self, calls: Iterable[Call]) -> None:
        """Take calls in, whether they begin or have ended."""
        for call in calls:
            name = (call.process, call.started, call.tool)
            number = self._running.pop(name, None)
            if number is None:
                number, self._next = self._next, self._next + 1
            elif number not in self._entries:  # it ran for longer than the list is long
                continue
            if call.is_pending:
                self._running[name] = number
            self._entries[number] = Entry(number, call)
        while len(self._entries) > self._limit:
            del self._entries[next(iter(self._entries))]
            self._dropped += 1

    def clear(self) -> None:
        """Forget every call that has ended."""
        self._entries = {number: entry for number, entry in self._entries.items() if entry.call.is_pending}
        self._dropped = 0


@dataclass(frozen=True, slots=True)
class CallFilter:
    """Words that must all match, or must not. `everything` looks into arguments, answers and files as well."""

    words: tuple[tuple[str, bool], ...] = ()
    everything: bool = False

    def matches(self, call: Call) -> bool:
        """Whether the call is shown."""
        if not self.words:
            return True
        text = fold(json.dumps(call_to_json(call), ensure_ascii=False) if self.everything else summary(call))
        return all((word in text) is wanted for word, wanted in self.words)


def parse_call_filter(text: str, *, everything: bool = False) -> CallFilter:
    """The filter that a person typed: `word`, `!word`; with `everything` the text as a whole, spaces included."""
    if everything:
        needle = fold(json.dumps(text.strip(), ensure_ascii=False)[1:-1])
        return CallFilter(((needle, True),) if needle else (), True)
    pairs = ((fold(word.removeprefix("!")), not word.startswith("!")) for word in text.split())
    return CallFilter(tuple(pair for pair in pairs if pair[0]))


def summary(call: Call) -> str:
    """What a row says of a call, on one line."""
    return " ".join((call.caller, call.client, call.tool, target(call), outcome(call)))


def outcome(call: Call) -> str:
    """What became of a call, in a word: ok, pending, or the category of its error."""
    return call.category or "ok"


def target(call: Call) -> str:
    """What a call was about, as `scope/area/name`, from its arguments or from the file that it changed."""
    return target_of(call.arguments) if call.change is None else short_path(call.change.path)


def short_path(path: str) -> str:
    """A path as agents know it, without the entity; one of another shape as it is."""
    try:
        parts = parse_path(path)
    except ValueError:
        return path
    return f"{parts.scope}/{parts.area}/{parts.name}"


def long_path(path: str) -> str:
    """A path with its entity, without its ending; the file of a file memory as it is, whose ending is of its name."""
    return path.removesuffix(".md") if "/" in path else path


def target_of(arguments: Mapping[str, Any]) -> str:
    """The file, area or scope that arguments name, as far as they do; of a file memory the file."""
    given = [arguments.get(name) for name in ("scope", "area", "name", "file_name")]
    return "/".join(part for part in given if isinstance(part, str))


def touched(calls: Iterable[Call]) -> frozenset[str]:
    """The keys of the files that calls changed."""
    return frozenset(call.change.path for call in calls if call.change is not None)

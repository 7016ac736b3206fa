"""What is worth saying about a file while it is typed: each remark says what it means for the agent.

An error stands in the way of saving; a warning is something the agent will stumble over; a note is good to know.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from wenchang._types import is_utf8
from wenchang.core import DEFAULT_MAX_METADATA_BYTES
from wenchang.errors import InvalidArgumentError
from wenchang.file_format import ConfidenceLabel, parse_fact
from wenchang.identity import Identity, ScopeGrant
from wenchang.paths import PathParts, is_valid_path, is_valid_segment, parse_path
from wenchang.scope import SYSTEM_AREA
from wenchang.tools.arguments import file_path, one_line_description
from wenchang_tui.model.content import Content, metadata_bytes
from wenchang_tui.model.folding import fold
from wenchang_tui.model.lookalikes import look_of

NEARLY_FULL = 0.9
_LABELS = ", ".join(f"[{label}]" for label in ConfidenceLabel)
_ALMOST_FACT = re.compile(r"\s*[-*+]?\s*\[\s*(?P<label>\w+)\s*\]\s*(?P<text>.*)", re.DOTALL)


class Level(StrEnum):
    """How much a remark weighs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Field(StrEnum):
    """What a remark is about."""

    NAME = "name"
    DESCRIPTION = "description"
    ALIASES = "aliases"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing about a file; `line` counts from 1, in bodies only."""

    level: Level
    field: Field
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Gauge:
    """UTF-8 bytes against a limit."""

    used: int
    limit: int

    @property
    def is_over(self) -> bool:
        """Whether the limit is passed; exactly at it is fine."""
        return self.used > self.limit

    @property
    def is_nearly_full(self) -> bool:
        """Whether little is left."""
        return self.used >= NEARLY_FULL * self.limit


def gauges(content: Content, sources: Iterable[str], max_file_bytes: int) -> tuple[Gauge, Gauge]:
    """The body against its limit, and the metadata against theirs, as stored with all of `sources`."""
    metadata = metadata_bytes(content.description, content.aliases, sources)
    return Gauge(content.size, max_file_bytes), Gauge(metadata, DEFAULT_MAX_METADATA_BYTES)


def lint(key: str, content: Content, sources: Iterable[str], max_file_bytes: int) -> tuple[Remark, ...]:
    """All remarks on a file, those on the body in the order of its lines."""
    return (
        *lint_sizes(content, sources, max_file_bytes),
        *lint_description(content.description),
        *lint_aliases(key, content.aliases),
        *lint_body(content.body, is_curated=is_valid_path(key) and parse_path(key).area == SYSTEM_AREA),
    )


def lint_sizes(content: Content, sources: Iterable[str], max_file_bytes: int) -> Iterator[Remark]:
    """What the two limits mean."""
    body, metadata = gauges(content, sources, max_file_bytes)
    if body.is_over:
        yield Remark(Level.ERROR, Field.BODY, f"{_of(body)}: it cannot be saved; move facts into another file.")
    elif body.is_nearly_full:
        left = body.limit - body.used
        yield Remark(Level.WARNING, Field.BODY, f"{_of(body)}: the agent can add {left:,} bytes before it is refused.")
    if metadata.is_over:
        text = f"{_of(metadata)} of metadata: it cannot be saved; shorten the description or drop aliases."
        yield Remark(Level.ERROR, Field.DESCRIPTION, text)


def lint_description(description: str) -> Iterator[Remark]:
    """One line that says what is in the file."""
    if not is_utf8(description):
        yield Remark(Level.ERROR, Field.DESCRIPTION, "It holds half a character, which cannot be stored.")
    elif "\n" in description or "\r" in description:
        yield Remark(Level.ERROR, Field.DESCRIPTION, "It is more than one line, which cannot be stored.")
    elif not _is_one_line(description):
        text = "It holds a line break of an unusual kind; the agent may not write such a description itself."
        yield Remark(Level.WARNING, Field.DESCRIPTION, text)
    if is_vague(description):
        text = "The agent chooses files by their descriptions; it would not find this one by it."
        yield Remark(Level.WARNING, Field.DESCRIPTION, text)


# fmt: off
_SAYS_NOTHING = frozenset((
    "description", "desc", "document", "file", "misc", "miscellaneous", "memory", "n/a", "na", "none", "note", "notes",
    "null", "placeholder", "stuff", "tbd", "text", "thing", "things", "todo", "undefined", "unknown", "untitled", "xxx",
))
# fmt: on


def is_vague(description: str) -> bool:
    """Whether a description holds no word that anybody could look for."""
    words = [word for word in re.findall(r"[\w/]+", fold(description)) if any(map(str.isalnum, word))]
    return all(word in _SAYS_NOTHING for word in words)


def lint_aliases(key: str, aliases: Iterable[str]) -> Iterator[Remark]:
    """Other names of the subject, each once."""
    name = parse_path(key).name if is_valid_path(key) else None
    seen: dict[str, str] = {}
    for alias in aliases:
        folded = fold(alias)
        if not is_utf8(alias):
            yield Remark(Level.ERROR, Field.ALIASES, "An alias holds half a character, which cannot be stored.")
        elif not alias.strip():
            yield Remark(Level.WARNING, Field.ALIASES, "An alias is blank: the agent finds nothing by it.")
        elif alias in seen.values():
            yield Remark(Level.WARNING, Field.ALIASES, f"{alias} is there twice; the second costs room in the index.")
        elif folded in seen:
            text = f"{alias} and {seen[folded]} are the same to a reader; both cost room in the index."
            yield Remark(Level.NOTE, Field.ALIASES, text)
        elif alias == name:
            yield Remark(Level.NOTE, Field.ALIASES, f"{alias} is the name already; as an alias it adds nothing.")
        seen.setdefault(folded, alias)


def lint_body(body: str, *, is_curated: bool) -> Iterator[Remark]:
    """Fact lines, and lines that only look like one. Any other line is as welcome."""
    if not body.strip():
        yield Remark(Level.NOTE, Field.BODY, "The file is empty: the agent reads it for nothing.")
    if not is_utf8(body):
        yield Remark(Level.ERROR, Field.BODY, "The text holds half a character, which cannot be stored.")
    if body.startswith("\ufeff"):
        text = "The text starts with a byte-order mark, so its first line is no fact to the agent."
        yield Remark(Level.WARNING, Field.BODY, text, 1)
    for number, line in enumerate(body.split("\n"), start=1):
        if remark := _lint_line(line, number, is_curated):
            yield remark


def _lint_line(line: str, number: int, is_curated: bool) -> Remark | None:
    fact = parse_fact(line)
    if fact is None:
        text = _almost_a_fact(line)
        return Remark(Level.WARNING, Field.BODY, text, number) if text else None
    if is_curated and fact.label is not ConfidenceLabel.SYSTEM:
        text = f"[{fact.label}] in a curated file: the agent takes it for something it learned itself; use [system]."
        return Remark(Level.WARNING, Field.BODY, text, number)
    if not is_curated and fact.label is ConfidenceLabel.SYSTEM:
        text = "[system] outside system/: the agent takes it for curated content, which it may change here."
        return Remark(Level.WARNING, Field.BODY, text, number)
    return None


def _almost_a_fact(line: str) -> str | None:
    """What keeps a line from being the fact that it seems to be meant as."""
    match = _ALMOST_FACT.fullmatch(line)
    if match is None:
        return None
    label, text = match["label"], match["text"]
    if label.lower() not in set(ConfidenceLabel):
        is_item = line.lstrip().startswith(("-", "*", "+")) and len(label) > 1
        return f"[{label}] is no label, so to the agent this is no fact; labels are {_LABELS}." if is_item else None
    if not text.strip():
        return f"[{label}] without a text is no fact to the agent."
    return f"Not quite a fact line, so the agent sees no label; write - [{label.lower()}] {text.strip()}"


def lint_name(parts: PathParts, neighbours: Iterable[str] = ()) -> tuple[Remark, ...]:
    """Remarks on a name that is being chosen; `neighbours` are the other names in its area."""
    error = _unstorable(parts)
    if error:
        return (Remark(Level.ERROR, Field.NAME, error),)
    warnings = [_unreachable(parts), _twin(parts.name, neighbours), _double_ending(parts.name)]
    return tuple(Remark(Level.WARNING, Field.NAME, text) for text in warnings if text)


def _unstorable(parts: PathParts) -> str | None:
    for what, segment in (("name", parts.name), ("area", parts.area)):
        if not segment:
            return f"The {what} is missing."
        if not is_utf8(segment):
            return f"The {what} holds half a character, which cannot be stored."
        if not is_valid_segment(segment):
            return f"The {what} may not be . or .., nor hold a slash, a backslash or a control character."
    return None


def _unreachable(parts: PathParts) -> str | None:
    reason = unreachable_reason(parts)
    return reason and f"The agent sees the file in its index but cannot read it: {reason}."


def unreachable_reason(parts: PathParts) -> str | None:
    """Why the tools refuse to name a file that may well be stored. Agent layer, section 4.2."""
    try:
        file_path(Identity({parts.scope: ScopeGrant(parts.entity_id, "owner")}), parts.scope, parts.area, parts.name)
    except InvalidArgumentError as error:
        return error.detail.partition(" is invalid: ")[2]
    except ValueError as error:
        return str(error)
    return None


def _twin(name: str, neighbours: Iterable[str]) -> str | None:
    looks = look_of(name)
    twin = next((other for other in neighbours if other != name and look_of(other) == looks), None)
    return twin and f"There is {twin} already, which looks the same; the agent would mix them up."


def _double_ending(name: str) -> str | None:
    return f"The file will be stored as {name}.md, ending twice." if name.endswith(".md") else None


def _is_one_line(description: str) -> bool:
    try:
        one_line_description(description)
    except InvalidArgumentError:
        return False
    return True


def _of(gauge: Gauge) -> str:
    return f"{gauge.used:,} of {gauge.limit:,} bytes"

"""A file or an area as the agent meets it: its rows in the index, whether they are inside the cut, what finds them.

Pure, on top of a budget that was planned for the identity in question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wenchang.core import FileEntry, index_entry_bytes
from wenchang.identity import Identity
from wenchang.paths import PathParts
from wenchang.tools import render_result
from wenchang_tui.model.budget import Budget, BudgetRow, Collected, plan_budget
from wenchang_tui.model.catalog import FileRow, OpenFile
from wenchang_tui.model.folding import fold
from wenchang_tui.model.linting import unreachable_reason


class Standing(StrEnum):
    """Where a file stands for one identity."""

    INCLUDED = "included"
    CUT = "cut"
    NOT_GRANTED = "not granted"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class AgentView:
    """What an agent knows of one file before it reads it.

    `row` is the index row as rendered, `None` for a file that has none; `bytes` is what the row costs and `position`
    where it stands in index order, from 1. `finders` are the words by which a search could find the file, by field.
    `sentence` says in a sentence how the file stands, `reading` what keeps the tools from reading it, if anything.
    """

    standing: Standing
    row: dict[str, Any] | None
    bytes: int | None
    position: int | None
    finders: dict[str, tuple[str, ...]]
    sentence: str
    reading: str | None


@dataclass(frozen=True, slots=True)
class AreaView:
    """What an agent knows of an area at the start.

    `files` are those that have a row, in index order; `capped` is the row that stands for those outside the cut, `None`
    when there are none. `sentence` says in a sentence how the area stands.
    """

    standing: Standing
    files: tuple[AgentView, ...]
    capped: dict[str, Any] | None
    sentence: str


def view_as_agent(file: FileRow | OpenFile, identity: Identity, budget: Budget) -> AgentView:
    """The file as the agent of `identity` meets it; `budget` is that identity's."""
    if file.parts is None or file.metadata is None:
        return _failing(file)
    entry = FileEntry(file.key, file.metadata, file.version)
    position = next((at for at, listed in enumerate(budget.entries, start=1) if listed.path == file.key), None)
    standing = _standing(file.parts, identity, budget, position)
    return AgentView(
        standing,
        render_result(entry),
        index_entry_bytes(entry),
        position if standing in (Standing.INCLUDED, Standing.CUT) else None,
        _finders(file.parts.name, file.metadata.description, file.metadata.aliases),
        _sentence(standing, file.parts, budget, position),
        unreachable_reason(file.parts),
    )


def view_area_as_agent(prefix: str, identity: Identity, budget: Budget) -> AreaView:
    """The area at `prefix`, `SCOPE/ENTITY/AREA/`, as the agent of `identity` meets it."""
    scope, entity, area = prefix.split("/")[:3]
    rows = [row for row in budget.rows if row.entry.path.startswith(prefix)]
    cut = sum(not row.included for row in rows)
    parts = PathParts(scope, entity, area, "")
    standing = _standing(parts, identity, budget, None)
    if standing is Standing.CUT and cut < len(rows):
        standing = Standing.INCLUDED
    sentence = f"{len(rows) - cut} of its {len(rows)} files are in the index."
    if standing in (Standing.NOT_GRANTED, Standing.FAILS):
        sentence = _sentence(standing, parts, budget, None)
    return AreaView(
        standing,
        tuple(view_as_agent(_row(row), identity, budget) for row in rows),
        {"scope": scope, "area": area, "omitted": cut} if cut and not budget.problems else None,
        sentence,
    )


def _row(row: BudgetRow) -> FileRow:
    return FileRow(row.entry.path, row.parts, row.entry.metadata, row.entry.version, None, None)


def budget_with(budget: Budget, file: FileRow | OpenFile, priority: Sequence[str]) -> Budget:
    """The budget as it would be with `file` as it is here: typed and not saved yet, or stored a moment ago."""
    if file.parts is None or file.metadata is None:
        return budget
    entry = FileEntry(file.key, file.metadata, file.version)
    if entry in budget.entries:
        return budget
    others = (other for other in budget.entries if other.path != file.key)
    return plan_budget(Collected((*others, entry), budget.problems), budget.limit, priority)


def _standing(parts: PathParts, identity: Identity, budget: Budget, position: int | None) -> Standing:
    if identity.scope_map.get(parts.scope) != parts.entity_id:
        return Standing.NOT_GRANTED
    if budget.problems:
        return Standing.FAILS
    included = position is not None and position <= budget.included
    return Standing.INCLUDED if included else Standing.CUT


def _sentence(standing: Standing, parts: PathParts, budget: Budget, position: int | None) -> str:
    match standing:
        case Standing.NOT_GRANTED:
            return f"This identity has no grant for {parts.entity_id} in scope {parts.scope}; its agent never sees it."
        case Standing.FAILS:
            broken = budget.problems[0].key
            return f"The agent gets no index at all: {broken} makes it fail."
        case Standing.CUT:
            return f"Outside the cut: the agent only sees that {parts.scope}/{parts.area} holds more than is listed."
    return f"In the index, {position} of {len(budget.entries)} entries."


def _failing(file: FileRow | OpenFile) -> AgentView:
    if file.parts is None:
        sentence = "No agent sees it: its key is no memory path."
    else:
        sentence = f"It makes the index fail for every agent of {file.parts.entity_id}: {file.problem}."
    return AgentView(Standing.FAILS, None, None, None, {}, sentence, file.problem)


def _finders(name: str, description: str, aliases: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {
        "description": _words(description),
        "aliases": tuple(dict.fromkeys(alias for alias in aliases if alias.strip())),
        "name": _words(name.replace("_", " ")),
    }


def _words(text: str) -> tuple[str, ...]:
    """The distinct words of a text, folded; a single Latin letter finds too much to count."""
    words = (word for word in re.findall(r"\w+", fold(text)) if len(word) > 1 or not word.isascii())
    return tuple(dict.fromkeys(words))

"""`wenchang index`: what the agent receives, what it costs, and what falls off the edge."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from wenchang.core import MemoryIndex
from wenchang.tools import render_result
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import acting_identity, open_any_request, read_request
from wenchang_tui.cli.options import caller_options, json_option
from wenchang_tui.cli.output import Line, write_json, write_lines, write_text
from wenchang_tui.model.budget import Budget, BudgetRow, collect_entries, payload, plan_budget
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace


@click.command()
@click.argument("arguments", metavar="TARGET", nargs=-1)
@click.option("--payload", "as_payload", is_flag=True, help="Print exactly the JSON that the agent receives.")
@json_option
@caller_options
def index(arguments: tuple[str, ...], as_payload: bool, as_json: bool, **options: Any) -> int:
    """Show the index as an agent receives it: entries in order with their bytes, the cut, and the capped areas."""
    workspace = open_any_request(read_request(arguments, options))
    if isinstance(workspace, FlatFolder):
        from wenchang_tui.cli import flat  # needs the extra `filememory`

        return flat.index(workspace, as_json=as_json, as_payload=as_payload)
    scope_map = acting_identity(workspace).scope_map
    if as_payload:
        return _print_payload(workspace, scope_map)
    collected = collect_entries(workspace.storage, scope_map)
    budget = plan_budget(collected, workspace.settings.index_bytes, workspace.settings.priority)
    if budget.problems:
        raise CommandError(_blame(budget), Exit.FINDINGS)
    if as_json:
        write_json(_document(budget))
    else:
        write_lines(_lines(workspace.target, budget))
    return Exit.FINE


def _print_payload(workspace: Workspace, scope_map: Mapping[str, str]) -> int:
    text = payload(workspace.store, scope_map)
    write_text(text)
    return Exit.FINDINGS if "error" in json.loads(text) else Exit.FINE


def _blame(budget: Budget) -> str:
    first, *others = budget.problems
    more = f" (and {len(others)} more)" if others else ""
    return f"the index fails on {first.key}{more}: {first.problem}. Repair its metadata, or remove it."


def _document(budget: Budget) -> Mapping[str, object]:
    return {
        "limit": budget.limit,
        "used": budget.used,
        "total": budget.total,
        "entries": [_entry(row) for row in budget.rows],
        "capped": render_result(MemoryIndex(capped=budget.capped))["capped"],
    }


def _entry(row: BudgetRow) -> Mapping[str, object]:
    rendered = render_result(row.entry)
    return {
        "scope": row.parts.scope,
        "entity": row.parts.entity_id,
        "area": row.parts.area,
        "name": row.parts.name,
        "bytes": row.bytes,
        "running": row.running,
        "last_updated": rendered["last_updated"],
        "version": rendered["version"],
        "included": row.included,
    }


def _lines(target: str, budget: Budget) -> Iterator[Line]:
    room = f"  {budget.used:,} of {budget.limit:,} bytes used, {budget.total:,} in all"
    yield [(target, "bold"), (room, "")]
    yield [("   bytes  running  entry", "dim")]
    included = [row for row in budget.rows if row.included]
    cut = [row for row in budget.rows if not row.included]
    yield from (_row_line(row, "") for row in included)
    if cut:
        yield [(f"-- cut: {len(cut):,} entries, {budget.total - budget.used:,} bytes left out --", "bold yellow")]
        yield from (_row_line(row, "dim") for row in cut)
    for capped in budget.capped:
        scope, _, area, _ = capped.prefix.split("/")
        yield [("capped", "yellow"), (f"  {scope}/{area}", ""), (f"  {capped.omitted:,} left out", "")]


def _row_line(row: BudgetRow, style: str) -> Line:
    place = f"{row.parts.scope}/{row.parts.area}/{row.parts.name}"
    return [
        (f"{row.bytes:>8,} {row.running:>8,}  ", "dim"),
        (place, style),
        (f"  {row.entry.metadata.description}", "dim"),
    ]

"""`wenchang tree`: scopes, entities, areas and files, with counts and sizes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import click

from wenchang.core import FileEntry
from wenchang.paths import PathParts
from wenchang.scope import SYSTEM_AREA
from wenchang.tools import render_result
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import open_any_request, read_request
from wenchang_tui.cli.options import json_option, store_options
from wenchang_tui.cli.output import Line, write_json, write_lines
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.flat_folder import FlatFolder

Areas: TypeAlias = dict[str, list[FileRow]]
Scopes: TypeAlias = dict[str, dict[str, Areas]]


@click.command()
@click.argument("arguments", metavar="TARGET", nargs=-1)
@click.option("--scope", metavar="S", help="Only this scope.")
@click.option("--entity", metavar="E", help="Only this entity.")
@click.option("--area", metavar="A", help="Only this area.")
@json_option
@store_options
def tree(
    arguments: tuple[str, ...], scope: str | None, entity: str | None, area: str | None, as_json: bool, **options: Any
) -> int:
    """List scopes, entities, areas and files of a store, with counts and sizes; of a file memory its files.

    Objects that cannot be read are shown with the reason, and counted.
    """
    workspace = open_any_request(read_request(arguments, options))
    wanted = (scope, entity, area)
    if isinstance(workspace, FlatFolder):
        return _flat_tree(workspace, wanted, as_json)
    rows = [row for row in workspace.catalog.rows(_prefix(wanted)) if _is_wanted(row, wanted)]
    if not rows and any(wanted):
        place = "/".join(part or "*" for part in wanted)
        raise CommandError(
            f"nothing lies in {place} of {workspace.target}; see wenchang tree without options.", Exit.FINDINGS
        )
    if as_json:
        write_json(_document(workspace.target, rows))
    else:
        write_lines(_lines(workspace.target, rows))
    return Exit.FINE


def _flat_tree(flat: FlatFolder, wanted: Iterable[str | None], as_json: bool) -> int:
    if any(wanted):
        message = f"{flat.target} is a file memory, which has no scopes; leave --scope, --entity and --area out."
        raise CommandError(message, Exit.USAGE)

    from wenchang_tui.cli import flat as of_flat  # needs the extra `filememory`

    return of_flat.tree(flat, as_json=as_json)


def _prefix(wanted: Iterable[str | None]) -> str:
    """The longest prefix that holds everything wanted."""
    prefix = ""
    for part in wanted:
        if part is None:
            break
        prefix += f"{part}/"
    return prefix


def _is_wanted(row: FileRow, wanted: Iterable[str | None]) -> bool:
    *folders, _ = row.key.split("/")
    return all(part is None or folders[at : at + 1] == [part] for at, part in enumerate(wanted))


def _grouped(rows: Iterable[FileRow]) -> Scopes:
    """Rows that have a place in the tree, `system` first among the areas."""
    scopes: Scopes = {}
    for row in rows:
        if row.parts:
            areas = scopes.setdefault(row.parts.scope, {}).setdefault(row.parts.entity_id, {})
            areas.setdefault(row.parts.area, []).append(row)
    for entities in scopes.values():
        for entity, areas in entities.items():
            entities[entity] = dict(sorted(areas.items(), key=lambda item: (item[0] != SYSTEM_AREA, item[0])))
    return scopes


def _document(target: str, rows: list[FileRow]) -> Mapping[str, object]:
    scopes = [
        {
            "scope": scope,
            "entities": [
                {"entity": entity, "areas": [_area(area, files) for area, files in areas.items()]}
                for entity, areas in entities.items()
            ],
        }
        for scope, entities in _grouped(rows).items()
    ]
    return {"target": target, "scopes": scopes, "problems": _problems(rows)}


def _area(area: str, files: Iterable[FileRow]) -> Mapping[str, object]:
    readable = [_file(row) for row in files if row.metadata]
    return {"area": area, "system": area == SYSTEM_AREA, "files": readable}


def _file(row: FileRow) -> Mapping[str, object]:
    assert row.metadata is not None
    entry = render_result(FileEntry(row.key, row.metadata, row.version))
    return {key: entry[key] for key in ("name", "description", "aliases", "sources", "last_updated", "version")}


def _lines(target: str, rows: list[FileRow]) -> Iterator[Line]:
    problems = _problems(rows)
    broken = [(f", {problems} cannot be read", "bold red")] if problems else []
    yield [(target, "bold"), (f"  {_totals(rows)}", ""), *broken]
    for scope, entities in _grouped(rows).items():
        yield [(scope, "bold cyan")]
        for entity, areas in entities.items():
            yield [(f"  {entity}", "bold"), (f"  {_totals(row for files in areas.values() for row in files)}", "dim")]
            for area, files in areas.items():
                lock = "  read-only for agents" if area == SYSTEM_AREA else ""
                yield [(f"    {area}/", ""), (f"  {_totals(files)}{lock}", "dim")]
                yield from (_file_line(row, row.parts) for row in files if row.parts)
    yield from ([(f"! {row.key}", "red"), (f"  {row.problem}", "")] for row in rows if row.parts is None)


def _file_line(row: FileRow, parts: PathParts) -> Line:
    if row.metadata is None:
        return [(f"    ! {parts.name}", "red"), (f"  {row.problem}", "")]
    size = "" if row.size is None else f"  {row.size:,} bytes"
    return [(f"      {parts.name}", ""), (f"  {row.metadata.description}{size}", "dim")]


def _problems(rows: Iterable[FileRow]) -> int:
    return sum(row.problem is not None for row in rows)


def _totals(rows: Iterable[FileRow]) -> str:
    sizes = [row.size or 0 for row in rows]
    return f"{len(sizes):,} {'file' if len(sizes) == 1 else 'files'}, {sum(sizes):,} bytes"

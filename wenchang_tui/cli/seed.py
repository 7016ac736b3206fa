"""`wenchang seed`: curated content from a folder of markdown files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wenchang.errors import NotFoundError, VersionConflictError
from wenchang.paths import is_valid_segment
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import open_request, read_request
from wenchang_tui.cli.options import caller_options, json_option
from wenchang_tui.cli.output import Line, note, write_json, write_lines
from wenchang_tui.model.seeding import SeedError, SeedFolder, SeedPlan, carry_out, plan_seeding, read_folder
from wenchang_tui.model.workspace import Workspace

_ENTITY = "SCOPE/ENTITY"
_FOLDER = "FOLDER"


@click.command()
@click.argument("arguments", metavar=f"TARGET {_ENTITY} {_FOLDER}", nargs=-1)
@click.option("--prune", is_flag=True, help="Delete curated files that FOLDER lacks.")
@click.option("--dry-run", is_flag=True, help="Only report what would be done.")
@json_option
@caller_options
def seed(arguments: tuple[str, ...], prune: bool, dry_run: bool, as_json: bool, **options: Any) -> int:
    """Write the curated files of an entity from FOLDER.

    Each NAME.md there starts with YAML front matter that holds description and aliases; the rest is the body. Files
    that say the same already are left alone. All of FOLDER is checked before the first write.
    """
    request = read_request(arguments, options, _ENTITY, _FOLDER)
    scope, entity = _entity(request.words[0])
    folder = Path(request.words[1])
    found = _read(folder)
    workspace = open_request(request)
    try:
        plan = plan_seeding(workspace, scope, entity, found.seeds, prune=prune)
    except SeedError as error:
        raise CommandError(f"{error}. Nothing was written.", Exit.STORE) from error
    if not dry_run:
        _carry_out(workspace, plan)
    if found.ignored:
        note(f"wenchang seed: not taken from {folder}: {', '.join(found.ignored)}")
    if as_json:
        write_json(_document(plan))
    else:
        write_lines(_lines(plan, dry_run))
    return Exit.FINE


def _entity(words: str) -> tuple[str, str]:
    scope, _, entity = words.partition("/")
    if not (is_valid_segment(scope) and is_valid_segment(entity)):
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"{words} is not of the form {_ENTITY}", context)
    return scope, entity


def _read(folder: Path) -> SeedFolder:
    if not folder.is_dir():
        raise CommandError(f"there is no folder {folder}; name the one that holds the markdown files.", Exit.USAGE)
    try:
        return read_folder(folder)
    except SeedError as error:
        raise CommandError(f"{folder}: {error}. Nothing was written.", Exit.STORE) from error


def _carry_out(workspace: Workspace, plan: SeedPlan) -> None:
    try:
        carry_out(workspace, plan)
    except (VersionConflictError, NotFoundError) as error:
        raise CommandError(f"{error.detail} Some files may be written; run it again to go on.", Exit.STORE) from error


def _document(plan: SeedPlan) -> dict[str, list[str]]:
    return {
        "created": [file.name for file in plan.created],
        "replaced": [file.name for file in plan.replaced],
        "unchanged": list(plan.unchanged),
        "deleted": [name for name, _ in plan.deleted],
    }


def _lines(plan: SeedPlan, dry_run: bool) -> Iterator[Line]:
    note_of_intent = "  nothing was written" if dry_run else ""
    yield [(f"{plan.scope}/{plan.entity}/system", "bold"), (note_of_intent, "yellow")]
    for what, names in _document(plan).items():
        yield from ([(f"  {what:<10}", _STYLES[what]), (name, "")] for name in names)


_STYLES = {"created": "green", "replaced": "cyan", "unchanged": "dim", "deleted": "red"}

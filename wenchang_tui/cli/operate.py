"""`wenchang export`, `restore` and `purge`: an entity as a whole, taken out, put back, or erased."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wenchang.core import OperationCancelledError, PurgeIncompleteError
from wenchang.paths import build_prefix, is_valid_segment
from wenchang_tui.cli.attended import Attended
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import open_request, read_request
from wenchang_tui.cli.options import json_option, store_options
from wenchang_tui.cli.output import note, write_json, write_lines
from wenchang_tui.model.archive import Totals
from wenchang_tui.model.operations import (
    EntityPreview,
    UnfinishedError,
    check_writable,
    export_entity,
    outlasting,
    preview_entity,
    purge_entity,
)
from wenchang_tui.model.problems import describe
from wenchang_tui.model.restoring import restore_entity
from wenchang_tui.model.safe import visible_line
from wenchang_tui.model.workspace import Workspace

_FORM = "SCOPE/ENTITY"


@click.command()
@click.argument("arguments", metavar=f"TARGET {_FORM}", nargs=-1)
@click.option("-o", "--output", required=True, metavar="FILE", help="Write to this file.")
@click.option("--force", is_flag=True, help="Replace the file when there is one.")
@json_option
@store_options
def export(arguments: tuple[str, ...], output: str, force: bool, as_json: bool, **options: Any) -> int:
    """Write all that an entity has stored, readable or not, to a zip file with a manifest."""
    request = read_request(arguments, options, _FORM)
    scope, entity = _parse_entity(request.words[0])
    file = _file("--output", output)
    workspace = open_request(request)
    _check_exists(workspace, scope, entity)
    try:
        with Attended("Exporting") as attended:
            receipt = export_entity(
                workspace,
                scope,
                entity,
                file,
                force=force,
                on_progress=attended.on_progress,
                is_cancelled=attended.is_cancelled,
            )
    except OperationCancelledError as error:
        raise CommandError("interrupted; no file was written.", Exit.INTERRUPTED) from error
    if as_json:
        write_json({"objects": receipt.totals.objects, "bytes": receipt.totals.bytes, "file": output})
    else:
        write_lines([[(f"Exported {_spoken(receipt.totals)} to ", ""), (output, "bold")]])
    return Exit.FINE


@click.command()
@click.argument("arguments", metavar="TARGET FILE", nargs=-1)
@click.option("--force", is_flag=True, help="Replace objects of the same names; others stay.")
@json_option
@store_options
def restore(arguments: tuple[str, ...], force: bool, as_json: bool, **options: Any) -> int:
    """Put every object of an exported entity back, once all of them are known to be whole."""
    request = read_request(arguments, options, "FILE")
    file = _file("FILE", request.words[0])
    workspace = open_request(request)
    try:
        with Attended("Restoring") as attended:
            totals = restore_entity(
                workspace, file, force=force, on_progress=attended.on_progress, is_cancelled=attended.is_cancelled
            )
    except OperationCancelledError as error:
        raise CommandError("interrupted; nothing was restored.", Exit.INTERRUPTED) from error
    except UnfinishedError as error:
        raise _unfinished(error, "put back", "restore again with --force to go on") from error
    if as_json:
        write_json({"objects": totals.objects, "bytes": totals.bytes})
    else:
        write_lines([[(f"Restored {_spoken(totals)}.", "")]])
    return Exit.FINE


@click.command()
@click.argument("arguments", metavar=f"TARGET {_FORM}", nargs=-1)
@click.option("--yes", metavar=_FORM, help="Do not ask; the entity again, to be sure.")
@json_option
@store_options
def purge(arguments: tuple[str, ...], yes: str | None, as_json: bool, **options: Any) -> int:
    """Erase all that an entity has stored, system/ included. It cannot be undone; see wenchang export."""
    request = read_request(arguments, options, _FORM)
    name = request.words[0]
    scope, entity = _parse_entity(name)
    _check_confirmation(name, yes)
    workspace = open_request(request)
    check_writable(workspace)
    _check_exists(workspace, scope, entity)
    if yes is None:
        _ask(name, preview_entity(workspace, scope, entity))
    try:
        with Attended("Deleting") as attended:
            deleted = purge_entity(
                workspace, scope, entity, on_progress=attended.on_progress, is_cancelled=attended.is_cancelled
            )
    except UnfinishedError as error:
        raise _unfinished(error, "deleted", "purge again to go on") from error
    if as_json:
        write_json({"deleted": deleted})
    else:
        write_lines([[(f"Deleted {deleted:,} {_objects(deleted)}.", "")]])
    if left := outlasting(workspace):
        note(left)
    return Exit.FINE


# Arguments


def _parse_entity(name: str) -> tuple[str, str]:
    scope, _, entity = name.partition("/")
    if not (is_valid_segment(scope) and is_valid_segment(entity)):
        raise _usage(f"{name} is not of the form {_FORM}")
    return scope, entity


def _file(argument: str, name: str) -> Path:
    if not name or "\0" in name:
        raise _usage(f"{argument} names no file")
    return Path(name)


def _check_exists(workspace: Workspace, scope: str, entity: str) -> None:
    if not workspace.storage.list_page(build_prefix(scope, entity), None, 1):
        raise CommandError(
            f"nothing lies in {scope}/{entity} of {workspace.target}; wenchang tree lists what there is.",
            Exit.FINDINGS,
        )


# Confirmation


def _check_confirmation(name: str, yes: str | None) -> None:
    if yes is None and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise _usage(f"a purge cannot be undone; without a terminal to ask on, add --yes {name}")
    if yes is not None and yes != name:
        raise _usage(f"--yes {yes} is another entity than {name}; nothing was deleted")


def _ask(name: str, preview: EntityPreview) -> None:
    for line in _preview_lines(name, preview):
        note(line)
    sys.stderr.write(f"This cannot be undone. Type {visible_line(name)} to delete it all: ")
    sys.stderr.flush()
    if sys.stdin.readline().removesuffix("\n") != name:
        raise CommandError(f"that was not {name}; nothing was deleted.", Exit.USAGE)


def _preview_lines(name: str, preview: EntityPreview) -> Iterator[str]:
    yield f"{name} holds {_spoken(preview.totals)}:"
    for area, totals in preview.areas.items():
        yield f"  {area}/  {_spoken(totals)}" if area else f"  in no area  {_spoken(totals)}"
    if preview.malformed:
        yield f"  {preview.unreadable}"
    if preview.outlasts:
        yield preview.outlasts


# Words


def _unfinished(error: UnfinishedError, done: str, next_step: str) -> CommandError:
    """An end in the middle: why, how far it came, and how to go on."""
    so_far = f"{error.done:,} of {error.total:,} objects were {done}; {next_step}."
    match error.cause:
        case OperationCancelledError():
            return CommandError(f"interrupted: {so_far}", Exit.INTERRUPTED)
        case PurgeIncompleteError():
            why = "Still written to: new objects kept coming. Stop the agents that write there."
            return CommandError(f"{why} {so_far}", Exit.STORE)
    problem = describe(error.cause)
    return CommandError(f"{problem.title}: {problem.sentence} {so_far}", Exit.STORE)


def _spoken(totals: Totals) -> str:
    return f"{totals.objects:,} {_objects(totals.objects)}, {totals.bytes:,} bytes"


def _objects(number: int) -> str:
    return "object" if number == 1 else "objects"


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context(silent=True))

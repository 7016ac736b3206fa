"""`wenchang show`: one file, with its metadata."""

from collections.abc import Iterator
from typing import Any

import click

from wenchang.core import MemoryFile
from wenchang.file_format import metadata_to_map, parse_fact
from wenchang.paths import build_path
from wenchang.tools import render_result
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import open_any_request, read_request
from wenchang_tui.cli.options import json_option, store_options
from wenchang_tui.cli.output import Line, note, write_json, write_lines
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.flat_folder import FlatFolder

_FORM = "SCOPE/ENTITY/AREA/NAME"
_LABEL_STYLES = {"stated": "green", "observed": "cyan", "inferred": "yellow", "system": "magenta"}


@click.command()
@click.argument("arguments", metavar=f"TARGET {_FORM}", nargs=-1)
@json_option
@store_options
def show(arguments: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Show one file: its metadata, version and body.

    One trailing .md comes off the name: b.md.md is the file named b.md. A file of a file memory is called NAME as it
    stands.
    """
    request = read_request(arguments, options, _FORM)
    workspace = open_any_request(request)
    if isinstance(workspace, FlatFolder):
        from wenchang_tui.cli import flat  # needs the extra `filememory`

        return flat.show(workspace, request.words[0], as_json=as_json)
    key = _key(request.words[0])
    file = workspace.catalog.open(key)
    if file is None:
        place = key.removesuffix(".md")
        raise CommandError(f"there is no file {place} in {workspace.target}; wenchang tree lists them.", Exit.FINDINGS)
    if as_json:
        write_json(_document(file))
    else:
        write_lines(_lines(file))
    if file.problem:
        note(f"wenchang: {key} cannot be read as a memory file: {file.problem}.")
        return Exit.FINDINGS
    return Exit.FINE


def _key(words: str) -> str:
    *folders, name = words.split("/")
    try:
        scope, entity, area = folders
        return build_path(scope, entity, area, name.removesuffix(".md"))
    except ValueError:
        context = click.get_current_context(silent=True)
        raise click.UsageError(f"{words} is not of the form {_FORM}", context) from None


def _document(file: OpenFile) -> dict[str, object]:
    if file.text is None or file.metadata is None or file.parts is None:
        raise CommandError(f"{file.key} cannot be read as a memory file: {file.problem}.", Exit.FINDINGS)
    found = render_result(MemoryFile(file.key, file.text, file.metadata, file.version))
    return {"scope": found.pop("scope"), "entity": file.parts.entity_id, **found, "bytes": file.size}


def _lines(file: OpenFile) -> Iterator[Line]:
    yield [(file.key.removesuffix(".md"), "bold")]
    for label, text in _facts(file):
        yield [(f"{label:<14}", "dim"), (text, "")]
    yield []
    body = file.shown_text
    yield from map(_body_line, body.removesuffix("\n").split("\n") if body else ())


def _facts(file: OpenFile) -> Iterator[tuple[str, str]]:
    if file.metadata is None:
        yield from file.stored.items()
    else:
        yield "description", file.metadata.description
        yield "aliases", ", ".join(file.metadata.aliases)
        yield "sources", ", ".join(sorted(file.metadata.sources))
        yield "last-updated", metadata_to_map(file.metadata)["last-updated"]
    yield "version", file.version
    yield "bytes", f"{file.size:,}"


def _body_line(line: str) -> Line:
    fact = parse_fact(line)
    if fact is None:
        return [(line.expandtabs(4), "")]
    return [
        ("- ", "dim"),
        (f"[{fact.label.value}]", _LABEL_STYLES[fact.label.value]),
        (f" {fact.text.expandtabs(4)}", ""),
    ]

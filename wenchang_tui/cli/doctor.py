"""`wenchang doctor`: what a good report of a fault needs, and what may be the fault already."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from wenchang_tui.cli.failures import Exit
from wenchang_tui.cli.opening import open_any_request, read_request
from wenchang_tui.cli.options import json_option, store_options
from wenchang_tui.cli.output import Line, write_json, write_lines
from wenchang_tui.config import ConfigError, config_path, load_config, log_path, state_path
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import describe
from wenchang_tui.model.surroundings import Facts, cloud, place, terminal, versions


@click.command()
@click.argument("arguments", metavar="[TARGET]", nargs=-1)
@json_option
@store_options
def doctor(arguments: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Show versions, terminal, paths and credentials (which kind, never their values), and whether TARGET is reached.

    Ends with 2 when the configuration cannot be used, and with 3 when TARGET cannot be reached.
    """
    report: dict[str, Any] = {
        "versions": versions(),
        "terminal": terminal(os.environ),
        "paths": {
            "config": place(config_path(options["config"])),
            "state": place(state_path()),
            "log": place(log_path()),
        },
        "cloud": cloud(os.environ),
        "configuration": {"problem": _wrong_configuration(options["config"])},
    }
    code = Exit.USAGE if report["configuration"]["problem"] else Exit.FINE
    if code is Exit.FINE:
        report["target"], code = _reach(arguments, options)
    if as_json:
        write_json(report)
    else:
        write_lines(_lines(report))
    return code


def _wrong_configuration(option: str | None) -> str | None:
    try:
        load_config(option)
    except ConfigError as error:
        return str(error)
    return None


def _reach(arguments: Sequence[str], options: Mapping[str, Any]) -> tuple[Facts | None, Exit]:
    """How the target answers: opened, and the first name listed."""
    request = read_request(arguments, options)
    if not request.names_something:
        return None, Exit.FINE
    name = request.target or ("demo-filememory" if request.flat_demo else "demo")
    began = time.perf_counter()
    try:
        opened = open_any_request(request)
        if not isinstance(opened, FlatFolder):
            opened.storage.list_page("", None, 1)
    except click.UsageError:
        raise
    except Exception as error:
        problem = describe(error)
        said = f"{problem.title}: {problem.sentence} {problem.next_step}"
        return {"target": name, "reached": False, "problem": said}, Exit.STORE
    took = f"{1000 * (time.perf_counter() - began):.0f} ms"
    writable = None if opened.root is None else os.access(opened.root, os.W_OK)
    return {"target": name, "kind": opened.kind, "reached": True, "after": took, "writable": writable}, Exit.FINE


def _lines(report: Mapping[str, Any]) -> Iterator[Line]:
    for heading, facts in report.items():
        if facts is None or (heading == "configuration" and facts["problem"] is None):
            continue
        yield [(heading, "bold")]
        for name, fact in facts.items():
            yield [(f"  {name:<21}", "dim"), (_shown(fact), "")]


def _shown(fact: object) -> str:
    if isinstance(fact, dict):
        state = "there" if fact["exists"] else "not there yet"
        return f"{fact['path']}  ({state}, {'' if fact['writable'] else 'not '}writable)"
    if fact is None:
        return "-"
    return {True: "yes", False: "no"}[fact] if isinstance(fact, bool) else str(fact)

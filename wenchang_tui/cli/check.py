"""`wenchang check`: what is wrong in a store."""

import sys
from collections.abc import Iterator
from typing import Any, Protocol

import click

from wenchang_tui.cli.failures import Exit
from wenchang_tui.cli.opening import open_any_request, read_request
from wenchang_tui.cli.options import caller_options, json_option
from wenchang_tui.cli.output import Line, write_json, write_lines
from wenchang_tui.cli.streams import printing
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.health import Checkup, Finding, Severity
from wenchang_tui.model.workspace import Workspace

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


@click.command()
@click.argument("arguments", metavar="TARGET", nargs=-1)
@json_option
@caller_options
def check(arguments: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Look for what breaks memory, or soon will: what it breaks and for whom, and how to repair it.

    Ends with 1 when anything is found. Findings are printed as they are made. Nothing is changed.
    """
    checkup = _checkup(open_any_request(read_request(arguments, options)))
    if as_json:
        findings = [_document(finding) for finding in checkup.findings()]
        write_json({"checked": checkup.checked, "findings": findings})
        return Exit.FINDINGS if findings else Exit.FINE
    count = 0
    for finding in checkup.findings():
        count += 1
        write_lines(_lines(finding))
        with printing():
            sys.stdout.flush()
    write_lines([[(f"{_counted(checkup.checked, 'object')} checked, {_counted(count, 'finding')}", "dim")]])
    return Exit.FINDINGS if count else Exit.FINE


class _Checkup(Protocol):
    """A run over a memory of either kind."""

    checked: int

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong."""


def _checkup(opened: Workspace | FlatFolder) -> _Checkup:
    if isinstance(opened, Workspace):
        return Checkup(opened)
    from wenchang_tui.model.flat_health import FlatCheckup  # needs the extra `filememory`

    return FlatCheckup(opened)


def _document(finding: Finding) -> dict[str, str]:
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "key": finding.key,
        "detail": finding.detail,
        "breaks": finding.breaks,
        "repair": finding.repair,
    }


def _lines(finding: Finding) -> Iterator[Line]:
    yield [(f"{finding.severity:<8}", _STYLES[finding.severity]), (finding.key, "bold"), (f"  {finding.kind}", "dim")]
    yield from ([(f"        {label:<8}", "dim"), (text, "")] for label, text in _sentences(finding))


def _sentences(finding: Finding) -> tuple[tuple[str, str], ...]:
    return ("found", finding.detail), ("breaks", finding.breaks), ("repair", finding.repair)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing if number == 1 else f'{thing}s'}"

"""How a command ends when it cannot go on: one line for a person, one exit code for a script."""

from enum import IntEnum

import click

from wenchang_tui.cli.output import note
from wenchang_tui.cli.streams import OutputError
from wenchang_tui.config import ConfigError


class Exit(IntEnum):
    """The exit codes of every command."""

    FINE = 0
    FINDINGS = 1  # also when the thing named in the store does not exist
    USAGE = 2
    STORE = 3
    INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot go on; `message` says why and what to do."""

    def __init__(self, message: str, code: Exit) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def report(error: Exception, *, with_trace: bool) -> int:
    """Say on stderr why a command ends with `error`; return its exit code."""
    if with_trace:
        import traceback

        traceback.print_exception(error)
    line, code = _explain(error)
    note(line)
    return code


def _explain(error: Exception) -> tuple[str, Exit]:
    """The line and the exit code for any error that ends a command."""
    match error:
        case CommandError():
            return f"wenchang: {error.message}", error.code
        case ConfigError():
            return f"wenchang: {error}", Exit.USAGE
        case OutputError():
            return f"wenchang: The output cannot be written: {error}. Send it elsewhere, or make room.", Exit.STORE
        case click.UsageError():
            return _usage(error), Exit.USAGE
        case click.ClickException():
            return f"wenchang: {error.format_message()}", Exit.USAGE
    from wenchang_tui.model.problems import describe  # it knows every layer below, which few errors come from

    problem = describe(error)
    return f"wenchang: {problem.title}: {problem.sentence} {problem.next_step}", Exit.STORE


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "wenchang"
    message = " ".join(error.format_message().split())
    end = "" if message.endswith((".", "?")) else "."
    return f"{command}: {message}{end} See {command} --help."

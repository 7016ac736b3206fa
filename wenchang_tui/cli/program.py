"""The commands under one name, and how a run of any of them ends."""

import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import wenchang
from wenchang_tui.cli.failures import Exit, explain
from wenchang_tui.cli.output import discard_stdout, note, prepare_streams
from wenchang_tui.cli.screen import screen

_SCREEN = "[TARGET]"
_COMMANDS = {
    "tree": "List scopes, entities, areas and files.",
    "show": "Show one file.",
    "index": "Show what the agent receives, with its budget.",
    "prompt": "Show the memory prompt that an agent is given.",
    "check": "Look for what is wrong.",
    "seed": "Write system/ from a folder of markdown files.",
    "export": "Write all that an entity has stored to a zip file.",
    "restore": "Put back what was exported.",
    "purge": "Erase all that an entity has stored.",
    "serve": "Serve the memory to agents over MCP.",
    "config": "Show the paths in use and the profiles.",
}
_MODULES = {"export": "operate", "restore": "operate", "purge": "operate"}


class Program(click.Group):
    """A group whose first word is a command or, failing that, something for the app to open."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand everything to the app unless a command comes first, or a question about the program itself."""
        if not args or args[0] not in _COMMANDS:
            questions = [word for word in _options(args) if word in ("--help", "--version")]
            args = questions[:1] or [_SCREEN, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands, in the order of a first acquaintance."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, imported when it is wanted: most of a start is imports."""
        if cmd_name == _SCREEN:
            return screen
        module = import_module(f"wenchang_tui.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the app, then the commands."""
        options = [param for param in (*screen.params, *self.get_params(ctx)) if isinstance(param, click.Option)]
        records = [option.get_help_record(ctx) for option in options]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record])
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=Program, options_metavar="", subcommand_metavar="[TARGET] | COMMAND ...")
@click.version_option(wenchang.__version__, prog_name="wenchang", message="%(prog)s %(version)s")
def program() -> None:
    """Look into the memory that an AI agent writes to itself.

    TARGET is a folder, or gs://BUCKET. Without a command the app opens it; without TARGET, the place opened last.
    After -- everything is an argument.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Every error becomes one line on stderr."""
    prepare_streams()
    try:
        code = _invoke(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()
        return Exit.FINE
    except Exception as error:
        if "--debug" in _options(arguments):
            traceback.print_exception(error)
        line, failed = explain(error)
        note(line)
        return failed
    return code


def _invoke(arguments: list[str]) -> int:
    try:
        with program.make_context("wenchang", arguments) as context:
            code: Any = program.invoke(context)
    except click.exceptions.Exit as done:  # --help and --version
        return done.exit_code
    return int(code)


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The words before `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments

"""The commands under one name, and how a run of any of them ends."""

import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

import wenchang
from wenchang_tui.cli.check import check
from wenchang_tui.cli.config import config
from wenchang_tui.cli.failures import Exit, explain
from wenchang_tui.cli.index import index
from wenchang_tui.cli.operate import export, purge, restore
from wenchang_tui.cli.output import discard_stdout, note, prepare_streams
from wenchang_tui.cli.prompt import prompt
from wenchang_tui.cli.screen import screen
from wenchang_tui.cli.seed import seed
from wenchang_tui.cli.serve import serve
from wenchang_tui.cli.show import show
from wenchang_tui.cli.tree import tree

_SCREEN = "[TARGET]"


class Program(click.Group):
    """A group whose first word is a command or, failing that, something for the app to open."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand everything to the app unless a command comes first, or a question about the program itself."""
        if not args or args[0] not in self.commands:
            questions = [word for word in _options(args) if word in ("--help", "--version")]
            args = questions[:1] or [_SCREEN, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which they were added."""
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the app, then the commands."""
        options = [param for param in (*screen.params, *self.get_params(ctx)) if isinstance(param, click.Option)]
        records = [option.get_help_record(ctx) for option in options]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record])
        self.format_commands(ctx, formatter)


@click.group(cls=Program, options_metavar="", subcommand_metavar="[TARGET] | COMMAND ...")
@click.version_option(wenchang.__version__, prog_name="wenchang", message="%(prog)s %(version)s")
def program() -> None:
    """Look into the memory that an AI agent writes to itself.

    TARGET is a folder, or gs://BUCKET. Without a command the app opens it; without TARGET, the place opened last.
    After -- everything is an argument.
    """


program.add_command(screen, _SCREEN)
for _command in (tree, show, index, prompt, check, seed, export, restore, purge, serve, config):
    program.add_command(_command)


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

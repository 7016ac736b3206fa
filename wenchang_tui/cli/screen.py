"""`wenchang [TARGET]`: the way into the app."""

from typing import Any

import click

from wenchang_tui.cli.options import caller_options


@click.command(add_help_option=False)
@click.argument("arguments", metavar="[TARGET]", nargs=-1)
@caller_options
def screen(arguments: tuple[str, ...], **options: Any) -> int:
    """Open the app."""
    from wenchang_tui.cli.entering import enter  # not for those who only ask for help

    return enter(arguments, options)

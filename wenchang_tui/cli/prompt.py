"""`wenchang prompt`: the memory prompt that an agent is given."""

from typing import Any

import click

from wenchang.prompts import build_memory_prompt
from wenchang_tui.agent.service import DEFAULT_SLOTS
from wenchang_tui.cli.failures import Exit
from wenchang_tui.cli.opening import read_request
from wenchang_tui.cli.options import json_option, store_options
from wenchang_tui.cli.output import write_json, write_lines


@click.command()
@click.argument("arguments", metavar="[TARGET]", nargs=-1)
@json_option
@store_options
def prompt(arguments: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Show the memory prompt, in the words of a profile or in built-in ones. It is the same for every TARGET."""
    settings = read_request(arguments, options).settings
    text = build_memory_prompt(settings.slots or DEFAULT_SLOTS)
    if as_json:
        write_json({"prompt": text})
    else:
        write_lines([(line, "bold" if line.startswith("## ") else "")] for line in text.removesuffix("\n").split("\n"))
    return Exit.FINE

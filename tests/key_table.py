"""The keys of the screens as a table of Markdown, from the registry of commands: `python -m tests.key_table`."""

import sys
from collections.abc import Iterator

from wenchang_tui.widgets.commands import COMMANDS, Command, Where, key_labels

_SCREENS = (Where.APP, Where.BROWSE, Where.INDEX, Where.EDIT, Where.AGENT, Where.HEALTH, Where.OPERATE, Where.FLAT)


def key_table() -> Iterator[str]:
    """A row for each command with its keys, the same on every screen that has it, and those screens."""
    yield "| keys | | on |"
    yield "|---|---|---|"
    rows: dict[tuple[str, bool], list[Command]] = {}
    for command in COMMANDS:
        if command.where in _SCREENS and command.keys:
            rows.setdefault((command.name, command.where is Where.APP), []).append(command)
    for (name, is_everywhere), commands in rows.items():
        keys = dict.fromkeys(key for command in commands for key in key_labels(command).split())
        where = "" if is_everywhere else ", ".join(dict.fromkeys(command.where for command in commands))
        yield f"| {' '.join(f'`{key}`' for key in keys)} | {name} | {where} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(key_table()) + "\n")

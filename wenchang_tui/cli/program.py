"""The commands under one name, and how a run of any of them ends.

Most of a start is imports, and what the program says of itself needs none: click comes with a command.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

import wenchang
from wenchang_tui.cli.streams import discard, prepare_streams, printing

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
    "web": "Open the app in a browser on this machine.",
    "config": "Show the paths in use and the profiles.",
    "doctor": "Show what a report of a fault needs.",
}
_MODULES = {"export": "operate", "restore": "operate", "purge": "operate"}
_HELP = """\
Usage: wenchang [TARGET] | COMMAND ...

  Look into the memory that an AI agent writes to itself.

  TARGET is a folder, or gs://BUCKET. Without a command the app opens it;
  without TARGET, the place opened last. After -- everything is an argument.

Options:
  --grant SCOPE=ENTITY[:ROLE]     Act as ENTITY in SCOPE.
  --restrict SCOPE=ROLE[,ROLE...]
                                  Let only these roles write in SCOPE.
  --priority SCOPE,SCOPE...       Put these scopes first in the index.
  --index-bytes N                 Size of the index in bytes.  [x>=1]
  --max-file-bytes N              Largest body in bytes.  [x>=1]
  --max-files N|none              Most files of one entity.
  --page-size N                   Files of one page of a listing.  [x>=1]
  --source NAME                   Name under which changes are made.
  --demo                          Open a fresh copy of the demo in the place
                                  of TARGET.
  --demo-filememory               Open a fresh copy of the demo of a file
                                  memory.
  --keep                          Leave the copy of the demo in place at the
                                  end.
  --create                        Make the folder when there is none.
  --profile NAME                  Take target and settings from this profile.
  --read-only                     Refuse every change to the store.
  --config FILE                   Use this configuration file.
  --debug                         Show where an error comes from.
  --version                       Show the version and exit.
  --help                          Show this message and exit.

Commands:
"""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Every error becomes one line on stderr."""
    prepare_streams()
    try:
        code = _run(list(arguments))
        with printing():
            sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
        return 0
    except Exception as error:
        from wenchang_tui.cli.failures import report

        return report(error, with_trace="--debug" in _options(arguments))
    return code


def _run(arguments: list[str]) -> int:
    """Run the command that comes first; failing one, answer a question about the program itself, or open the app."""
    if arguments and arguments[0] in _COMMANDS:
        name, *rest = arguments
        return _invoke(f"wenchang {name}", _MODULES.get(name, name), name, rest)
    for word in _options(arguments):
        if word == "--version":
            return _say(f"wenchang {wenchang.__version__}\n")
        if word == "--help":
            commands = (f"  {name:<7}  {summary}\n" for name, summary in _COMMANDS.items())
            return _say(_HELP + "".join(commands))
    return _invoke("wenchang", "screen", "screen", arguments)


def _say(text: str) -> int:
    with printing():
        sys.stdout.write(text)
    return 0


def _invoke(path: str, module: str, name: str, arguments: list[str]) -> int:
    import click

    command: click.Command = getattr(import_module(f"wenchang_tui.cli.{module}"), name)
    try:
        with printing():  # --help
            context = command.make_context(path, arguments)
    except click.exceptions.Exit as done:
        return done.exit_code
    with context:
        return int(command.invoke(context))


def _options(arguments: Sequence[str]) -> Sequence[str]:
    """The words before `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments

"""What the commands print: styled lines on a terminal, the same lines plain into a pipe, or one JSON document.

Whatever is printed is made safe on the way, save JSON, whose escapes are safe as they are.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from wenchang_tui.cli.streams import discard, printing
from wenchang_tui.model.safe import visible_line

Piece: TypeAlias = tuple[str, str]
"""A text and the rich style it has on a terminal, such as `bold` or `dim`."""

Line: TypeAlias = Sequence[Piece]


def write_lines(lines: Iterable[Line]) -> None:
    """Print lines to stdout."""
    if sys.stdout.isatty():
        _write_styled(lines)
        return
    for line in lines:
        write_text("".join(visible_line(text) for text, _ in line))


def _write_styled(lines: Iterable[Line]) -> None:
    from rich.console import Console  # a pipe does without
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        with printing():
            console.print(Text.assemble(*((visible_line(text), style) for text, style in line)), soft_wrap=True)


def write_json(document: object) -> None:
    """Print one JSON document in ASCII to stdout."""
    write_text(json.dumps(document, indent=2))


def write_text(text: str) -> None:
    """Print a text that is known to be safe, and a line end, to stdout."""
    with printing():
        sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """Print one line to stderr. Where that takes nothing there is no place left to say so, and the command goes on."""
    try:
        sys.stderr.write(visible_line(text) + "\n")
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)

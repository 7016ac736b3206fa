"""The only doors through which stored or typed text reaches the screen.

Text in memory is written by agents and is untrusted: it may hold markup, terminal control sequences, characters that
reorder or hide what stands beside them. Nothing that comes out of here is ever read as markup, and nothing in it
reaches the terminal as anything but visible characters.
"""

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.style import Style

from wenchang_tui.model.safe import visible, visible_line

ELLIPSIS = "…"
_JOINER = "\u200d"  # draws what stands on either side as one: nothing of ours may stand there
_TAB = 4
_CELL_LIMIT = 4_000


def safe_line(text: str) -> str:
    """`text` on one line, as visible characters only: for strips, which are drawn as they are."""
    return visible_line(text)


def safe_block(line: str) -> str:
    """One line of a body, as visible characters only, with its tabs expanded: for strips, as they are drawn."""
    return visible(line).replace("\n", "\N{SYMBOL FOR NEWLINE}").expandtabs(_TAB)


def safe(text: str, style: Style | str = "") -> Content:
    """`text` for any Textual widget; line breaks stay."""
    return Content.styled(visible(text).expandtabs(_TAB), style)


def fit(text: str, width: int, *, right: bool = False) -> str:
    """One line of `text` in exactly `width` cells, cut with an ellipsis where it is longer.

    Wide and combining characters are counted by the cells they take.
    """
    if width <= 0:
        return ""
    line = safe_line(text[:_CELL_LIMIT]).strip(_JOINER)
    if cell_len(line) > width:
        head = set_cell_size(line, width - 1).rstrip(f" {_JOINER}")
        return head + " " * (width - 1 - cell_len(head)) + ELLIPSIS
    padding = " " * (width - cell_len(line))
    return padding + line if right else line + padding


def shorten_start(text: str, width: int) -> str:
    """`text` with its beginning cut away where it is wider than `width`: the end of a path says the most."""
    line = safe_line(text)
    if cell_len(line) <= width:
        return line
    line = line[-width:] if width > 0 else ""  # what is long is cut at once, what is wide cell by cell
    while line and cell_len(line) >= width:
        line = line[1:]
    return ELLIPSIS + line if width > 0 else ""

"""The order of memories, and the index of a folder as text. Pure. File memory, section 3.4."""

from collections.abc import Sequence

from wenchang.filememory.text import is_blank, lowered, on_one_line
from wenchang.filememory.values import ListEntry

INDEX_CAP = 50
_HEADING = "# Memory Index\n\n"


def sort_key(name: str) -> tuple[str, str]:
    """Letter case counts only between names that are otherwise the same."""
    return lowered(name), name


def render_index(entries: Sequence[ListEntry]) -> str:
    """The index of `entries`, which are in order; those past the cap are left out."""
    return _HEADING + "".join(map(_line, entries[:INDEX_CAP]))


def _line(entry: ListEntry) -> str:
    if is_blank(entry.description):
        return f"- **{entry.name}**\n"
    return f"- **{entry.name}**: {on_one_line(entry.description)}\n"


def is_indexed(name: str, index_lines: Sequence[str]) -> bool:
    """Whether a line of an index stands for memory `name`."""
    start = f"- **{name}**"
    return any(line == start or line.startswith(f"{start}: ") for line in index_lines)

"""Aliases on one line, the way people write lists: separated by commas, in double quotes where they hold one."""

import re
from collections.abc import Iterable, Iterator

_ITEM = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"?|(?P<plain>[^,]*))\s*(?:,|\Z)')


def aliases_to_line(aliases: Iterable[str]) -> str:
    """The aliases as a person can edit them; `aliases_from_line` gives them back exactly."""
    return ", ".join(_quoted(alias) if _needs_quotes(alias) else alias for alias in aliases)


def aliases_from_line(line: str) -> tuple[str, ...]:
    """The aliases that a line names. What lies between two commas without being anything counts for nothing."""
    return tuple(_items(line))


def _items(line: str) -> Iterator[str]:
    at = 0
    while at < len(line):
        item = _ITEM.match(line, at)
        if item is None:
            return
        if item["quoted"] is not None:
            yield item["quoted"].replace('""', '"')
        elif plain := item["plain"].strip():
            yield plain
        at = item.end()


def _needs_quotes(alias: str) -> bool:
    return alias.strip() != alias or not alias or "," in alias or alias.startswith('"')


def _quoted(alias: str) -> str:
    return '"' + alias.replace('"', '""') + '"'

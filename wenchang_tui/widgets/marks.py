"""What changed and was not looked at since: of more than anybody would look at, the latest."""

from collections.abc import Iterable

MOST = 10_000


class Marks:
    """The marked keys, or places. An agent that writes for days under ever new names does not fill the memory."""

    def __init__(self) -> None:
        self._marked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._marked

    def __len__(self) -> int:
        return len(self._marked)

    def add(self, keys: Iterable[str]) -> None:
        """Mark these."""
        for key in keys:
            self._marked.pop(key, None)
            self._marked[key] = None
        for key in list(self._marked)[: max(0, len(self) - MOST)]:
            del self._marked[key]

    def discard(self, key: str) -> None:
        """Take the mark away, if there is one."""
        self._marked.pop(key, None)

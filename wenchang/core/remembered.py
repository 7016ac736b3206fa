"""The index as last made for a caller, good for as long as the storage says that nothing was written under it."""

from collections.abc import Callable

from wenchang.core.values import MemoryIndex
from wenchang.paths import build_prefix
from wenchang.storage import ListingState, Storage

_KEPT = 32

Entities = tuple[tuple[str, str], ...]


class RememberedIndexes:
    """Indexes by the entities they are of, where the storage can tell that they would come out as before."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage if isinstance(storage, ListingState) else None
        self._kept: dict[Entities, tuple[list[object], MemoryIndex]] = {}

    def get(self, entities: Entities, make: Callable[[], MemoryIndex]) -> MemoryIndex:
        """The index of `entities`, from `make` unless it is known."""
        # Asked before the listing: a write that overlaps it makes what is kept stale at once.
        states = self._states(entities)
        if states is None:
            return make()
        known = self._kept.get(entities)
        if known is not None and known[0] == states:
            return known[1]
        index = make()
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        self._kept[entities] = states, index
        return index

    def _states(self, entities: Entities) -> list[object] | None:
        if self._storage is None:
            return None
        states = [self._storage.listing_state(build_prefix(*entity)) for entity in entities]
        return None if None in states else states

"""Which part of a store is to be checked: all of it, who is served, or where somebody looks."""

from dataclasses import dataclass

from wenchang.identity import Identity
from wenchang_tui.model.workspace import Ambiguous


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of a store, in words, and the prefixes below which it lies."""

    name: str
    prefixes: tuple[str, ...]

    def covers(self, key: str) -> bool:
        """Whether an object lies in it."""
        return key.startswith(self.prefixes)


WHOLE_STORE = Scope("the whole store", ("",))


def scopes(identity: Identity | Ambiguous | None, selected: str) -> tuple[Scope, ...]:
    """What can be checked, the largest first; `selected` is a prefix, of which an entity is the smallest part.

    What an index needs is all in the entities that it is made of, so nothing less is worth a check of its own.
    """
    found = [WHOLE_STORE]
    if isinstance(identity, Identity) and identity.scope_map:
        prefixes = tuple(f"{scope}/{entity}/" for scope, entity in identity.scope_map.items())
        found.append(Scope("all that is served", prefixes))
    if selected:
        prefix = entity_prefix(selected)
        found.append(Scope(prefix, (prefix,)))
    return tuple(found)


def entity_prefix(key: str) -> str:
    """`SCOPE/ENTITY/` of an object or a prefix; of one that lies in no entity, itself."""
    scope, *rest = key.split("/", 2)
    return f"{scope}/{rest[0]}/" if len(rest) == 2 else key

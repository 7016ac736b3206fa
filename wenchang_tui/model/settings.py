"""What a person says about how to open a store: who they are in it, what limits hold, whether it may change.

Also the texts these are given as, on the command line and in a profile.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wenchang.identity import ScopeGrant
from wenchang.paths import is_valid_segment
from wenchang.prompts import PromptSlots

DEFAULT_ROLE = "owner"


@dataclass(frozen=True, slots=True)
class Settings:
    """Grants by scope, roles that may write by scope, the scopes that come first, and limits in bytes and files.

    `max_files` is per entity, `None` for no limit; `source` is the name under which the app itself writes; `slots` are
    the words of the memory prompt, `None` for built-in ones.
    """

    grants: Mapping[str, ScopeGrant] = field(default_factory=dict)
    write_roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    priority: tuple[str, ...] = ()
    index_bytes: int = 65_536
    max_file_bytes: int = 16_384
    max_files: int | None = 500
    page_size: int = 100
    source: str = "wenchang-tui"
    read_only: bool = False
    slots: PromptSlots | None = None


def parse_grants(texts: Iterable[str]) -> dict[str, ScopeGrant]:
    """Grants from `SCOPE=ENTITY[:ROLE]`. Raises `ValueError` with a sentence for a person."""
    grants: dict[str, ScopeGrant] = {}
    for text in texts:
        scope, entity, role = _split_grant(text)
        if scope in grants:
            raise ValueError(f"scope {scope} is granted twice; give one entity for each scope")
        grants[scope] = ScopeGrant(entity, role)
    return grants


def _split_grant(text: str) -> tuple[str, str, str]:
    scope, _, rest = text.partition("=")
    entity, _, role = rest.rpartition(":") if ":" in rest else (rest, "", DEFAULT_ROLE)
    if not role or not (is_valid_segment(scope) and is_valid_segment(entity)):
        raise ValueError(f"{text} is not of the form SCOPE=ENTITY[:ROLE]")
    return scope, entity, role


def parse_restrictions(texts: Iterable[str]) -> dict[str, frozenset[str]]:
    """The roles that may write in a scope, from `SCOPE=ROLE[,ROLE…]`. Raises `ValueError` with a sentence."""
    restrictions: dict[str, frozenset[str]] = {}
    for text in texts:
        scope, _, names = text.partition("=")
        roles = names.split(",")
        if not is_valid_segment(scope) or not all(roles):
            raise ValueError(f"{text} is not of the form SCOPE=ROLE[,ROLE...]")
        if scope in restrictions:
            raise ValueError(f"scope {scope} is restricted twice; name all its roles at once")
        restrictions[scope] = frozenset(roles)
    return restrictions


def parse_priority(scopes: Iterable[str]) -> tuple[str, ...]:
    """The scopes in their order. Raises `ValueError` with a sentence for one that is invalid or repeated."""
    priority = tuple(scopes)
    for scope in priority:
        if not is_valid_segment(scope):
            raise ValueError(f"{scope!r} is not a scope")
        if priority.count(scope) > 1:
            raise ValueError(f"scope {scope} is listed twice")
    return priority

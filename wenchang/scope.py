"""What a caller may write: nothing under `system/`, only the own entity, only in a role the policy permits.

Reading is not checked here: an agent reads only what its identity grants, because tools build every path from a grant.
`MemoryStore` and the transports never call this module, so that seeding and administration can write `system/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from wenchang._types import exact_str, really, type_name
from wenchang.errors import NotFoundError, NotFoundReason, RestrictedScopeError, RestrictionReason
from wenchang.identity import Identity
from wenchang.paths import is_valid_path, is_valid_segment, parse_path

__all__ = [
    "SYSTEM_AREA",
    "ScopePolicy",
    "check_not_system",
    "check_write",
    "check_write_allowed",
    "is_system_path",
]

SYSTEM_AREA = "system"
"""The area that people maintain and agents only read. Matched exactly: no case folding, no normalisation."""


@dataclass(frozen=True)
class ScopePolicy:
    """Which roles may write in which scope: a snapshot, read-only, compared by content.

    Any granted role may write in a scope that is not listed. Raises `TypeError` and `ValueError` for what is no mapping
    of path segments to non-empty frozensets of role names. Agent layer, section 2.
    """

    write_roles: Mapping[str, frozenset[str]]

    def __post_init__(self) -> None:
        if not really(self.write_roles, Mapping):  # type: ignore[type-abstract]
            raise TypeError("write_roles must be a Mapping")
        object.__setattr__(self, "write_roles", MappingProxyType(_checked_roles(self.write_roles)))

    def __hash__(self) -> int:
        return hash(frozenset(self.write_roles.items()))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "write_roles": dict(self.write_roles)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, write_roles=MappingProxyType(state["write_roles"]))

    def is_write_restricted(self, scope: str) -> bool:
        """Whether writing in `scope` takes one of certain roles."""
        return scope in self.write_roles

    def permitted_roles(self, scope: str) -> frozenset[str] | None:
        """The roles that may write in `scope`; `None` when every granted role may."""
        return self.write_roles.get(scope)


def _checked_roles(write_roles: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    checked: dict[str, frozenset[str]] = {}
    for key, roles in write_roles.items():
        if not really(key, str):
            raise TypeError(f"scope must be a str, not {type_name(key)}")
        scope = exact_str(key)
        if not is_valid_segment(scope):
            raise ValueError(f"invalid scope: {scope!r}")
        if scope in checked:
            raise ValueError(f"duplicate scope after normalization: {scope!r}")
        checked[scope] = _exact_roles(scope, roles)
    return checked


def _exact_roles(scope: str, roles: frozenset[str]) -> frozenset[str]:
    if not really(roles, frozenset):
        raise TypeError(f"roles for scope {scope!r} must be a frozenset")
    members = list(frozenset.__iter__(roles))
    if not members:
        raise ValueError(f"scope {scope!r} has no permitted roles")
    for role in members:
        if not really(role, str):
            raise TypeError(f"role for scope {scope!r} must be a str, not {type_name(role)}")
    exact = frozenset(exact_str(role) for role in members)
    if "" in exact:
        raise ValueError(f"scope {scope!r} has an empty role")
    return exact


def is_system_path(path: object) -> bool:
    """Whether `path` is a valid path in the `system` area; `False` for anything else. Never raises."""
    if not really(path, str):
        return False
    exact = exact_str(path)
    return is_valid_path(exact) and parse_path(exact).area == SYSTEM_AREA


def check_not_system(path: str) -> None:
    """Refuse a write under `system/`, for whichever caller: there is no role that lifts this.

    Raises `TypeError`, `NotFoundError` for a malformed path, or `RestrictedScopeError`.
    """
    parts = parse_path(exact := _exact_path(path))
    if parts.area == SYSTEM_AREA:
        raise RestrictedScopeError(exact, parts.scope, RestrictionReason.SYSTEM_READ_ONLY)


def check_write_allowed(path: str, identity: Identity, policy: ScopePolicy) -> None:
    """Refuse a write outside the caller's grants and roles. Ignores `system/`: tools call `check_write`.

    Raises `TypeError`, `NotFoundError` for a malformed path, or `RestrictedScopeError`.
    """
    parts = parse_path(exact := _exact_path(path))
    grant = identity.grants.get(parts.scope)
    if grant is None or grant.entity_id != parts.entity_id:
        raise RestrictedScopeError(exact, parts.scope, RestrictionReason.NOT_GRANTED)
    roles = policy.permitted_roles(parts.scope)
    if roles is not None and grant.role not in roles:
        raise RestrictedScopeError(exact, parts.scope, RestrictionReason.ROLE_REQUIRED, roles)


def check_write(path: str, identity: Identity, policy: ScopePolicy) -> None:
    """Refuse a write that either rule refuses, `system/` first. Agent layer, section 2."""
    exact = _exact_path(path)
    check_not_system(exact)
    check_write_allowed(exact, identity, policy)


def _exact_path(path: str) -> str:
    if not really(path, str):
        raise TypeError("path must be str")
    exact = exact_str(path)
    if not is_valid_path(exact):
        raise NotFoundError(exact, NotFoundReason.INVALID_PATH)
    return exact

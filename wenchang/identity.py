"""Who the caller is: which entity stands behind each scope, and in which role.

An identity comes from the host's own resolver, never from anything an agent says. Nothing here keeps, reads or repeats
credentials. What an identity may write is decided in `wenchang.scope`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

from wenchang._types import exact_str, really, type_name
from wenchang.errors import ResolverFailureError
from wenchang.paths import is_valid_segment

__all__ = [
    "Identity",
    "IdentityResolver",
    "ResolutionFailure",
    "SandboxResolver",
    "ScopeGrant",
    "resolve_identity",
]

Credentials_contra = TypeVar("Credentials_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class ScopeGrant:
    """One entity in one scope. `role` is an opaque, case-sensitive text; no role includes another.

    Raises `TypeError` for a field that is no `str`, `ValueError` for an entity that is no path segment or a blank role.
    """

    entity_id: str
    role: str

    def __post_init__(self) -> None:
        for field in ("entity_id", "role"):
            value = getattr(self, field)
            if not really(value, str):
                raise TypeError(f"{field} must be a str, not {type_name(value)}")
            object.__setattr__(self, field, exact_str(value))
        if not is_valid_segment(self.entity_id):
            raise ValueError(f"entity_id {self.entity_id!r} is not a valid path segment")
        if not self.role:
            raise ValueError("role must be non-empty")


@dataclass(frozen=True)
class Identity:
    """The grants of one caller, by scope: a snapshot, read-only, compared by content. No grants at all is legal.

    Raises `TypeError` and `ValueError` for what is no mapping of path segments to grants. Agent layer, section 1.
    """

    grants: Mapping[str, ScopeGrant]

    def __post_init__(self) -> None:
        if not really(self.grants, Mapping):  # type: ignore[type-abstract]
            raise TypeError("grants must be a Mapping")
        object.__setattr__(self, "grants", MappingProxyType(_checked_grants(self.grants)))

    def __hash__(self) -> int:
        return hash(frozenset(self.grants.items()))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "grants": dict(self.grants)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, grants=MappingProxyType(state["grants"]))

    @property
    def scope_map(self) -> dict[str, str]:
        """Scope → entity ID, as `MemoryStore.get_memory_index` takes it; a new dictionary each time."""
        return {scope: grant.entity_id for scope, grant in self.grants.items()}

    def entity_id(self, scope: str) -> str:
        """The caller's entity in `scope`. Raises `KeyError` when there is no grant."""
        return self.grants[scope].entity_id

    def role(self, scope: str) -> str:
        """The caller's role in `scope`. Raises `KeyError` when there is no grant."""
        return self.grants[scope].role


def _checked_grants(grants: Mapping[str, ScopeGrant]) -> dict[str, ScopeGrant]:
    checked: dict[str, ScopeGrant] = {}
    for key, grant in grants.items():
        if not really(key, str):
            raise TypeError(f"scope name must be a str, not {type_name(key)}")
        scope = exact_str(key)
        if not is_valid_segment(scope):
            raise ValueError(f"scope name {scope!r} is not a valid path segment")
        if not really(grant, ScopeGrant):
            raise TypeError(f"grant for scope {scope!r} must be a ScopeGrant, not {type_name(grant)}")
        if scope in checked:
            raise ValueError(f"duplicate scope after normalization: {scope!r}")
        checked[scope] = grant
    return checked


@dataclass(frozen=True, slots=True)
class ResolutionFailure:
    """Why a caller could not be identified. An agent gets to read `detail`, so it must never hold a credential."""

    detail: str

    def __post_init__(self) -> None:
        if not really(self.detail, str):
            raise TypeError(f"detail must be a str, not {type_name(self.detail)}")
        object.__setattr__(self, "detail", exact_str(self.detail))
        if not self.detail:
            raise ValueError("detail must be non-empty")


@runtime_checkable
class IdentityResolver(Protocol[Credentials_contra]):
    """How a host turns the credentials of a request into an identity.

    `wenchang.testing.ResolverConformance` checks an implementation.
    """

    def resolve(self, credentials: Credentials_contra) -> Identity | ResolutionFailure:
        """Who this is. Must not raise; equal credentials give an equal answer within a session."""
        ...


@dataclass(frozen=True, slots=True)
class SandboxResolver:
    """The same identity for whatever credentials: for tests, demonstrations and a single user's own machine."""

    identity: Identity

    def resolve(self, credentials: object) -> Identity:  # noqa: ARG002 - the name is part of the protocol
        """The identity this resolver was made with."""
        return self.identity


def resolve_identity(resolver: IdentityResolver[Any], credentials: object) -> Identity:
    """Ask `resolver` who the caller is. Raises `ResolverFailureError` for every answer but an `Identity`.

    The error keeps no link to an exception of the resolver, whose text may hold a credential: it is raised outside the
    handler, because `from None` alone would leave that exception reachable as its context.
    """
    try:
        answer: object = resolver.resolve(credentials)
    except Exception as error:
        detail = f"Resolver {type_name(resolver)} raised {type_name(error)}."
    else:
        if really(answer, Identity):
            return answer
        detail = _why_not(resolver, answer)
    raise ResolverFailureError(detail)


def _why_not(resolver: object, answer: object) -> str:
    if not really(answer, ResolutionFailure):
        return f"Resolver {type_name(resolver)} returned {type_name(answer)}, not Identity or ResolutionFailure."
    try:
        detail: object = answer.detail
    except Exception:
        detail = None
    if not really(detail, str) or not exact_str(detail):
        return f"Resolver {type_name(resolver)} returned an invalid ResolutionFailure."
    return exact_str(detail)

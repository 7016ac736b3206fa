"""The suite that any identity resolver must pass, together with the scope policy of its host.

It asks only what `resolve` answers and what `wenchang.scope` makes of the answer; nothing is written anywhere.
"""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import pytest

from wenchang._types import really, type_name
from wenchang.errors import ErrorCategory, ResolverFailureError, RestrictedScopeError, RestrictionReason
from wenchang.identity import Identity, IdentityResolver, ResolutionFailure, ScopeGrant, resolve_identity
from wenchang.paths import build_path, build_prefix, is_valid_path, is_valid_prefix, parse_path
from wenchang.scope import SYSTEM_AREA, ScopePolicy, check_write

__all__ = ["ResolverConformance"]

Credentials = TypeVar("Credentials")

_REPEATS = 3
_AREA = "conformance"
_NAME = "probe"


class ResolverConformance(Generic[Credentials]):
    """What `wenchang.identity.IdentityResolver` asks of a resolver, as tests. Agent layer, section 7.

    Subclass it under a name that pytest collects and supply these fixtures: `resolver`; `valid_credentials` and
    `invalid_credentials` (which may skip, where there are none); the host's `policy`; `expected_scopes`, the scopes
    that the valid credentials are granted; `known_roles`, every role the host uses. The last two are frozensets of
    `str`.

        class TestMyResolver(ResolverConformance[str]):
            @pytest.fixture
            def resolver(self) -> MyResolver:
                return MyResolver()
            ...
    """

    def test_valid_credentials_resolve_to_identity(
        self,
        resolver: IdentityResolver[Credentials],
        valid_credentials: Credentials,
        expected_scopes: frozenset[str],
    ) -> None:
        """The answer is an identity with exactly the expected scopes, of which there is at least one."""
        _require_texts("expected_scopes", expected_scopes)
        granted = set(_identity(resolver, valid_credentials).grants)
        _require(granted == expected_scopes, f"granted {sorted(granted)} instead of {sorted(expected_scopes)}")

    def test_valid_credentials_resolve_through_library_entry_point(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials
    ) -> None:
        """`resolve_identity`, which the tools call, gives an equal identity."""
        direct = _identity(resolver, valid_credentials)
        try:
            resolved = resolve_identity(resolver, valid_credentials)
        except ResolverFailureError:
            pytest.fail("ResolverConformance: resolve_identity failed for valid credentials")
        _require(_rebuilt(resolved) == direct, "resolve_identity gave another identity than resolve")

    def test_invalid_credentials_return_resolution_failure(
        self, resolver: IdentityResolver[Credentials], invalid_credentials: Credentials
    ) -> None:
        """They are answered with a failure, not with an exception."""
        _failure(resolver, invalid_credentials)

    def test_invalid_credentials_raise_permanent_resolver_failure_error(
        self, resolver: IdentityResolver[Credentials], invalid_credentials: Credentials
    ) -> None:
        """`resolve_identity` turns that failure into a permanent error that tells its detail."""
        detail = _failure(resolver, invalid_credentials).detail
        try:
            resolve_identity(resolver, invalid_credentials)
        except ResolverFailureError as error:
            _require(error.category is ErrorCategory.PERMANENT, "the resolver failure is not permanent")
            _require(str(error) == str(ResolverFailureError(detail)), "the error tells another detail than the failure")
        else:
            pytest.fail("ResolverConformance: resolve_identity accepted invalid credentials")

    def test_valid_resolution_is_consistent(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials
    ) -> None:
        """The same credentials give equal identities."""
        answers = [_identity(resolver, valid_credentials) for _ in range(_REPEATS)]
        _require(all(answer == answers[0] for answer in answers), "valid credentials gave different identities")

    def test_invalid_resolution_is_consistent(
        self, resolver: IdentityResolver[Credentials], invalid_credentials: Credentials
    ) -> None:
        """The same credentials give equal failures."""
        details = {_failure(resolver, invalid_credentials).detail for _ in range(_REPEATS)}
        _require(len(details) == 1, "invalid credentials gave different failures")

    def test_roles_are_known_to_scope_configuration(
        self,
        resolver: IdentityResolver[Credentials],
        valid_credentials: Credentials,
        policy: ScopePolicy,
        known_roles: frozenset[str],
    ) -> None:
        """Every role granted, and every role the policy names, is one the host knows: a misspelt one opens nothing."""
        _require_texts("known_roles", known_roles)
        granted = {grant.role for grant in _identity(resolver, valid_credentials).grants.values()}
        named = {role for roles in policy.write_roles.values() for role in roles}
        _require(granted <= known_roles, f"unknown roles granted: {sorted(granted - known_roles)}")
        _require(named <= known_roles, f"unknown roles in the policy: {sorted(named - known_roles)}")

    def test_granted_scopes_build_valid_paths(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials
    ) -> None:
        """Scope and entity of every grant fit into a path, and come out of it again."""
        for scope, grant in _identity(resolver, valid_credentials).grants.items():
            path = build_path(scope, grant.entity_id, _AREA, _NAME)
            parts = parse_path(path)
            _require(is_valid_path(path), f"no valid path in scope {scope}")
            _require((parts.scope, parts.entity_id) == (scope, grant.entity_id), f"scope {scope} does not round-trip")
            prefix = build_prefix(scope, grant.entity_id)
            _require(is_valid_prefix(prefix) and path.startswith(prefix), f"no valid prefix in scope {scope}")

    def test_system_area_is_read_only_in_every_scope(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials, policy: ScopePolicy
    ) -> None:
        """For the own entity, for foreign ones, and where nothing is granted."""
        identity = _identity(resolver, valid_credentials)
        own = [(scope, grant.entity_id) for scope, grant in identity.grants.items()]
        foreign = [(scope, f"{entity_id}-foreign") for scope, entity_id in own]
        for scope, entity_id in [*own, *foreign, (_ungranted_scope(identity), "entity")]:
            error = _refusal(build_path(scope, entity_id, SYSTEM_AREA, _NAME), identity, policy)
            _require_reason(error, RestrictionReason.SYSTEM_READ_ONLY, f"the system area of scope {scope}")

    def test_own_entity_writes_follow_policy(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials, policy: ScopePolicy
    ) -> None:
        """Allowed, or refused with the very roles that the policy asks for."""
        identity = _identity(resolver, valid_credentials)
        for scope, grant in identity.grants.items():
            roles = policy.write_roles.get(scope)
            error = _refusal(build_path(scope, grant.entity_id, _AREA, _NAME), identity, policy)
            if roles is None or grant.role in roles:
                _require(error is None, f"a permitted write in scope {scope} was refused")
            else:
                _require_reason(error, RestrictionReason.ROLE_REQUIRED, f"role {grant.role} in scope {scope}")
                _require(error is not None and error.required_roles == roles, f"scope {scope} asks for other roles")

    def test_foreign_entity_writes_are_not_granted(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials, policy: ScopePolicy
    ) -> None:
        """Another entity of a granted scope is as closed as a scope without a grant."""
        identity = _identity(resolver, valid_credentials)
        for scope, grant in identity.grants.items():
            path = build_path(scope, f"{grant.entity_id}-foreign", _AREA, _NAME)
            _require_reason(
                _refusal(path, identity, policy), RestrictionReason.NOT_GRANTED, f"a foreign entity in scope {scope}"
            )

    def test_ungranted_scope_writes_are_not_granted(
        self, resolver: IdentityResolver[Credentials], valid_credentials: Credentials, policy: ScopePolicy
    ) -> None:
        """A scope without a grant is closed."""
        identity = _identity(resolver, valid_credentials)
        scope = _ungranted_scope(identity)
        path = build_path(scope, "entity", _AREA, _NAME)
        _require_reason(_refusal(path, identity, policy), RestrictionReason.NOT_GRANTED, f"ungranted scope {scope}")


def _require(holds: bool, phrase: str) -> None:
    if not holds:
        pytest.fail(f"ResolverConformance: {phrase}")


def _require_texts(fixture: str, values: object) -> None:
    exact = type(values) is frozenset and all(type(value) is str for value in values)
    _require(exact and bool(values), f"the fixture {fixture} must be a non-empty frozenset of str")


def _require_reason(error: RestrictedScopeError | None, reason: RestrictionReason, what: str) -> None:
    _require(error is not None, f"a write to {what} was allowed")
    _require(error is not None and error.reason is reason, f"a write to {what} was refused for another reason")


def _answer(resolver: IdentityResolver[Any], credentials: object) -> object:
    try:
        return resolver.resolve(credentials)
    except Exception as error:
        name = type_name(error)
    pytest.fail(f"ResolverConformance: resolve raised {name}")  # its text may hold a credential


def _identity(resolver: IdentityResolver[Any], credentials: object) -> Identity:
    answer = _answer(resolver, credentials)
    if not really(answer, Identity):
        pytest.fail(f"ResolverConformance: valid credentials resolved to {type_name(answer)}")
    return _rebuilt(answer)


def _rebuilt(identity: Identity) -> Identity:
    """A plain identity with the same grants: a subclass may compare as it likes."""
    grants = vars(identity)["grants"]
    return Identity({scope: ScopeGrant(grant.entity_id, grant.role) for scope, grant in grants.items()})


def _failure(resolver: IdentityResolver[Any], credentials: object) -> ResolutionFailure:
    answer = _answer(resolver, credentials)
    if not really(answer, ResolutionFailure):
        pytest.fail(f"ResolverConformance: invalid credentials resolved to {type_name(answer)}")
    return answer


def _refusal(path: str, identity: Identity, policy: ScopePolicy) -> RestrictedScopeError | None:
    try:
        check_write(path, identity, policy)
    except RestrictedScopeError as error:
        return error
    return None


def _ungranted_scope(identity: Identity) -> str:
    return _unused("ungranted", identity.grants)


def _unused(name: str, taken: Iterable[str]) -> str:
    return name if name not in taken else _unused(f"{name}-x", taken)

"""The suite for resolvers: honest resolvers pass it, and each part catches one that is wrong in that part."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from wenchang.identity import Identity, ResolutionFailure, SandboxResolver, ScopeGrant
from wenchang.scope import ScopePolicy
from wenchang.testing import ResolverConformance

QIAO = Identity({"user": ScopeGrant("u-qiao", "owner"), "press": ScopeGrant("o-1", "member")})
POLICY = ScopePolicy({"press": frozenset({"owner"})})


class Tokens:
    """A resolver as a host would write it."""

    def resolve(self, credentials: str) -> Identity | ResolutionFailure:
        return QIAO if credentials == "good" else ResolutionFailure("The token is not known.")


class Settings:
    """What an adopter supplies beside the resolver."""

    @pytest.fixture
    def valid_credentials(self) -> str:
        return "good"

    @pytest.fixture
    def policy(self) -> ScopePolicy:
        return POLICY

    @pytest.fixture
    def expected_scopes(self) -> frozenset[str]:
        return frozenset({"user", "press"})

    @pytest.fixture
    def known_roles(self) -> frozenset[str]:
        return frozenset({"owner", "member"})


class TestTokens(Settings, ResolverConformance[str]):
    @pytest.fixture
    def resolver(self) -> Tokens:
        return Tokens()

    @pytest.fixture
    def invalid_credentials(self) -> str:
        return "bad"


class TestSandbox(Settings, ResolverConformance[str]):
    @pytest.fixture
    def resolver(self) -> SandboxResolver:
        return SandboxResolver(QIAO)

    @pytest.fixture
    def invalid_credentials(self) -> str:
        pytest.skip("a sandbox knows no invalid credentials")


class EqualToAll(Identity):
    """Says of any identity that it is the same."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def one_of(*answers: Any) -> Callable[[], Any]:
    """Each answer once, then the last for good."""
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


FAILURE = ResolutionFailure("no")
OTHER = Identity({"user": ScopeGrant("u-other", "owner"), "press": ScopeGrant("o-1", "member")})


class Scripted:
    """Answers for good and for bad credentials."""

    def __init__(self, good: Callable[[], Any] = lambda: QIAO, bad: Callable[[], Any] = lambda: FAILURE) -> None:
        self.answers: Mapping[str, Callable[[], Any]] = {"good": good, "bad": bad}

    def resolve(self, credentials: str) -> Any:
        return self.answers[credentials]()


def boom() -> Any:
    raise RuntimeError("token-123 is not valid")


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("valid_credentials_resolve_to_identity", {"resolver": Scripted(good=boom)}),
    ("valid_credentials_resolve_to_identity", {"resolver": Scripted(good=lambda: FAILURE)}),
    ("valid_credentials_resolve_to_identity", {"resolver": Scripted(good=lambda: None)}),
    ("valid_credentials_resolve_to_identity", {"resolver": Scripted(good=lambda: Identity({}))}),
    ("valid_credentials_resolve_to_identity", {"expected_scopes": frozenset({"user"})}),
    ("valid_credentials_resolve_to_identity", {"expected_scopes": {"user", "press"}}),
    ("valid_credentials_resolve_through_library_entry_point", {"resolver": Scripted(good=one_of(QIAO, OTHER))}),
    ("valid_credentials_resolve_through_library_entry_point", {"resolver": Scripted(good=one_of(QIAO, FAILURE))}),
    ("invalid_credentials_return_resolution_failure", {"resolver": Scripted(bad=boom)}),
    ("invalid_credentials_return_resolution_failure", {"resolver": Scripted(bad=lambda: QIAO)}),
    (
        "invalid_credentials_raise_permanent_resolver_failure_error",
        {"resolver": Scripted(bad=one_of(FAILURE, QIAO))},
    ),
    (
        "invalid_credentials_raise_permanent_resolver_failure_error",
        {"resolver": Scripted(bad=one_of(FAILURE, ResolutionFailure("else")))},
    ),
    ("valid_resolution_is_consistent", {"resolver": Scripted(good=one_of(QIAO, QIAO, OTHER))}),
    (
        "valid_resolution_is_consistent",
        {"resolver": Scripted(good=one_of(EqualToAll(QIAO.grants), EqualToAll(OTHER.grants)))},
    ),
    ("invalid_resolution_is_consistent", {"resolver": Scripted(bad=one_of(FAILURE, ResolutionFailure("now no")))}),
    ("roles_are_known_to_scope_configuration", {"known_roles": frozenset({"owner"})}),
    (
        "roles_are_known_to_scope_configuration",
        {"policy": ScopePolicy({"press": frozenset({"ownr"})})},
    ),
]


def arguments(test: Callable[..., None], changed: Mapping[str, Any]) -> dict[str, Any]:
    honest = {
        "resolver": Tokens(),
        "valid_credentials": "good",
        "invalid_credentials": "bad",
        "policy": POLICY,
        "expected_scopes": frozenset({"user", "press"}),
        "known_roles": frozenset({"owner", "member"}),
    }
    return {name: value for name, value in {**honest, **changed}.items() if name in inspect.signature(test).parameters}


@pytest.mark.parametrize(("name", "changed"), WRONG)
def test_the_suite_catches_a_wrong_resolver(name: str, changed: dict[str, Any]) -> None:
    test = getattr(ResolverConformance[str](), f"test_{name}")
    with pytest.raises(pytest.fail.Exception, match="ResolverConformance: ") as failure:
        test(**arguments(test, changed))
    assert "token-123" not in str(failure.value)


class PermitsAll(ScopePolicy):
    """Says that nobody needs a role, whatever it holds."""

    def permitted_roles(self, scope: str) -> None:
        return None


class NeedsAnotherRole(ScopePolicy):
    """Says that every scope takes a role nobody has."""

    def permitted_roles(self, scope: str) -> frozenset[str]:
        return frozenset({"emperor"})


@pytest.mark.parametrize("policy", [PermitsAll(POLICY.write_roles), NeedsAnotherRole(POLICY.write_roles)])
def test_the_suite_catches_a_policy_that_does_not_hold_what_it_says(policy: ScopePolicy) -> None:
    with pytest.raises(pytest.fail.Exception, match="ResolverConformance: "):
        ResolverConformance[str]().test_own_entity_writes_follow_policy(Tokens(), "good", policy)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("system_area_is_read_only_in_every_scope", "check_not_system"),
        ("foreign_entity_writes_are_not_granted", "check_write_allowed"),
        ("ungranted_scope_writes_are_not_granted", "check_write_allowed"),
        ("own_entity_writes_follow_policy", "check_write_allowed"),
    ],
)
def test_the_suite_catches_a_library_without_a_rule(name: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"wenchang.scope.{rule}", lambda *_: None)
    test = getattr(ResolverConformance[str](), f"test_{name}")
    with pytest.raises(pytest.fail.Exception, match="ResolverConformance: "):
        test(**arguments(test, {}))

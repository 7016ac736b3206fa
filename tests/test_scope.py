import copy
import pickle
from typing import Any

import pytest

from wenchang.errors import NotFoundError, NotFoundReason, RestrictedScopeError, RestrictionReason
from wenchang.identity import Identity, ScopeGrant
from wenchang.scope import (
    SYSTEM_AREA,
    ScopePolicy,
    check_not_system,
    check_write,
    check_write_allowed,
    is_system_path,
)

IDENTITY = Identity({"user": ScopeGrant("u-1", "owner"), "press": ScopeGrant("o-1", "member")})
POLICY = ScopePolicy({"press": frozenset({"owner", "admin"})})


class Lying(str):
    """Pretends to be a harmless path."""

    def __str__(self) -> str:
        return "user/u-1/notes/a.md"

    def split(self, *_: Any) -> Any:
        return ["user", "u-1", "notes", "a.md"]


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("user/u-1/system/a.md", True),
        ("system/x/system/a.md", True),
        (Lying("user/u-1/system/a.md"), True),
        ("user/u-1/System/a.md", False),
        ("user/u-1/system /a.md", False),
        ("user/u-1/ｓystem/a.md", False),
        ("system/system/notes/system.md", False),
        ("user/u-1/system/a.txt", False),
        ("user/u-1/system/", False),
        ("", False),
        (None, False),
        (b"user/u-1/system/a.md", False),
    ],
)
def test_only_the_area_makes_a_system_path(path: Any, verdict: bool) -> None:
    assert is_system_path(path) is verdict
    assert SYSTEM_AREA == "system"


def refusal(check: Any, *arguments: Any) -> tuple[RestrictionReason, frozenset[str] | None]:
    with pytest.raises(RestrictedScopeError) as caught:
        check(*arguments)
    assert caught.value.path == str.__str__(arguments[0])
    return caught.value.reason, caught.value.required_roles


def test_nobody_writes_under_system() -> None:
    owner = Identity({"press": ScopeGrant("o-1", "owner")})
    path = "press/o-1/system/a.md"
    read_only = (RestrictionReason.SYSTEM_READ_ONLY, None)
    assert refusal(check_not_system, path) == read_only
    assert refusal(check_write, path, owner, POLICY) == read_only
    assert refusal(check_write, "other/x/system/a.md", owner, POLICY) == read_only
    assert refusal(check_write, Lying(path), owner, POLICY) == read_only
    check_write_allowed(path, owner, POLICY)
    check_not_system("press/o-1/notes/a.md")


@pytest.mark.parametrize("path", ["project/p-1/notes/a.md", "user/u-2/notes/a.md", "user/o-1/notes/a.md"])
def test_only_the_own_entity_of_a_granted_scope_can_be_written(path: str) -> None:
    assert refusal(check_write, path, IDENTITY, POLICY) == (RestrictionReason.NOT_GRANTED, None)
    assert refusal(check_write_allowed, path, IDENTITY, POLICY) == (RestrictionReason.NOT_GRANTED, None)
    check_write("user/u-1/notes/a.md", IDENTITY, POLICY)


def test_a_restricted_scope_takes_one_of_its_roles() -> None:
    path = "press/o-1/notes/a.md"
    required = (RestrictionReason.ROLE_REQUIRED, frozenset({"owner", "admin"}))
    assert refusal(check_write, path, IDENTITY, POLICY) == required
    for role in ("Owner", "owner "):
        assert refusal(check_write, path, Identity({"press": ScopeGrant("o-1", role)}), POLICY) == required
    check_write(path, Identity({"press": ScopeGrant("o-1", "admin")}), POLICY)
    check_write(path, IDENTITY, ScopePolicy({}))
    check_write(path, IDENTITY, ScopePolicy({"nowhere": frozenset({"x"})}))


@pytest.mark.parametrize("check", [check_not_system, lambda path: check_write(path, IDENTITY, POLICY)])
def test_a_path_is_checked_first(check: Any) -> None:
    with pytest.raises(TypeError, match="path must be str"):
        check(None)
    with pytest.raises(NotFoundError) as caught:
        check("user/u-1/system/../a.md")
    assert caught.value.reason is NotFoundReason.INVALID_PATH


@pytest.mark.parametrize(
    ("roles", "error", "message"),
    [
        ([], TypeError, "write_roles must be a Mapping"),
        ({1: frozenset({"r"})}, TypeError, "scope must be a str, not int"),
        ({"a/b": frozenset({"r"})}, ValueError, "invalid scope: 'a/b'"),
        ({"s": {"r"}}, TypeError, "roles for scope 's' must be a frozenset"),
        ({"s": frozenset()}, ValueError, "scope 's' has no permitted roles"),
        ({"s": frozenset({1})}, TypeError, "role for scope 's' must be a str, not int"),
        ({"s": frozenset({""})}, ValueError, "scope 's' has an empty role"),
    ],
)
def test_a_policy_that_cannot_be_is_refused(roles: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        ScopePolicy(roles)
    assert str(caught.value) == message


class Key(str):
    """Equal to nothing but itself, until it is normalised."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 1


def test_a_scope_may_stand_in_a_policy_once() -> None:
    roles = frozenset({"r"})
    with pytest.raises(ValueError, match="duplicate scope after normalization: 's'"):
        ScopePolicy({Key("s"): roles, Key("s"): roles})


def test_a_policy_is_a_snapshot_compared_by_content() -> None:
    given = {"press": frozenset({"owner", "admin"})}
    policy = ScopePolicy(given)
    given["user"] = frozenset({"x"})
    assert policy == POLICY
    assert hash(policy) == hash(POLICY)
    assert policy != ScopePolicy({})
    with pytest.raises(TypeError):
        policy.write_roles["user"] = frozenset({"x"})  # type: ignore[index]
    for duplicate in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert duplicate == policy
        assert hash(duplicate) == hash(policy)


def test_a_policy_tells_its_roles() -> None:
    assert POLICY.is_write_restricted("press")
    assert not POLICY.is_write_restricted("user")
    assert POLICY.permitted_roles("press") == frozenset({"owner", "admin"})
    assert POLICY.permitted_roles("user") is None

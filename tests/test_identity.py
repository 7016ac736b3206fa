import copy
import pickle
from collections import UserDict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from wenchang.errors import NotFoundError, NotFoundReason, ResolverFailureError
from wenchang.identity import (
    Identity,
    IdentityResolver,
    ResolutionFailure,
    SandboxResolver,
    ScopeGrant,
    resolve_identity,
)

QIAO = ScopeGrant("u-qiao", "owner")
PRESS = ScopeGrant("o-press", "Member")


class Lying(str):
    """Pretends to be another text."""

    def __str__(self) -> str:
        return "lie"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class ReadOnce(Mapping[Any, Any]):
    """Gives its items a single time."""

    def __init__(self, *items: tuple[Any, Any]) -> None:
        self.left = [items]

    def items(self) -> Any:
        return self.left.pop()

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("read by key")

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("iterated over")

    def __len__(self) -> int:
        raise AssertionError("measured")


# Grants


def test_a_grant_keeps_exact_texts() -> None:
    grant = ScopeGrant(Lying("u"), Lying("r"))
    assert (type(grant.entity_id), type(grant.role)) == (str, str)
    assert grant == ScopeGrant("u", "r") != ScopeGrant("u", "R")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, "r"), TypeError, "entity_id must be a str, not int"),
        (("a/b", None), TypeError, "role must be a str, not NoneType"),
        (("a/b", "r"), ValueError, "entity_id 'a/b' is not a valid path segment"),
        (("", ""), ValueError, "entity_id '' is not a valid path segment"),
        (("u", ""), ValueError, "role must be non-empty"),
    ],
)
def test_a_grant_that_cannot_be_is_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        ScopeGrant(*arguments)
    assert str(refusal.value) == message


# Identities


@pytest.mark.parametrize(
    ("grants", "error", "message"),
    [
        ([("user", QIAO)], TypeError, "grants must be a Mapping"),
        ({1: QIAO}, TypeError, "scope name must be a str, not int"),
        ({"a/b": QIAO}, ValueError, "scope name 'a/b' is not a valid path segment"),
        ({"user": ("u", "r")}, TypeError, "grant for scope 'user' must be a ScopeGrant, not tuple"),
        (
            ReadOnce(("user", QIAO), (Lying("user"), PRESS)),
            ValueError,
            "duplicate scope after normalization: 'user'",
        ),
    ],
)
def test_an_identity_that_cannot_be_is_refused(grants: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        Identity(grants)
    assert str(refusal.value) == message


def test_an_identity_is_a_snapshot_that_nobody_can_change() -> None:
    grants = {"user": QIAO}
    identity = Identity(grants)
    grants["press"] = PRESS
    assert dict(identity.grants) == {"user": QIAO}
    with pytest.raises(TypeError):
        identity.grants["press"] = PRESS  # type: ignore[index]
    with pytest.raises(AttributeError):
        identity.grants = grants  # type: ignore[misc]


def test_grants_may_come_from_any_mapping_and_are_read_once() -> None:
    expected = Identity({"user": QIAO, "press": PRESS})
    assert Identity(ReadOnce(("press", PRESS), (Lying("user"), QIAO))) == expected
    assert Identity(UserDict({"user": QIAO, "press": PRESS})) == expected
    assert all(type(scope) is str for scope in Identity({Lying("user"): QIAO}).grants)


def test_an_identity_tells_entity_and_role_by_scope() -> None:
    identity = Identity({"user": QIAO, "press": PRESS})
    assert identity.scope_map == {"user": "u-qiao", "press": "o-press"}
    assert identity.scope_map is not identity.scope_map
    assert (identity.entity_id("press"), identity.role("press")) == ("o-press", "Member")
    for ask in (identity.entity_id, identity.role):
        with pytest.raises(KeyError):
            ask("project")


def test_identities_are_equal_by_content() -> None:
    one = Identity({"user": QIAO, "press": PRESS})
    other = Identity({"press": PRESS, "user": ScopeGrant("u-qiao", "owner")})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Identity({"user": QIAO})
    assert Identity({}) == Identity({})


class Tagged(Identity):
    tag = ""


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda i: pickle.loads(pickle.dumps(i))])
def test_a_copy_is_equal_of_the_same_class_and_still_read_only(duplicate: Any) -> None:
    identity = Tagged({"user": QIAO})
    vars(identity)["tag"] = "t"
    copied = duplicate(identity)
    assert copied == identity
    assert (type(copied), copied.tag) == (Tagged, "t")
    with pytest.raises(TypeError):
        copied.grants["press"] = PRESS


# Resolution


@pytest.mark.parametrize(
    ("detail", "error", "message"),
    [
        (None, TypeError, "detail must be a str, not NoneType"),
        ("", ValueError, "detail must be non-empty"),
    ],
)
def test_a_failure_has_a_detail(detail: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        ResolutionFailure(detail)
    assert str(refusal.value) == message


class Answering:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def resolve(self, credentials: object) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Broken(ResolutionFailure):
    """Its detail cannot be read."""

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "value", value)

    @property
    def detail(self) -> Any:
        if isinstance(self.value, Exception):  # type: ignore[attr-defined]
            raise self.value  # type: ignore[attr-defined]
        return self.value  # type: ignore[attr-defined]


INVALID = "Resolver Answering returned an invalid ResolutionFailure."


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (ResolutionFailure("The session is over."), "The session is over."),
        (Broken(RuntimeError("secret")), INVALID),
        (Broken(None), INVALID),
        (Broken(""), INVALID),
        (RuntimeError("secret"), "Resolver Answering raised RuntimeError."),
        (
            NotFoundError("secret", NotFoundReason.INVALID_PATH),
            "Resolver Answering raised NotFoundError.",
        ),
        (None, "Resolver Answering returned NoneType, not Identity or ResolutionFailure."),
        ("secret", "Resolver Answering returned str, not Identity or ResolutionFailure."),
    ],
)
def test_every_answer_but_an_identity_is_a_resolver_failure(answer: Any, detail: str) -> None:
    with pytest.raises(ResolverFailureError) as refusal:
        resolve_identity(Answering(answer), "secret")
    error = refusal.value
    assert str(error) == str(ResolverFailureError(detail))
    assert "secret" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_an_object_that_pretends_to_be_an_identity_is_none() -> None:
    class Pretender:
        __class__ = Identity  # type: ignore[assignment]

    with pytest.raises(ResolverFailureError, match="returned Pretender, not Identity"):
        resolve_identity(Answering(Pretender()), None)


def test_an_identity_comes_through_as_it_is() -> None:
    identity = Tagged({"user": QIAO})
    assert resolve_identity(Answering(identity), None) is identity
    assert resolve_identity(SandboxResolver(identity), object()) is identity


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), SystemExit()])
def test_an_interruption_is_no_failure_of_the_resolver(interruption: BaseException) -> None:
    with pytest.raises(type(interruption)):
        resolve_identity(Answering(interruption), None)


def test_the_protocol_can_be_checked_at_run_time() -> None:
    assert isinstance(SandboxResolver(Identity({})), IdentityResolver)
    assert not isinstance(object(), IdentityResolver)

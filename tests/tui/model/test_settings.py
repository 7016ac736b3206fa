from collections.abc import Callable

import pytest

from wenchang.identity import ScopeGrant
from wenchang_tui.model.settings import parse_grants, parse_priority, parse_restrictions


def test_grants_have_the_role_owner_unless_they_say_otherwise() -> None:
    assert parse_grants(["user=u 1", "project=p:member", "org=a:b:admin"]) == {
        "user": ScopeGrant("u 1", "owner"),
        "project": ScopeGrant("p", "member"),
        "org": ScopeGrant("a:b", "admin"),
    }


def test_restrictions_name_roles() -> None:
    assert parse_restrictions(["org=admin,owner"]) == {"org": frozenset({"admin", "owner"})}


def test_priority_keeps_its_order() -> None:
    assert parse_priority(["b", "a"]) == ("b", "a")


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        *((parse_grants, [text]) for text in ("", "user", "=u", "user=", "user=u:", "user=:r", "a/b=c", "a=b/c")),
        (parse_grants, ["user=a", "user=b"]),
        *((parse_restrictions, [text]) for text in ("", "org", "org=", "org=a,,b", "=a", "a/b=c")),
        (parse_restrictions, ["org=a", "org=b"]),
        *((parse_priority, texts) for texts in ([""], ["a/b"], ["a", "a"])),
    ],
)
def test_anything_else_is_refused(parse: Callable[[list[str]], object], texts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(texts)

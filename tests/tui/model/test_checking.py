import pytest

from wenchang.identity import Identity, ScopeGrant
from wenchang_tui.model.checking import WHOLE_STORE, Scope, entity_prefix, scopes
from wenchang_tui.model.workspace import Ambiguous


@pytest.mark.parametrize(
    ("key", "prefix"),
    [
        ("user/u/notes/a.md", "user/u/"),
        ("user/u/notes/", "user/u/"),
        ("user/u/", "user/u/"),
        ("user/", "user/"),
        ("stray", "stray"),
        ("a/b", "a/b"),
        ("user/u/loose.md", "user/u/"),
    ],
)
def test_what_belongs_to_an_entity_leads_to_it(key: str, prefix: str) -> None:
    assert entity_prefix(key) == prefix


def test_the_store_who_is_served_and_what_is_selected_can_be_checked() -> None:
    identity = Identity({"user": ScopeGrant("u", "owner"), "project": ScopeGrant("p", "member")})
    assert scopes(identity, "user/v/notes/") == (
        WHOLE_STORE,
        Scope("all that is served", ("user/u/", "project/p/")),
        Scope("user/v/", ("user/v/",)),
    )
    assert scopes(Ambiguous({}), "") == (WHOLE_STORE,)


def test_a_scope_covers_what_lies_below_its_prefixes() -> None:
    scope = Scope("x", ("user/u/", "project/p/"))
    assert scope.covers("user/u/notes/a.md")
    assert not scope.covers("user/u2/notes/a.md")

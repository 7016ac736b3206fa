"""A store with two callers, for the tests of the tools."""

from typing import Any

from wenchang.core import MemoryStore
from wenchang.identity import Identity, ScopeGrant
from wenchang.scope import ScopePolicy
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import MemoryTools
from wenchang.transport import InProcessClient

POLICY = ScopePolicy({"press": frozenset({"editor"})})
QIAO = Identity(
    {
        "user": ScopeGrant("u-qiao", "owner"),
        "project": ScopeGrant("p-1", "member"),
        "press": ScopeGrant("o-1", "intern"),
    }
)
ZHOU = Identity({"user": ScopeGrant("u-zhou", "owner"), "press": ScopeGrant("o-1", "editor")})


def make_store(**options: Any) -> tuple[InMemoryStorage, MemoryStore]:
    storage = InMemoryStorage()
    return storage, MemoryStore(storage, **options)


def make_tools(store: MemoryStore, identity: Identity = QIAO) -> MemoryTools:
    return MemoryTools(InProcessClient(store), identity, POLICY, source="agent")

"""The session object: how it is made, and what it asks of the client."""

from typing import Any

import pytest

from tests.tools.support import POLICY, QIAO, make_store, make_tools
from wenchang.core import MemoryStore
from wenchang.errors import ResolverFailureError
from wenchang.file_format import FileMetadata
from wenchang.identity import Identity, ResolutionFailure, SandboxResolver, ScopeGrant
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import TOOL_NAMES, MemoryTools, bind_tools, tool_descriptions
from wenchang.transport import InProcessClient

CLIENT = InProcessClient(MemoryStore(InMemoryStorage()))


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"client": object(), "identity": None}, TypeError, "client must satisfy TransportClient"),
        ({"identity": {"user": "u"}, "policy": None}, TypeError, "identity must be an Identity, not dict"),
        ({"policy": {}, "source": 1}, TypeError, "policy must be a ScopePolicy, not dict"),
        ({"source": b"x", "product": 1}, TypeError, "source must be a str, not bytes"),
        ({"source": "", "product": 1}, ValueError, "source must be non-empty"),
        ({"product": 1}, TypeError, "product must be a str or None, not int"),
        ({"product": " \n"}, ValueError, "product must be non-empty"),
        ({"product": "a\u2028b"}, ValueError, "product must be one line"),
        ({"product": "\ud800"}, ValueError, "product must be encodable as UTF-8"),
    ],
)
def test_what_a_host_gets_wrong_is_told_at_once(changed: Any, error: type[Exception], message: str) -> None:
    given = {"client": CLIENT, "identity": QIAO, "policy": POLICY, "source": "agent", "product": None, **changed}
    with pytest.raises(error) as refusal:
        MemoryTools(
            given["client"], given["identity"], given["policy"], source=given["source"], product=given["product"]
        )
    assert str(refusal.value) == message


def test_a_session_shows_what_it_was_made_with() -> None:
    tools = MemoryTools(CLIENT, QIAO, POLICY, source="agent", product=" Inkwell {x} ")
    assert tools.client is CLIENT
    assert tools.identity is QIAO
    assert tools.policy is POLICY
    assert (tools.source, tools.product) == ("agent", "Inkwell {x}")
    assert tools.descriptions() == tool_descriptions("Inkwell {x}")
    with pytest.raises(AttributeError):
        tools.source = "other"  # type: ignore[misc]


def test_the_tools_come_in_their_order_and_cannot_be_changed() -> None:
    tools = make_tools(CLIENT.store)
    mapping = tools.tools()
    assert tuple(mapping) == TOOL_NAMES
    assert mapping["read_file"] == tools.read_file
    assert mapping is not tools.tools()
    with pytest.raises(TypeError):
        mapping["read_file"] = print  # type: ignore[index]


class NoMemory:
    def resolve(self, credentials: object) -> ResolutionFailure:
        return ResolutionFailure("The session is over.")


def test_binding_resolves_the_caller_first() -> None:
    with pytest.raises(ResolverFailureError, match=r"The session is over\."):
        bind_tools(CLIENT, NoMemory(), "token", POLICY, source="")
    with pytest.raises(ValueError, match="source must be non-empty"):
        bind_tools(CLIENT, SandboxResolver(QIAO), "token", POLICY, source="")
    tools = bind_tools(CLIENT, SandboxResolver(QIAO), "token-123", POLICY, source="agent", product="Inkwell")
    assert tools.identity is QIAO
    assert tools.product == "Inkwell"
    assert "token-123" not in repr(vars(tools))


class Redirecting(Identity):
    """Tries to send its reads elsewhere."""

    @property
    def scope_map(self) -> dict[str, str]:
        return {"user": "u-zhou"}

    def entity_id(self, scope: str) -> str:
        return "u-zhou"


def test_entities_are_read_from_the_grants_themselves() -> None:
    _, store = make_store()
    tools = make_tools(store, Redirecting({"user": ScopeGrant("u-qiao", "owner")}))
    assert tools.write_file("user", "notes", "n", "x", "d", [], None).path == "user/u-qiao/notes/n.md"
    assert [entry.path for entry in tools.get_memory_index().entries] == ["user/u-qiao/notes/n.md"]


class Recording(MemoryStore):
    """Notes what it is asked for, and does it."""

    asked: tuple[Any, ...] = ()

    def write_file(self, path: str, content: str, metadata: FileMetadata, *rest: Any, **named: Any) -> Any:
        self.asked = (path, content, metadata, *rest, named)
        return super().write_file(path, content, metadata, *rest, **named)


def test_a_write_hands_on_exact_values() -> None:
    store = Recording(InMemoryStorage())
    make_tools(store).write_file("user", "notes", "n", "x", "d", ["b", "a", "b"], None)
    path, content, metadata, version, named = store.asked
    assert (path, content, version, named) == ("user/u-qiao/notes/n.md", "x", None, {"source": "agent"})
    assert (metadata.description, metadata.aliases, metadata.sources) == ("d", ("b", "a", "b"), frozenset())
    assert metadata.last_updated.isoformat() == "1970-01-01T00:00:00+00:00"


def test_no_aliases_are_no_change_to_append_and_replace() -> None:
    _, store = make_store()
    tools = make_tools(store)
    file = tools.write_file("user", "notes", "n", "", "d", ["a"], None)
    file = tools.append_line("user", "notes", "n", "- [stated] x", file.version, [], None)
    file = tools.replace_fact("user", "notes", "n", "x", "y", file.version, aliases=["b"], description="e")
    assert file.content == "- [stated] y\n"
    assert (file.metadata.aliases, file.metadata.description) == (("a", "b"), "e")
    assert file.metadata.sources == {"agent"}

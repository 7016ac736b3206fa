"""The acceptance scenarios, through the tools themselves and through an MCP client, byte for byte."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent

from tests.walkthroughs import (
    BOOK_RULE,
    CALLERS,
    HOUSE_RULE,
    HOUSE_STYLE,
    POLICY,
    PROSE_STYLE,
    RECOVERABLE,
    SCENARIOS,
    SOURCE,
    Scenario,
    Step,
    World,
)
from wenchang.core import MemoryStore
from wenchang.errors import (
    FileQuotaExceededError,
    RestrictedScopeError,
    RestrictionReason,
    VersionConflictError,
    WenchangError,
)
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.identity import Identity, SandboxResolver, ScopeGrant
from wenchang.index_cache import IndexCache, InMemoryIndexCache
from wenchang.mcp import build_server
from wenchang.prompts import PromptSlots, build_memory_prompt
from wenchang.scope import ScopePolicy
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import MemoryTools, bind_tools, render_error, render_result
from wenchang.transport import InProcessClient

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)
SLOTS = PromptSlots("Inkwell helps to write novels.", "One private scope.", "preferences")

scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)


def spelt(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, indent=2)


def answer(tools: MemoryTools, step: Step) -> dict[str, Any]:
    try:
        return render_result(tools.tools()[step.tool](**step.arguments))
    except WenchangError as error:
        return render_error(error)


@scenarios
@pytest.mark.parametrize("cached", [False, True], ids=["uncached", "cached"])
def test_the_tools_answer_as_the_walkthrough_says(scenario: Scenario, cached: bool) -> None:
    world = World(scenario.seeds, cached=cached)
    sessions = {caller: world.tools(caller) for caller in CALLERS}
    for step in scenario.steps:
        if step.new_session:
            sessions[step.caller] = world.tools(step.caller)
        assert spelt(answer(sessions[step.caller], step)) == spelt(step.answer), step.number
    assert world.left() == scenario.left


@scenarios
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_mcp_client_gets_the_same_answers(scenario: Scenario, mode: Any) -> None:
    world = World(scenario.seeds)
    for step in scenario.steps:
        server = build_server(
            slots=SLOTS,
            client=world.client,
            resolver=SandboxResolver(CALLERS[step.caller]),
            policy=POLICY,
            credentials_from_context=lambda _: None,
            source=SOURCE,
        )
        async with Client(server, mode=mode) as client:
            result = await client.call_tool(step.tool, dict(step.arguments))
        assert spelt(result.structured_content or {}) == spelt(step.answer), step.number
        assert [type(block) for block in result.content] == [TextContent]
        assert isinstance(result.content[0], TextContent)
        assert result.content[0].text == json.dumps(step.answer)
        assert result.is_error is step.is_error
    assert world.left() == scenario.left


def test_no_answer_names_an_entity() -> None:
    entities = [grant.entity_id for identity in CALLERS.values() for grant in identity.grants.values()]
    for scenario in SCENARIOS:
        for step in scenario.steps:
            assert not any(entity in spelt(step.answer) for entity in entities), step.number
            assert "path" not in step.answer


def test_an_owner_passes_the_role_gate_but_not_the_system_area() -> None:
    world = World()
    owner = Identity({"organization": ScopeGrant("o-hanlin-press", "owner")})
    tools = bind_tools(world.client, SandboxResolver(owner), None, POLICY, source=SOURCE)
    rest: dict[str, Any] = {
        "content": "- [stated] x\n",
        "description": "d",
        "aliases": [],
        "expected_version": None,
    }
    assert tools.write_file(**HOUSE_RULE, **rest).version == "1"
    with pytest.raises(RestrictedScopeError) as refusal:
        tools.write_file(**HOUSE_STYLE, **rest)
    assert refusal.value.reason is RestrictionReason.SYSTEM_READ_ONLY
    assert list(world.left()) == ["organization/o-hanlin-press/conventions/dialogue.md"]


def test_refusing_an_account_number_is_left_to_the_prompt() -> None:
    prompt = build_memory_prompt(SLOTS)
    section = prompt.split("## What never to store\n")[1].split("\n## ")[0]
    for rule in ("account numbers", "diagnoses", "minor", "in any scope", "even when\nthe user asks"):
        assert rule in section
    written = (
        World()
        .tools("tianlong")
        .write_file(
            **BOOK_RULE,
            content="- [stated] Account number 12345678.\n",
            description="d",
            aliases=[],
            expected_version=None,
        )
    )
    assert written.content == "- [stated] Account number 12345678.\n"


# F1. File quota


def quota_tools(limit: int | None) -> tuple[MemoryStore, MemoryTools]:
    store = MemoryStore(InMemoryStorage(), max_files_per_entity=limit)
    tools = bind_tools(InProcessClient(store), SandboxResolver(CALLERS["tianlong"]), None, POLICY, source=SOURCE)
    return store, tools


def create(tools: MemoryTools, name: str, area: str = "notes") -> str:
    return tools.write_file("user", area, name, "- [stated] x\n", "d", [], None).version


def test_the_quota_message_tells_how_to_go_on() -> None:
    _, tools = quota_tools(3)
    for name in ("a", "b", "c"):
        create(tools, name)
    with pytest.raises(FileQuotaExceededError) as refusal:
        create(tools, "new")
    assert json.dumps(render_error(refusal.value)) == json.dumps(
        {
            "error": "FileQuotaExceededError",
            "category": "recoverable",
            "message": "Cannot create a new file at scope user, area notes, name new: memory in scope user is at its"
            " limit of 3 files (system/ files not counted). Add this content to an existing file instead (append_line,"
            " replace_fact, or write_file with that file's version), or merge related files into one and delete the"
            " merged ones with delete_file, then retry." + RECOVERABLE,
            "scope": "user",
            "area": "notes",
            "name": "new",
            "limit": 3,
        }
    )


def test_a_full_scope_still_takes_every_change_but_a_new_file() -> None:
    _, tools = quota_tools(3)
    versions = {name: create(tools, name) for name in ("a", "b", "c")}
    with pytest.raises(VersionConflictError):
        create(tools, "b")
    assert tools.append_line("user", "notes", "b", "- [stated] y", versions["b"]).content.endswith("- [stated] y\n")
    tools.write_file("user", "notes", "c", "- [stated] z\n", "d", [], versions["c"])
    tools.delete_file("user", "notes", "a", versions["a"])
    assert create(tools, "new")


def test_curated_files_do_not_count_and_no_limit_is_no_limit() -> None:
    store, tools = quota_tools(1)
    metadata = FileMetadata("d", (), frozenset(), CLOCK)
    store.write_file("user/u-tianlong/system/s.md", "x", metadata, None, source="seed-job")
    assert create(tools, "a")
    _, tools = quota_tools(None)
    assert [create(tools, str(number)) for number in range(5)] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_quota_below_one_is_no_quota(limit: int) -> None:
    with pytest.raises(ValueError, match="max_files_per_entity must be positive"):
        MemoryStore(InMemoryStorage(), max_files_per_entity=limit)


# F2. Corrupt metadata


def test_corrupt_metadata_is_named_wherever_the_file_is_met() -> None:
    world = World()
    tools = world.tools("tianlong")
    create(tools, "fine", area="other")
    broken = {"description": "d", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}
    world.storage.put("user/u-tianlong/notes/broken.md", b"x", broken)
    for call in (
        lambda: tools.read_file("user", "notes", "broken"),
        lambda: tools.list_prefix("user", "notes"),
        lambda: tools.list_prefix("user"),
        tools.get_memory_index,
    ):
        with pytest.raises(MetadataFormatError) as refusal:
            call()
        assert json.dumps(render_error(refusal.value)) == (
            '{"error": "MetadataFormatError", "category": "internal", "message": "aliases: missing required key"}'
        )
    assert tools.read_file("user", "other", "fine").content == "- [stated] x\n"


# F3 and F4. Erasure and restoration with a cached index


class Cli:
    """A single user's tools over a store with a cached index."""

    def __init__(self) -> None:
        cache = InMemoryIndexCache()
        self.storage = InMemoryStorage()
        self.store = MemoryStore(
            self.storage, index_cache=IndexCache(get=cache.get, set=cache.set, ttl=timedelta(minutes=10))
        )
        identity = Identity({"user": ScopeGrant("u-tianlong", "owner")})
        self.tools = bind_tools(
            InProcessClient(self.store), SandboxResolver(identity), None, ScopePolicy({}), source="inkwell-cli"
        )

    def write(self, area: str, name: str, line: str, aliases: list[str]) -> None:
        self.tools.write_file("user", area, name, line, name, aliases, None)

    def index_paths(self) -> list[str]:
        return [entry.path for entry in self.tools.get_memory_index().entries]


STYLE = "user/u-tianlong/preferences/prose-style.md"
DRAFTING = "user/u-tianlong/workflows/drafting.md"


def cli(aliases: list[str]) -> Cli:
    made = Cli()
    made.write("preferences", "prose-style", "- [stated] Close third person.\n", aliases)
    made.write("workflows", "drafting", "- [stated] Drafts in the morning.\n", [])
    return made


def test_erasure_leaves_nothing_behind_not_even_in_the_cache() -> None:
    user = cli([])
    assert len(user.index_paths()) == 2
    exported = user.store.export("user", "u-tianlong")
    assert [item.key for item in exported] == [STYLE, DRAFTING]
    assert exported[0].data == b"- [stated] Close third person.\n"
    assert user.store.purge("user", "u-tianlong") == 2
    assert list(user.storage.list_page("user/u-tianlong/", None, 1)) == []
    assert user.index_paths() == []
    assert user.store.purge("user", "u-tianlong") == 0


def test_an_export_can_be_put_back() -> None:
    user = cli(["voice"])
    exported = user.store.export("user", "u-tianlong")
    user.store.purge("user", "u-tianlong")
    assert user.index_paths() == []
    for item in exported:
        user.storage.put(item.key, item.data, item.metadata)
    user.store.invalidate_index("user", "u-tianlong")

    again = user.store.export("user", "u-tianlong")
    assert [(i.key, i.data, dict(i.metadata)) for i in again] == [(i.key, i.data, dict(i.metadata)) for i in exported]
    assert all(new.version != old.version for new, old in zip(again, exported, strict=True))
    file = user.tools.read_file("user", "preferences", "prose-style")
    assert file.content == "- [stated] Close third person.\n"
    assert file.metadata.aliases == ("voice",)
    assert file.metadata.sources == {"inkwell-cli"}
    assert user.index_paths() == [DRAFTING, STYLE]


# F5 and F6. Shape and size of the index


@pytest.mark.parametrize("limit", [160, 159])
def test_an_entry_costs_what_the_sizing_rule_says(limit: int) -> None:
    first = SCENARIOS[0].steps[1]
    store = MemoryStore(InMemoryStorage(), index_max_bytes=limit, clock=lambda: CLOCK)
    tools = bind_tools(InProcessClient(store), SandboxResolver(CALLERS["tianlong"]), None, POLICY, source=SOURCE)
    tools.write_file(**first.arguments)
    entry = {key: value for key, value in PROSE_STYLE.items() if key != "content"}
    fits = {"entries": [entry], "capped": []}
    capped = {"entries": [], "capped": [{"scope": "user", "area": "preferences", "omitted": 1}]}
    assert spelt(render_result(tools.get_memory_index())) == spelt(fits if limit == 160 else capped)

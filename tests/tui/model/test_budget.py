import json

from wenchang.core import FileEntry, MemoryStore
from wenchang.file_format import metadata_to_map
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.budget import collect_entries, payload, plan_budget
from wenchang_tui.model.demo import DEMO_IDENTITY, MALFORMED_KEY, build_demo

SCOPES = DEMO_IDENTITY.scope_map


def demo() -> InMemoryStorage:
    storage = InMemoryStorage()
    build_demo(storage)
    return storage


def cost(entry: FileEntry) -> int:
    stored = metadata_to_map(entry.metadata)
    texts = [entry.path, entry.version, *stored.keys(), *stored.values()]
    return sum(len(text.encode()) for text in texts)


def test_the_plan_is_the_index_that_the_store_gives() -> None:
    storage = demo()
    budget = plan_budget(collect_entries(storage, SCOPES), 3_000, ("user",))
    index = MemoryStore(storage, index_max_bytes=3_000, scope_priority=("user",)).get_memory_index(SCOPES)
    assert tuple(row.entry for row in budget.rows if row.included) == index.entries
    assert budget.capped == index.capped
    assert index.capped


def test_sums_run_on_past_the_cut() -> None:
    budget = plan_budget(collect_entries(demo(), SCOPES), 3_000, ())
    assert [row.bytes for row in budget.rows] == [cost(row.entry) for row in budget.rows]
    assert [row.running for row in budget.rows] == [
        sum(row.bytes for row in budget.rows[: at + 1]) for at in range(len(budget.rows))
    ]
    assert budget.used == sum(row.bytes for row in budget.rows if row.included) <= 3_000
    assert budget.total == budget.rows[-1].running > 3_000
    assert budget.scope_bytes.keys() == SCOPES.keys()
    assert sum(included for included, _ in budget.scope_bytes.values()) == budget.used
    assert sum(cut for _, cut in budget.scope_bytes.values()) == budget.total - budget.used


def test_a_limit_below_the_first_entry_includes_nothing() -> None:
    budget = plan_budget(collect_entries(demo(), SCOPES), 1, ())
    assert (budget.used, [row.included for row in budget.rows]) == (0, [False] * len(budget.rows))


def test_nothing_plans_to_nothing() -> None:
    budget = plan_budget(collect_entries(InMemoryStorage(), SCOPES), 100, ())
    assert (len(budget.rows), budget.used, budget.total) == (0, 0, 0)


def test_malformed_objects_are_problems_and_foreign_keys_are_passed_over() -> None:
    storage = demo()
    storage.put("project/p-river-of-salt/notes.txt", b"", {})
    collected = collect_entries(storage, {"project": "p-river-of-salt"})
    assert collected.entries == ()
    assert [row.key for row in collected.problems] == [MALFORMED_KEY]


def test_the_payload_is_what_the_agent_receives() -> None:
    store = MemoryStore(demo(), index_max_bytes=1_000)
    answer = json.loads(payload(store, SCOPES))
    assert list(answer) == ["entries", "capped"]
    assert len(answer["entries"]) == len(store.get_memory_index(SCOPES).entries)
    assert json.loads(payload(store, {"project": "p-river-of-salt"})) == {
        "error": "MetadataFormatError",
        "category": "internal",
        "message": "aliases: missing required key",
    }

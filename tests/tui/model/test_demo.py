from wenchang.core import DEFAULT_MAX_FILE_BYTES, MemoryStore
from wenchang.file_format import parse_fact
from wenchang.scope import ScopePolicy
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import render_result
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.demo import DEMO_IDENTITY, DEMO_WRITE_ROLES, MALFORMED_KEY, build_demo


def demo() -> InMemoryStorage:
    storage = InMemoryStorage()
    build_demo(storage)
    return storage


def test_the_demo_is_the_same_every_time() -> None:
    one, other = demo(), demo()
    for listed in one.list_page("", None, 1_000):
        assert one.get(listed.key) == other.get(listed.key)


def test_the_demo_shows_what_there_is_to_see() -> None:
    catalog = Catalog(demo())
    rows = list(catalog.rows(""))
    assert catalog.scopes() == ("organization", "project", "user") == tuple(sorted(DEMO_IDENTITY.grants))
    assert all(catalog.areas(scope, grant.entity_id)[0] == "system" for scope, grant in DEMO_IDENTITY.grants.items())
    assert 40 <= len(rows) <= 55
    assert [row.key for row in rows if row.problem] == [MALFORMED_KEY]
    sizes = [row.size or 0 for row in rows]
    assert DEFAULT_MAX_FILE_BYTES - 128 <= max(sizes) <= DEFAULT_MAX_FILE_BYTES
    moments = [row.metadata.last_updated for row in rows if row.metadata]
    assert (max(moments) - min(moments)).days > 40


def test_every_body_consists_of_facts() -> None:
    catalog = Catalog(demo())
    for row in catalog.rows(""):
        opened = catalog.open(row.key)
        assert opened is not None
        assert all(map(parse_fact, opened.shown_text.removesuffix("\n").split("\n"))), row.key


def test_the_index_of_the_demo_identity_works_and_a_small_one_is_capped() -> None:
    storage = demo()
    assert not MemoryStore(storage).get_memory_index(DEMO_IDENTITY.scope_map).capped
    capped = render_result(MemoryStore(storage, index_max_bytes=4_096).get_memory_index(DEMO_IDENTITY.scope_map))[
        "capped"
    ]
    omitted = {(row["scope"], row["area"]): row["omitted"] for row in capped}
    assert omitted["project", "characters"] > 5


def test_the_policy_of_the_demo_is_valid() -> None:
    assert ScopePolicy(DEMO_WRITE_ROLES).is_write_restricted("organization")

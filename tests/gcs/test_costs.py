"""What each operation of a memory store costs on a bucket, in requests: far away, those are all that takes time."""

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.core.support import LINE, meta
from tests.gcs.held import HeldBucket
from tests.gcs.proxy import Fault, Proxy
from wenchang.core import MemoryStore, store
from wenchang.storage.gcs import GcsStorage
from wenchang.version_token import VersionToken

PATH = "user/u/notes/a.md"
SCOPES = {"project": "p", "user": "u"}
PATIENCE = 20

READ = {"metadata": 1, "media": 1}

Operation = Callable[[MemoryStore, VersionToken], object]

COSTS: dict[str, tuple[Operation, dict[str, int]]] = {
    "read": (lambda memory, _: memory.read_file(PATH), READ),
    "create": (
        lambda memory, _: memory.write_file("user/u/notes/b.md", "x", meta(), None, source="t"),
        {"list": 1, "upload": 1},
    ),
    "create of a curated file": (
        lambda memory, _: memory.write_file("user/u/system/b.md", "x", meta(), None, source="t"),
        {"upload": 1},
    ),
    "replace": (
        lambda memory, version: memory.write_file(PATH, "x", meta(), version, source="t"),
        {**READ, "upload": 1},
    ),
    "append": (lambda memory, version: memory.append_line(PATH, LINE, version, source="t"), {**READ, "upload": 1}),
    "replace a fact": (
        lambda memory, version: memory.replace_fact(PATH, "fact", "truth", version, source="t"),
        {**READ, "upload": 1},
    ),
    "delete": (lambda memory, version: memory.delete_file(PATH, version), {**READ, "delete": 1}),
    "list": (lambda memory, _: memory.list_prefix("user/u/"), {"list": 1}),
    "index": (lambda memory, _: memory.get_memory_index(SCOPES), {"list": 2}),
    "export": (lambda memory, _: memory.export("user", "u"), {"list": 1, "media": 3}),
    "purge": (lambda memory, _: memory.purge("user", "u"), {"list": 2, "delete": 3}),
}


@pytest.fixture
def memory(storage: GcsStorage) -> MemoryStore:
    return MemoryStore(storage)


@pytest.mark.parametrize("name", COSTS)
def test_an_operation_costs(memory: MemoryStore, proxy: Proxy, name: str) -> None:
    version = memory.write_file(PATH, f"{LINE}\n", meta(), None, source="t").version
    for path in ("user/u/notes/c.md", "user/u/notes/d.md", "project/p/notes/a.md"):
        memory.write_file(path, "x", meta(), None, source="t")
    operation, cost = COSTS[name]
    proxy.reset()
    operation(memory, version)
    assert Counter(proxy.kinds()) == cost


def test_an_export_costs_a_request_for_each_body_and_each_page(
    storage: GcsStorage, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_DRAIN_PAGE_SIZE", 2)
    for number in range(5):
        storage.put(f"user/u/notes/{number}.md", b"x", {})
    proxy.reset()
    assert len(MemoryStore(storage, list_page_size=1).export("user", "u")) == 5
    assert Counter(proxy.kinds()) == {"list": 3, "media": 5}


def test_a_large_entity_is_drained_by_the_largest_pages_there_are(storage: GcsStorage, proxy: Proxy) -> None:
    name = storage._bucket.name
    proxy.held[name] = HeldBucket(name, [f"user/u/notes/{number:04}.md" for number in range(2 * 998)])
    index = MemoryStore(storage, index_max_bytes=10**9).get_memory_index({"user": "u"})
    assert len(index.entries) == 2 * 998
    assert Counter(proxy.kinds()) == {"list": 2}


def test_an_index_lists_its_entities_at_the_same_time(memory: MemoryStore, proxy: Proxy) -> None:
    proxy.together = threading.Barrier(2)
    assert memory.get_memory_index(SCOPES).entries == ()
    assert proxy.kinds() == ["list", "list"]
    assert not proxy.together.broken


@pytest.mark.parametrize("kind", ["media", "delete"])
def test_an_entity_goes_out_or_away_by_thirty_two_requests_at_a_time(
    memory: MemoryStore, storage: GcsStorage, proxy: Proxy, kind: str
) -> None:
    for number in range(32):
        storage.put(f"user/u/notes/{number:02}.md", b"x", {})
    together = threading.Barrier(32)
    meeting = Fault(kind, "answer", before=True, meanwhile=partial(together.wait, PATIENCE))
    proxy.faults = [meeting] * 32
    if kind == "media":
        assert len(memory.export("user", "u")) == 32
    else:
        assert memory.purge("user", "u") == 32
    assert not together.broken

"""The walkthroughs as the library sees them, each over a plain store and over one with an index cache."""

from datetime import timedelta

import pytest

from tests.core.support import attached, meta, put_corrupt, ticking, version
from wenchang.core import MemoryStore
from wenchang.errors import NotFoundError, NotFoundReason, ReplaceFactMatchError, VersionConflictError
from wenchang.file_format import FileMetadata, MetadataFormatError, metadata_to_map
from wenchang.index_cache import IndexCache, InMemoryIndexCache
from wenchang.storage.memory import InMemoryStorage

USER = {"user": "u-tianlong"}
PROSE = "user/u-tianlong/preferences/prose-style.md"
DRAFTING = "user/u-tianlong/workflows/drafting.md"


@pytest.fixture
def storage() -> InMemoryStorage:
    return InMemoryStorage()


@pytest.fixture(params=["plain", "cached"])
def store(request: pytest.FixtureRequest, storage: InMemoryStorage) -> MemoryStore:
    cache = InMemoryIndexCache()
    kept = IndexCache(get=cache.get, set=cache.set, ttl=timedelta(minutes=10))
    return MemoryStore(storage, clock=ticking(), index_cache=kept if request.param == "cached" else None)


def seed(store: MemoryStore, path: str, content: str, metadata: FileMetadata | None = None) -> None:
    store.write_file(path, content, metadata or meta(), None, source="seed-job")


def remember(store: MemoryStore) -> None:
    content = "- [stated] Close third person.\n"
    store.write_file(PROSE, content, meta("prose-style", ["voice"]), None, source="inkwell-cli")
    store.write_file(DRAFTING, "- [stated] Drafts in the morning.\n", meta("drafting"), None, source="inkwell-cli")


def shown(store: MemoryStore, scope_map: dict[str, str]) -> list[str]:
    return [entry.path for entry in store.get_memory_index(scope_map).entries]


def test_a_preference_is_there_in_the_next_session(store: MemoryStore, storage: InMemoryStorage) -> None:
    assert shown(store, USER) == []
    metadata = meta("Prose style preferences", ["narration", "voice"])
    written = store.write_file(PROSE, "- [stated] Close.\n", metadata, None, source="inkwell-web")
    found = storage.get(PROSE)
    assert found is not None
    assert dict(found.metadata) == {
        "description": "Prose style preferences",
        "aliases": '["narration", "voice"]',
        "sources": '["inkwell-web"]',
        "last-updated": "2026-01-01T00:00:00Z",
    }
    (entry,) = store.get_memory_index(USER).entries
    assert (entry.path, entry.metadata, entry.version) == (PROSE, written.metadata, "1")


def test_a_lost_append_is_merged_and_consumes_neither_tick_nor_version(store: MemoryStore) -> None:
    path = "project/p-ninth-examination/timeline/main-timeline.md"
    seed(store, path, "- [stated] One.\n- [stated] Two.\n")
    assert store.append_line(path, "- [stated] Three.", version("1"), source="inkwell-web").version == "2"
    with pytest.raises(VersionConflictError) as caught:
        store.append_line(path, "- [stated] Four.", version("1"), source="inkwell-web")
    assert attached(caught.value) == ("- [stated] One.\n- [stated] Two.\n- [stated] Three.\n", "2")
    assert "p-ninth-examination" not in str(caught.value)
    written = store.append_line(path, "- [stated] Four.", version("2"), source="inkwell-web")
    assert metadata_to_map(written.metadata)["last-updated"] == "2026-01-01T00:00:02Z"
    assert written.metadata.sources == {"inkwell-web", "seed-job"}
    assert (written.version, written.content.count("\n")) == ("3", 4)


def test_a_line_is_changed_and_a_miss_reported(store: MemoryStore) -> None:
    path = "project/p-ninth-examination/characters/lin-qiao.md"
    seed(store, path, "- [stated] Has brown eyes.\n")
    written = store.replace_fact(path, "brown", "grey", version("1"), source="inkwell-web")
    assert written.content == "- [stated] Has grey eyes.\n"
    with pytest.raises(ReplaceFactMatchError) as caught:
        store.replace_fact(path, "green", "", version("2"), source="inkwell-web")
    assert caught.value.match_count == 0
    with pytest.raises(VersionConflictError):
        store.replace_fact(path, "green", "", version("1"), source="inkwell-web")
    assert store.read_file(path) == written


def test_a_subplot_goes_and_what_depended_on_it(store: MemoryStore) -> None:
    plot = "project/p-ninth-examination/plot/smuggler-subplot.md"
    han = "project/p-ninth-examination/characters/han-zhou.md"
    seed(store, plot, "- [stated] Runs salt.\n")
    seed(store, han, "- [stated] Is a rival.\n- [stated] His brother runs salt.\n")
    assert len(shown(store, {"project": "p-ninth-examination"})) == 2
    store.delete_file(plot, version("1"))
    written = store.replace_fact(han, "- [stated] His brother runs salt.\n", "", version("2"), source="inkwell-web")
    assert (written.content, written.version) == ("- [stated] Is a rival.\n", "3")
    assert metadata_to_map(written.metadata)["last-updated"] == "2026-01-01T00:00:02Z"
    with pytest.raises(NotFoundError) as caught:
        store.read_file(plot)
    assert caught.value.reason is NotFoundReason.FILE_ABSENT
    assert shown(store, {"project": "p-ninth-examination"}) == [han]


def test_corrupt_metadata_fails_what_covers_it_and_nothing_else(store: MemoryStore, storage: InMemoryStorage) -> None:
    corrupt = "user/u-tianlong/notes/corrupt.md"
    remember(store)
    put_corrupt(storage, corrupt)
    store.invalidate_index("user", "u-tianlong")
    for covering in (
        lambda: store.read_file(corrupt),
        lambda: store.list_prefix("user/u-tianlong/"),
        lambda: store.get_memory_index(USER),
    ):
        with pytest.raises(MetadataFormatError) as caught:
            covering()
        assert str(caught.value) == "aliases: missing required key"
    assert store.read_file(PROSE).version == "1"
    assert len(store.list_prefix("user/u-tianlong/preferences/").entries) == 1


def test_erasure_empties_storage_and_index(store: MemoryStore, storage: InMemoryStorage) -> None:
    remember(store)
    assert shown(store, USER) == [DRAFTING, PROSE]
    exported = store.export("user", "u-tianlong")
    assert [found.key for found in exported] == [PROSE, DRAFTING]
    assert exported[0].data == b"- [stated] Close third person.\n"
    assert store.purge("user", "u-tianlong") == 2
    assert storage.list_page("user/u-tianlong/", None, 1) == []
    assert shown(store, USER) == []
    assert store.purge("user", "u-tianlong") == 0


def test_a_restored_entity_is_as_it_was_but_for_its_versions(store: MemoryStore, storage: InMemoryStorage) -> None:
    remember(store)
    exported = store.export("user", "u-tianlong")
    store.purge("user", "u-tianlong")
    assert shown(store, USER) == []
    for found in exported:
        storage.put(found.key, found.data, found.metadata)
    store.invalidate_index("user", "u-tianlong")
    again = store.export("user", "u-tianlong")
    assert [(o.key, o.data, o.metadata) for o in again] == [(o.key, o.data, o.metadata) for o in exported]
    assert all(new.version != old.version for new, old in zip(again, exported, strict=True))
    restored = store.read_file(PROSE)
    assert restored.content == "- [stated] Close third person.\n"
    assert restored.metadata.aliases == ("voice",)
    assert restored.metadata.sources == {"inkwell-cli"}
    assert shown(store, USER) == [DRAFTING, PROSE]

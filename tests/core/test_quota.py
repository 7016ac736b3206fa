import pytest

from tests.core.support import LINE, PATH, Interposed, attached, meta, put_corrupt, put_entry, seed, version
from wenchang.core import MemoryStore
from wenchang.errors import FileQuotaExceededError, OversizeWriteError, VersionConflictError
from wenchang.storage.memory import InMemoryStorage

NEW = "user/u-1/notes/new.md"


def full(storage: Interposed | InMemoryStorage, files: int = 3) -> None:
    for n in range(files):
        put_entry(storage, f"user/u-1/area{n}/{n}.md")


def limited(storage: Interposed | InMemoryStorage, limit: int | None = 3, page_size: int = 100) -> MemoryStore:
    return MemoryStore(storage, max_files_per_entity=limit, list_page_size=page_size)


def test_a_file_too_many_is_refused_with_the_documented_message() -> None:
    storage = InMemoryStorage()
    full(storage)
    with pytest.raises(FileQuotaExceededError) as caught:
        seed(limited(storage), NEW)
    assert caught.value.limit == 3
    assert str(caught.value) == (
        "Cannot create a new file at scope user, area notes, name new: memory in scope user is at its limit of 3 files "
        "(system/ files not counted). Add this content to an existing file instead (append_line, replace_fact, or "
        "write_file with that file's version), or merge related files into one and delete the merged ones with "
        "delete_file, then retry. This is normal coordination, not an error the user needs to know about. Use the "
        "details above to correct the call and retry in the same turn, without asking the user."
    )
    assert storage.get(NEW) is None


def test_creating_over_an_existing_file_at_the_limit_is_still_a_conflict() -> None:
    storage = Interposed()
    full(storage)
    with pytest.raises(VersionConflictError) as caught:
        seed(limited(storage), "user/u-1/area1/1.md")
    assert attached(caught.value) == ("", "2")
    assert storage.count("put_if_version") == 0


def test_everything_but_creating_goes_on_at_the_limit_and_counts_nothing() -> None:
    storage = Interposed()
    full(storage)
    store = limited(storage)
    path = "user/u-1/area0/0.md"
    store.write_file(path, LINE, meta(), version("1"), source="t")
    store.append_line(path, LINE, version("4"), source="t")
    store.replace_fact(path, f"{LINE}\n{LINE}", LINE, version("5"), source="t")
    store.delete_file(path, version("6"))
    assert storage.count("list_page") == 0
    seed(store, NEW)
    with pytest.raises(FileQuotaExceededError):
        seed(store, path)


def test_system_files_and_malformed_keys_do_not_count_but_corrupt_files_do() -> None:
    storage = InMemoryStorage()
    full(storage, files=1)
    put_entry(storage, "user/u-1/system/a.md")
    put_entry(storage, "user/u-1/system/b.md")
    put_entry(storage, "user/u-10/notes/a.md")
    put_entry(storage, "project/u-1/notes/a.md")
    for key in ("user/u-1/notes/a", "user/u-1/notes/a/b.md", "user/u-1/x.md", "user/u-1/"):
        storage.put(key, b"", {})
    store = limited(storage, 3)
    put_corrupt(storage, PATH)
    seed(store, NEW)
    with pytest.raises(FileQuotaExceededError):
        seed(store, "user/u-1/notes/another.md")


def test_a_system_file_is_created_without_counting() -> None:
    storage = Interposed()
    full(storage)
    seed(limited(storage), "user/u-1/system/new.md")
    assert storage.count("list_page") == 0


def test_no_limit_counts_nothing() -> None:
    storage = Interposed()
    seed(limited(storage, None), NEW)
    assert storage.count("list_page") == 0


def test_pages_shrink_to_what_is_missing_and_counting_stops_at_the_limit() -> None:
    storage = Interposed()
    storage.put("user/u-1/aaa", b"", {})
    full(storage, files=7)
    storage.calls.clear()
    with pytest.raises(FileQuotaExceededError):
        seed(limited(storage, 6, page_size=2), NEW)
    assert storage.calls == [
        ("list_page", "user/u-1/", None, 6),
        ("list_page", "user/u-1/", "user/u-1/area4/4.md", 2),
        ("get", NEW),
    ]


def test_a_short_page_ends_the_count() -> None:
    storage = Interposed()
    full(storage, files=2)
    storage.calls.clear()
    seed(limited(storage, 3, page_size=100), NEW)
    assert [call[0] for call in storage.calls] == ["list_page", "put_if_version"]


def test_the_quota_comes_after_the_size_and_before_the_clock() -> None:
    storage = Interposed()
    full(storage)
    storage.calls.clear()

    def stopped() -> object:
        raise AssertionError("the clock was read")

    store = MemoryStore(storage, max_files_per_entity=3, max_file_bytes=1, clock=stopped)  # type: ignore[arg-type]
    with pytest.raises(OversizeWriteError):
        store.write_file(NEW, "ab", meta(), None, source="t")
    assert storage.calls == []
    with pytest.raises(FileQuotaExceededError):
        store.write_file(NEW, "a", meta(), None, source="t")


def test_creations_that_race_may_overshoot() -> None:
    storage = Interposed()
    full(storage, files=2)
    storage.after["list_page"].append(lambda: put_entry(storage.inner, PATH))
    seed(limited(storage), NEW)
    assert len(MemoryStore(storage).list_prefix("user/u-1/").entries) == 4

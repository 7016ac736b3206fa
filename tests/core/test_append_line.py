from functools import partial

import pytest

from tests.core.support import LINE, PATH, Interposed, attached, meta, put_corrupt, raising, seed, ticking, version
from wenchang.core import MemoryStore
from wenchang.errors import (
    BackendUnavailableError,
    NotFoundError,
    NotFoundReason,
    TransientReason,
    VersionConflictError,
)
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.storage import PreconditionFailedError
from wenchang.storage.memory import InMemoryStorage

NEW = "- [observed] Another.\r"


def append(store: MemoryStore, token: str = "1") -> object:
    return store.append_line(PATH, NEW, version(token), source="t")


def test_an_append_adds_line_alias_description_and_source_in_one_put() -> None:
    storage = Interposed()
    store = MemoryStore(storage, clock=ticking())
    seed(store, PATH, "no final newline", meta("old", ["b"]))
    written = store.append_line(PATH, NEW, version("1"), source="t", aliases=["a", "b", "a"], description="new")
    assert written.content == f"no final newline\n{NEW}\n"
    assert (written.metadata.aliases, written.metadata.description) == (("b", "a"), "new")
    assert written.metadata.sources == {"seed-job", "t"}
    assert store.read_file(PATH) == written
    assert storage.count("put_if_version") == 2


def test_leaving_out_aliases_and_description_keeps_them() -> None:
    store = MemoryStore(InMemoryStorage())
    seed(store, PATH, metadata=meta("kept", ["b", "b"]))
    written = store.append_line(PATH, NEW, version("1"), source="t", aliases=[])
    assert (written.metadata.aliases, written.metadata.description) == (("b", "b"), "kept")


def test_a_stale_append_is_a_conflict_and_parses_no_metadata() -> None:
    storage = InMemoryStorage()
    put_corrupt(storage, PATH)
    store = MemoryStore(storage)
    with pytest.raises(VersionConflictError) as caught:
        append(store, "9")
    assert attached(caught.value) == ("body", "1")
    with pytest.raises(MetadataFormatError):
        append(store)


def test_a_body_that_cannot_be_read_is_told_before_staleness() -> None:
    storage = InMemoryStorage()
    storage.put(PATH, b"\xff", metadata_to_map(meta()))
    with pytest.raises(UnicodeDecodeError):
        append(MemoryStore(storage), "9")


def test_two_appends_from_one_version_keep_one_and_refuse_one() -> None:
    storage = Interposed()
    other = MemoryStore(storage.inner)
    seed(other, PATH)
    storage.before["put_if_version"].append(lambda: other.append_line(PATH, LINE, version("1"), source="o"))
    with pytest.raises(VersionConflictError) as caught:
        append(MemoryStore(storage))
    assert attached(caught.value) == (f"{LINE}\n{LINE}\n", "2")
    assert storage.count("put_if_version") == 1


class LostResponse(Interposed):
    """The first guarded put lands, but is reported as a lost race, as after a retry below this layer."""

    def put_if_version(self, key, data, metadata, expected):  # type: ignore[no-untyped-def]
        super().put_if_version(key, data, metadata, expected)
        raise PreconditionFailedError(key)


def test_an_own_append_whose_response_was_lost_is_reported_as_done() -> None:
    storage = LostResponse()
    seed(MemoryStore(storage.inner, clock=ticking()), PATH)
    written = MemoryStore(storage, clock=ticking()).append_line(PATH, NEW, version("1"), source="t")
    assert (written.content, written.version) == (f"{LINE}\n{NEW}\n", "2")
    assert MemoryStore(storage.inner).read_file(PATH) == written


def test_the_same_text_by_another_hand_is_still_a_conflict() -> None:
    for source, tick in (("o", 0), ("t", 1)):
        storage = Interposed()
        other = MemoryStore(storage.inner, clock=ticking())
        seed(other, PATH)
        clock = ticking()
        for _ in range(1 + tick):
            clock()
        rival = MemoryStore(storage.inner, clock=clock)
        storage.before["put_if_version"].append(partial(rival.append_line, PATH, NEW, version("1"), source=source))
        mine = ticking()
        mine()
        with pytest.raises(VersionConflictError):
            MemoryStore(storage, clock=mine).append_line(PATH, NEW, version("1"), source="t")


def test_the_same_write_with_an_extra_metadata_key_is_not_recognised_as_own() -> None:
    storage = Interposed()
    seed(MemoryStore(storage.inner), PATH, "")
    stored = {**metadata_to_map(meta(sources=["seed-job", "t"], last_updated=ticking()())), "extra": ""}
    storage.before["put_if_version"].append(lambda: storage.inner.put(PATH, f"{NEW}\n".encode(), stored))
    with pytest.raises(VersionConflictError):
        MemoryStore(storage, clock=ticking()).append_line(PATH, NEW, version("1"), source="t")


def test_another_line_by_the_same_hand_at_the_same_time_is_not_recognised_as_own() -> None:
    storage = Interposed()
    seed(MemoryStore(storage.inner), PATH, "")
    rival = MemoryStore(storage.inner, clock=ticking())
    storage.before["put_if_version"].append(partial(rival.append_line, PATH, LINE, version("1"), source="t"))
    with pytest.raises(VersionConflictError) as caught:
        MemoryStore(storage, clock=ticking()).append_line(PATH, NEW, version("1"), source="t")
    assert attached(caught.value) == (f"{LINE}\n", "2")


def test_an_append_never_creates() -> None:
    storage = Interposed()
    with pytest.raises(NotFoundError) as caught:
        append(MemoryStore(storage))
    assert caught.value.reason is NotFoundReason.FILE_ABSENT
    assert storage.count("put_if_version") == 0


def test_a_backend_that_fails_at_the_put_is_reported_once() -> None:
    storage = Interposed()
    seed(MemoryStore(storage.inner), PATH)
    storage.before["put_if_version"].append(raising(BackendUnavailableError(TransientReason.UNAVAILABLE)))
    with pytest.raises(BackendUnavailableError):
        append(MemoryStore(storage))
    assert storage.count("put_if_version") == 1

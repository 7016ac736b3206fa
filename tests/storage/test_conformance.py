"""The suite for storages is itself put to the test: each part of it catches a storage that is wrong in that part."""

import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import pytest

from wenchang import testing
from wenchang.storage import ListedObject, PreconditionFailedError, Storage, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang.testing import StorageConformance
from wenchang.version_token import VersionToken

Metadata = Mapping[str, str]
Rows = Sequence[ListedObject]
Wrong = type[InMemoryStorage]

WRONG: list[tuple[str, Wrong]] = []


def caught_by(*tests: str) -> Callable[[Wrong], Wrong]:
    """Note a wrong storage under the tests of the suite that must fail for it."""

    def note(wrong: Wrong) -> Wrong:
        WRONG.extend((f"test_{test}", wrong) for test in tests)
        return wrong

    return note


@caught_by("is_a_storage")
class HasNoListing(InMemoryStorage):
    list_page = None  # type: ignore[assignment]


@caught_by("a_fresh_storage_is_empty")
class HasAnObject(InMemoryStorage):
    def __init__(self) -> None:
        super().__init__()
        self.put("left over", b"", {})


@caught_by("bodies_are_kept_byte_for_byte")
class ReadsBodiesAsText(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(key, data.decode(errors="replace").encode(), metadata)


@caught_by("bodies_are_kept_byte_for_byte")
class ChangesLineEnds(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(key, data.replace(b"\r\n", b"\n"), metadata)


@caught_by("metadata_is_kept_character_for_character")
class StripsMetadata(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(key, data, {name: text.strip() for name, text in metadata.items()})


@caught_by("metadata_is_kept_character_for_character")
class DecodesMetadataItDidNotEncode(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        page = super().list_page(prefix, start_after, limit)
        return [ListedObject(o.key, {k: unquote(v) for k, v in o.metadata.items()}, o.version) for o in page]


@caught_by("an_empty_map_is_kept")
class FillsEmptyMetadata(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(key, data, metadata or {"description": ""})


@caught_by("put_replaces_the_whole_object")
class MergesMetadata(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        found = self.get(key)
        return super().put(key, data, {**(found.metadata if found else {}), **metadata})


@caught_by("put_replaces_the_whole_object")
class WritesOverTheBeginning(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        found = self.get(key)
        return super().put(key, data + (found.data[len(data) :] if found else b""), metadata)


@caught_by("keys_of_every_kind_are_kept")
class ComposesKeys(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(unicodedata.normalize("NFC", key), data, metadata)


@caught_by("keys_of_every_kind_are_kept", "only_the_exact_key_is_read")
class DecodesKeys(InMemoryStorage):
    def get(self, key: str) -> StoredObject | None:
        return super().get(unquote(key))


@caught_by("a_strange_key_is_kept_or_refused")
class ResolvesDots(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        return super().put(key.replace("a/../", ""), data, metadata)


@caught_by("a_strange_key_is_kept_or_refused")
class RefusesTooLate(InMemoryStorage):
    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        version = super().put(key, data, metadata)
        if "\x00" in key:
            raise ValueError("a key must not hold \\x00")
        return version


@caught_by("only_the_exact_key_is_read")
class FoldsCase(InMemoryStorage):
    def get(self, key: str) -> StoredObject | None:
        exact = {row.key.casefold(): row.key for row in self.list_page("", None, 1000)}
        return super().get(exact.get(key.casefold(), key))


@caught_by("the_mapping_is_copied_in")
class KeepsTheCallersMapping(InMemoryStorage):
    def _store(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        version = super()._store(key, data, metadata)
        self._objects[key] = StoredObject(data, metadata, version)
        return version


@caught_by("copies_of_the_mapping_are_handed_out")
class HandsOutWhatItKeeps(InMemoryStorage):
    def get(self, key: str) -> StoredObject | None:
        return self._objects.get(key)


@caught_by("copies_of_the_mapping_are_handed_out")
class ListsWhatItKeeps(InMemoryStorage):
    def _listed(self, key: str) -> ListedObject:
        return ListedObject(key, self._objects[key].metadata, self._objects[key].version)


@caught_by("copies_of_the_mapping_are_handed_out")
class ChangesMetadataInPlace(InMemoryStorage):
    """One mapping for each key, read-only from outside, follows every write."""

    def __init__(self) -> None:
        super().__init__()
        self._lives: dict[str, dict[str, str]] = {}

    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        live = self._lives.setdefault(key, {})
        live.clear()
        live.update(metadata)
        return super().put(key, data, metadata)

    def get(self, key: str) -> StoredObject | None:
        found = super().get(key)
        return found and StoredObject(found.data, self._lives[key], found.version)


@caught_by("every_method_tells_the_same_version", "one_of_many_creates_wins")
class ReturnsAnotherVersion(InMemoryStorage):
    def put_if_version(self, key: str, data: bytes, metadata: Metadata, expected: VersionToken | None) -> VersionToken:
        return VersionToken(f'"{super().put_if_version(key, data, metadata, expected)}"')


@caught_by("every_put_makes_a_new_version")
class NamesVersionsByContent(InMemoryStorage):
    def _store(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        super()._store(key, data, metadata)
        version = VersionToken(f"{data!r}{sorted(metadata.items())}")
        self._objects[key] = StoredObject(data, dict(metadata), version)
        return version


@caught_by("versions_are_not_reused_after_a_delete", "replace_needs_the_current_version")
class CountsAnewAfterADelete(InMemoryStorage):
    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        super().delete_if_version(key, expected)
        self._puts = 0


@caught_by("create_needs_an_absent_object", "one_of_many_creates_wins")
class ReplacesOnCreate(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        if expected is not None:
            super()._check(key, expected)


@caught_by("replace_needs_the_current_version", "one_of_many_replaces_wins")
class TakesAnyVersion(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        if (expected is None) != (key not in self._objects):
            raise PreconditionFailedError(key)


@caught_by("replace_needs_the_current_version", "an_unrecognised_version_is_a_mismatch")
class CreatesWhatIsGone(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        if key in self._objects:
            super()._check(key, expected)


@caught_by("delete_needs_the_current_version")
class DeletesAnyVersion(InMemoryStorage):
    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        if self._objects.pop(key, None) is None:
            raise PreconditionFailedError(key)


@caught_by("delete_needs_the_current_version")
class DeletesTheAbsent(InMemoryStorage):
    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        if key in self._objects:
            super().delete_if_version(key, expected)


@caught_by("create_needs_an_absent_object")
class NamesNoKey(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        try:
            super()._check(key, expected)
        except PreconditionFailedError:
            raise PreconditionFailedError("an object") from None


@caught_by("create_needs_an_absent_object")
class WritesBeforeItChecks(InMemoryStorage):
    def put_if_version(self, key: str, data: bytes, metadata: Metadata, expected: VersionToken | None) -> VersionToken:
        found = self.get(key)
        version = self.put(key, data, metadata)
        if (found.version if found else None) != expected:
            raise PreconditionFailedError(key)
        return version


@caught_by("an_unrecognised_version_is_a_mismatch")
class ReadsVersionsAsNumbers(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        exact = str(int(expected)) if expected and expected.strip().isdigit() else expected
        super()._check(key, None if exact is None else VersionToken(exact))


@caught_by("an_unrecognised_version_is_a_mismatch")
class StumblesOverVersions(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        super()._check(key, None if expected is None else VersionToken(str(int(expected))))


@caught_by("an_unrecognised_version_is_a_mismatch")
class TakesZeroForNone(InMemoryStorage):
    def _check(self, key: str, expected: VersionToken | None) -> None:
        super()._check(key, None if expected == "0" else expected)


@caught_by("writes_leave_other_objects_alone")
class DeletesTheFolder(InMemoryStorage):
    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        super().delete_if_version(key, expected)
        self._objects = {k: v for k, v in self._objects.items() if not k.startswith(f"{key}/")}


@caught_by("writes_leave_other_objects_alone", "rows_tell_what_get_tells")
class HasOneVersionForAll(InMemoryStorage):
    def get(self, key: str) -> StoredObject | None:
        found = super().get(key)
        return found and StoredObject(found.data, found.metadata, VersionToken(str(self._puts)))


@caught_by("rows_tell_what_get_tells")
class TellsWrongSizes(InMemoryStorage):
    def _listed(self, key: str) -> ListedObject:
        row = super()._listed(key)
        return ListedObject(key, row.metadata, row.version, 0)


@caught_by("rows_follow_every_write")
class ListsFromAStaleCache(InMemoryStorage):
    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, ListedObject] = {}

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = super().list_page(prefix, start_after, limit)
        gone = [row for key, row in self._rows.items() if key not in self._objects]
        self._rows = {row.key: row for row in rows} | self._rows
        return [self._rows[row.key] for row in rows] + gone


class SortsBy(InMemoryStorage):
    """Lists in an order of its own, with a prefix, a start and a limit that are right."""

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = sorted(super().list_page(prefix, None, len(self._objects)), key=lambda row: self.order(row.key))
        return [row for row in rows if start_after is None or self.order(row.key) > self.order(start_after)][:limit]

    def order(self, key: str) -> Any:
        raise NotImplementedError


@caught_by("keys_ascend_as_python_strings")
class SortsByFolder(SortsBy):
    def order(self, key: str) -> list[str]:
        return key.split("/")


@caught_by("keys_ascend_as_python_strings")
class SortsWithoutCase(SortsBy):
    def order(self, key: str) -> tuple[str, str]:
        return key.casefold(), key


@caught_by("keys_ascend_as_python_strings")
class SortsInUtf16(SortsBy):
    def order(self, key: str) -> bytes:
        return key.encode("utf-16-be")


@caught_by("keys_ascend_as_python_strings")
class ListsInOrderOfCreation(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = [self._listed(key) for key in self._objects if key.startswith(prefix)]
        return [row for row in rows if start_after is None or row.key > start_after][:limit]


@caught_by("a_prefix_is_plain_text")
class ListsFolders(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        folder = prefix and prefix.rstrip("/") + "/"
        return super().list_page(folder, start_after, limit)


@caught_by("a_prefix_is_plain_text")
class DecodesPrefixes(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = super().list_page("", start_after, len(self._objects))
        return [row for row in rows if unquote(row.key).startswith(prefix)][:limit]


@caught_by("a_listing_starts_strictly_after_a_key", "paging_drains_exactly")
class StartsAtTheKey(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = super().list_page(prefix, None, len(self._objects))
        return [row for row in rows if start_after is None or row.key >= start_after][:limit]


@caught_by("a_listing_starts_strictly_after_a_key", "paging_goes_on_from_a_deleted_key")
class StartsAfterWhatExists(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        known = start_after is None or start_after in self._objects
        return super().list_page(prefix, start_after, limit) if known else []


@caught_by("a_listing_starts_strictly_after_a_key")
class DropsOneOfEveryLaterPage(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        return super().list_page(prefix, start_after, limit)[start_after is not None :]


@caught_by("a_page_is_at_most_the_limit")
class ListsOneMore(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        return super().list_page(prefix, start_after, limit + 1)


@caught_by("a_page_is_at_most_the_limit")
class ListsOneLess(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        return super().list_page(prefix, start_after, max(1, limit - 1))


@caught_by("paging_drains_exactly")
class LimitsBeforeItFilters(InMemoryStorage):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        rows = super().list_page(prefix, None, limit)
        return [row for row in rows if start_after is None or row.key > start_after]


class Meeting(InMemoryStorage):
    """Where a thread has checked a version it waits until a second one has done so too, and only then writes."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2)

    def meet(self, key: str, expected: VersionToken | None) -> None:
        with self._lock:
            self._check(key, expected)
        try:
            self._both.wait(1)
        except threading.BrokenBarrierError:
            return


@caught_by("one_of_many_creates_wins", "one_of_many_replaces_wins", "no_guarded_update_is_lost")
class ChecksAndWritesInTwoSteps(Meeting):
    def put_if_version(self, key: str, data: bytes, metadata: Metadata, expected: VersionToken | None) -> VersionToken:
        self.meet(key, expected)
        return self.put(key, data, metadata)


@caught_by("a_delete_and_a_replace_do_not_both_win")
class ChecksAndDeletesInTwoSteps(ChecksAndWritesInTwoSteps):
    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self.meet(key, expected)
        self._objects.pop(key, None)


class Slow(InMemoryStorage):
    """Lets a write happen, if one is to come, between two steps of a reader."""

    def __init__(self) -> None:
        super().__init__()
        self._written = threading.Event()

    def put(self, key: str, data: bytes, metadata: Metadata) -> VersionToken:
        version = super().put(key, data, metadata)
        self._written.set()
        return version

    def let_a_write_happen(self) -> None:
        self._written.clear()
        self._written.wait(1)


@caught_by("no_read_is_torn")
class ReadsBodyAndMetadataInTwoSteps(Slow):
    def get(self, key: str) -> StoredObject | None:
        first = super().get(key)
        self.let_a_write_happen()
        second = super().get(key)
        return first and second and StoredObject(first.data, second.metadata, second.version)


@caught_by("no_read_is_torn")
class ReadsTheVersionAfterwards(Slow):
    def get(self, key: str) -> StoredObject | None:
        first = super().get(key)
        self.let_a_write_happen()
        second = super().get(key)
        return first and second and StoredObject(first.data, first.metadata, second.version)


@caught_by("no_read_is_torn")
class ListsTheVersionAfterwards(Slow):
    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Rows:
        first = super().list_page(prefix, start_after, limit)
        self.let_a_write_happen()
        second = super().list_page(prefix, start_after, limit)
        return [ListedObject(a.key, a.metadata, b.version) for a, b in zip(first, second, strict=True)]


@pytest.mark.parametrize(("test", "wrong"), WRONG, ids=[f"{wrong.__name__}-{test}" for test, wrong in WRONG])
def test_a_wrong_storage_is_caught(test: str, wrong: type[Storage]) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"^StorageConformance: "):
        getattr(StorageConformance(), test)(wrong())


def test_every_test_of_the_suite_catches_something() -> None:
    tests = {name for name in dir(StorageConformance) if name.startswith("test_")}
    assert {test for test, _ in WRONG} == tests


def test_a_right_storage_passes_every_test_that_catches_something() -> None:
    for test in sorted({test for test, _ in WRONG}):
        getattr(StorageConformance(), test)(InMemoryStorage())


def test_no_suite_is_collected_where_it_is_merely_imported() -> None:
    for name in testing.__all__:
        assert not name.startswith("Test")
        assert not hasattr(getattr(testing, name), "pytestmark")

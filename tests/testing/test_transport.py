"""The suite for transports: shipped clients pass it, and each part catches one that is wrong in that part."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.walkthroughs import ticking_clock
from wenchang.core import ListPage, MemoryFile, MemoryIndex, MemoryStore
from wenchang.errors import (
    NotFoundError,
    NotFoundReason,
    OversizeWriteError,
    ReplaceFactMatchError,
    RestrictedScopeError,
    RestrictionReason,
    VersionConflictError,
    WenchangError,
)
from wenchang.file_format import FileMetadata, parse_fact
from wenchang.storage.memory import InMemoryStorage
from wenchang.testing import TransportConformance
from wenchang.testing._transport_checks import fresh_memory
from wenchang.transport import InProcessClient, TransportClient
from wenchang.version_token import VersionToken

SCOPES = {"user": "u-1", "project": "p-1"}
LIMITS: dict[str, Any] = {"max_file_bytes": 256, "index_max_bytes": 2000, "list_page_size": 3}
PRIORITY = ("user",)


def make_store() -> MemoryStore:
    return MemoryStore(InMemoryStorage(), clock=ticking_clock(), scope_priority=PRIORITY, **LIMITS)


class Settings:
    """What an adopter supplies beside the client."""

    @pytest.fixture
    def source(self) -> str:
        return "conformance"

    @pytest.fixture
    def scope_map(self) -> dict[str, str]:
        return SCOPES

    @pytest.fixture
    def max_file_bytes(self) -> int:
        return 256

    @pytest.fixture
    def index_max_bytes(self) -> int:
        return 2000

    @pytest.fixture
    def scope_priority(self) -> tuple[str, ...]:
        return PRIORITY

    @pytest.fixture
    def list_page_size(self) -> int:
        return 3


class TestInProcessClient(Settings, TransportConformance):
    @pytest.fixture
    def client(self) -> TransportClient:
        return InProcessClient(make_store())


class TestBareStore(Settings, TransportConformance):
    @pytest.fixture
    def client(self) -> TransportClient:
        return make_store()


class TestDefaultLimits(Settings, TransportConformance):
    @pytest.fixture
    def client(self) -> TransportClient:
        return InProcessClient(MemoryStore(InMemoryStorage(), clock=ticking_clock()))

    @pytest.fixture
    def max_file_bytes(self) -> int:
        return 16384

    @pytest.fixture
    def index_max_bytes(self) -> int:
        return 65536

    @pytest.fixture
    def scope_priority(self) -> tuple[str, ...]:
        return ()

    @pytest.fixture
    def list_page_size(self) -> int:
        return 100


# Wrong clients


class Client(InProcessClient):
    """A client to make mistakes with."""

    def __init__(self) -> None:
        super().__init__(make_store())


Wrong = type[Client]
WRONG: list[tuple[str, Wrong]] = []


def caught_by(*tests: str) -> Callable[[Wrong], Wrong]:
    """Note a wrong client under the tests of the suite that must fail for it."""

    def note(wrong: Wrong) -> Wrong:
        WRONG.extend((f"test_{test}", wrong) for test in tests)
        return wrong

    return note


@caught_by("is_a_transport")
class HasNoIndex(Client):
    get_memory_index = None  # type: ignore[assignment]


@caught_by("what_is_written_can_be_read", "no_entities_are_an_empty_index")
class HasAFile(Client):
    def __init__(self) -> None:
        super().__init__()
        path = "project/p-1/conformance-sentinel/sentinel.md"
        metadata = FileMetadata("d", (), frozenset(), datetime.fromisoformat("2026-01-01T00:00:00Z"))
        super().write_file(path, "x", metadata, None, source="an earlier test")


@caught_by("contents_are_kept_character_for_character")
class ChangesLineEnds(Client):
    def write_file(self, path: str, content: str, *args: Any, **more: Any) -> MemoryFile:
        return super().write_file(path, content.replace("\r\n", "\n"), *args, **more)


@caught_by("contents_are_kept_character_for_character")
class EndsWithANewline(Client):
    def read_file(self, path: str) -> MemoryFile:
        file = super().read_file(path)
        return replace(file, content=file.content.rstrip("\n") + "\n")


@caught_by("metadata_is_kept", "a_replacement_accumulates_sources")
class DropsSources(Client):
    def write_file(self, path: str, content: str, metadata: FileMetadata, *args: Any, **more: Any) -> MemoryFile:
        return super().write_file(path, content, replace(metadata, sources=frozenset()), *args, **more)


@caught_by("metadata_is_kept", "aliases_are_added_in_order")
class SortsAliases(Client):
    def write_file(self, path: str, content: str, metadata: FileMetadata, *args: Any, **more: Any) -> MemoryFile:
        sorted_aliases = tuple(sorted(set(metadata.aliases)))
        return super().write_file(path, content, replace(metadata, aliases=sorted_aliases), *args, **more)


@caught_by(
    "a_rejected_replacement_changes_nothing",
    "stale_changes_carry_the_current_content",
    "creating_over_a_file_is_a_conflict",
)
class LastWriterWins(Client):
    def write_file(self, path: str, content: str, metadata: Any, expected_version: Any, **more: Any) -> MemoryFile:
        try:
            return super().write_file(path, content, metadata, expected_version, **more)
        except VersionConflictError as conflict:
            return super().write_file(path, content, metadata, conflict.version, **more)


@caught_by("delete_removes_body_and_metadata", "every_operation_gives_a_version_that_the_next_accepts")
class EmptiesInsteadOfDeleting(Client):
    def delete_file(self, path: str, expected_version: Any) -> None:
        file = super().read_file(path)
        super().write_file(path, "", file.metadata, expected_version, source="deleted")


@caught_by("delete_removes_body_and_metadata")
class TellsWhatItDeleted(Client):
    def delete_file(self, path: str, expected_version: Any) -> None:
        super().delete_file(path, expected_version)
        return path  # type: ignore[return-value]


@caught_by("append_moves_body_and_time")
class KeepsTheTime(Client):
    def append_line(self, path: str, *args: Any, **more: Any) -> MemoryFile:
        before = super().read_file(path).metadata.last_updated
        file = super().append_line(path, *args, **more)
        return replace(file, metadata=replace(file.metadata, last_updated=before))


@caught_by("append_moves_body_and_time", "contents_are_kept_character_for_character", "the_index_is_ordered")
class CutsTheClock(Client):
    def read_file(self, path: str) -> MemoryFile:
        file = super().read_file(path)
        return replace(file, metadata=replace(file.metadata, last_updated=datetime.fromisoformat("2020-01-01T00Z")))

    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        return MemoryIndex(super().get_memory_index(scope_map).entries[::-1])


@caught_by("versions_from_listings_and_index_are_accepted")
class ListsOtherVersions(Client):
    def list_prefix(self, *args: Any) -> ListPage:
        page = super().list_prefix(*args)
        return replace(
            page, entries=tuple(replace(entry, version=VersionToken(f"W/{entry.version}")) for entry in page.entries)
        )


@caught_by(
    "a_version_where_nothing_stands_is_absence", "append_never_creates", "an_absent_file_is_told_by_every_operation"
)
class AppendCreates(Client):
    def append_line(self, path: str, line: str, expected_version: Any, **more: Any) -> MemoryFile:
        try:
            return super().append_line(path, line, expected_version, **more)
        except NotFoundError:
            metadata = FileMetadata("", (), frozenset(), datetime.fromisoformat("2026-01-01T00:00:00Z"))
            return super().write_file(path, f"{line}\n", metadata, None, source=more["source"])


@caught_by("a_body_of_exactly_the_limit_fits")
class CountsCharacters(Client):
    def write_file(self, path: str, content: str, *args: Any, **more: Any) -> MemoryFile:
        try:
            return super().write_file(path, content, *args, **more)
        except OversizeWriteError as error:
            raise OversizeWriteError(path, len(content), error.limit) from None if content.isascii() else error


@caught_by("oversize_comes_before_staleness")
class ComparesVersionsFirst(Client):
    def write_file(self, path: str, content: str, metadata: Any, expected_version: Any, **more: Any) -> MemoryFile:
        if expected_version is not None:
            found = super().read_file(path)
            if found.version != expected_version:
                raise VersionConflictError(path, found.content, found.version)
        return super().write_file(path, content, metadata, expected_version, **more)


@caught_by("append_and_replace_count_the_outcome")
class CountsTheLine(Client):
    def append_line(self, path: str, line: str, *args: Any, **more: Any) -> MemoryFile:
        try:
            return super().append_line(path, line, *args, **more)
        except OversizeWriteError as error:
            raise OversizeWriteError(path, len(line.encode()), error.limit) from None


@caught_by("the_system_area_can_be_written", "the_index_is_ordered")
class GuardsTheSystemArea(Client):
    def write_file(self, path: str, *args: Any, **more: Any) -> MemoryFile:
        if "/system/" in path:
            raise RestrictedScopeError(path, "project", RestrictionReason.SYSTEM_READ_ONLY)
        return super().write_file(path, *args, **more)


@caught_by("two_appends_at_one_version_are_one_append_and_a_conflict", "stale_changes_carry_the_current_content")
class RetriesAppends(Client):
    def append_line(self, path: str, line: str, expected_version: Any, **more: Any) -> MemoryFile:
        try:
            return super().append_line(path, line, expected_version, **more)
        except VersionConflictError as conflict:
            return super().append_line(path, line, conflict.version, **more)


@caught_by("lines_are_separated")
class AlwaysSeparates(Client):
    def append_line(self, path: str, line: str, expected_version: Any, **more: Any) -> MemoryFile:
        file = super().read_file(path)
        file = super().write_file(path, f"{file.content}\n", file.metadata, expected_version, **more)
        return super().append_line(path, line, file.version, **more)


@caught_by("only_one_fact_line_can_be_appended")
class ForgivesAFinalNewline(Client):
    def append_line(self, path: str, line: str, *args: Any, **more: Any) -> MemoryFile:
        return super().append_line(path, line.removesuffix("\n"), *args, **more)


@caught_by("only_one_fact_line_can_be_appended", "an_empty_source_is_told_by_every_write")
class WrapsMistakes(Client):
    def append_line(self, path: str, line: str, *args: Any, **more: Any) -> MemoryFile:
        if parse_fact(line) is None or not more["source"]:
            raise RuntimeError("400 Bad Request")
        return super().append_line(path, line, *args, **more)


@caught_by("only_one_fact_line_can_be_appended", "an_empty_source_is_told_by_every_write")
class RewordsMistakes(Client):
    def append_line(self, path: str, line: str, *args: Any, **more: Any) -> MemoryFile:
        try:
            return super().append_line(path, line, *args, **more)
        except ValueError as error:
            raise ValueError(f"remote: {error}") from error


@caught_by("the_one_match_is_replaced")
class StripsNewText(Client):
    def replace_fact(self, path: str, old_string: str, new_string: str, *args: Any, **more: Any) -> MemoryFile:
        return super().replace_fact(path, old_string, new_string.replace("\\", ""), *args, **more)


@caught_by("no_match_and_many_matches_are_told")
class CountsWithoutOverlaps(Client):
    def replace_fact(self, path: str, old_string: str, new_string: str, *args: Any, **more: Any) -> MemoryFile:
        try:
            return super().replace_fact(path, old_string, new_string, *args, **more)
        except ReplaceFactMatchError as error:
            count = error.content.count(old_string)
            raise ReplaceFactMatchError(path, error.content, error.version, 0 if count == 1 else count) from None


@caught_by("no_match_and_many_matches_are_told")
class DropsTheContentOfErrors(Client):
    def replace_fact(self, path: str, *args: Any, **more: Any) -> MemoryFile:
        try:
            return super().replace_fact(path, *args, **more)
        except ReplaceFactMatchError as error:
            raise ReplaceFactMatchError(path, "", error.version, error.match_count) from None


@caught_by(
    "a_stale_replacement_of_a_unique_span_is_applied_to_what_stands", "a_stale_replacement_adds_to_current_aliases"
)
class RefusesStaleReplacements(Client):
    def replace_fact(
        self, path: str, old_string: str, new_string: str, expected_version: Any, **more: Any
    ) -> MemoryFile:
        file = super().read_file(path)
        if file.version != expected_version:
            raise VersionConflictError(path, file.content, file.version)
        return super().replace_fact(path, old_string, new_string, expected_version, **more)


@caught_by("a_stale_replacement_of_another_span_is_a_conflict")
class ReplacesAtTheLatest(Client):
    def replace_fact(
        self, path: str, old_string: str, new_string: str, expected_version: Any, **more: Any
    ) -> MemoryFile:
        return super().replace_fact(path, old_string, new_string, super().read_file(path).version, **more)


@caught_by("nothing_cannot_be_replaced")
class PutsInFrontOfEverything(Client):
    def replace_fact(
        self, path: str, old_string: str, new_string: str, expected_version: Any, **more: Any
    ) -> MemoryFile:
        if old_string:
            return super().replace_fact(path, old_string, new_string, expected_version, **more)
        return super().read_file(path)


@caught_by("aliases_are_added_in_order", "a_description_replaces", "wrong_aliases_and_descriptions_are_told")
class DropsOptionalArguments(Client):
    def append_line(self, path: str, line: str, expected_version: Any, *, source: str, **_: Any) -> MemoryFile:
        return super().append_line(path, line, expected_version, source=source)


@caught_by("what_is_left_out_stays")
class ClearsWithAnEmptyList(Client):
    def append_line(self, path: str, *args: Any, **more: Any) -> MemoryFile:
        file = super().append_line(path, *args, **more)
        if more.get("aliases") != []:
            return file
        return super().write_file(
            path, file.content, replace(file.metadata, aliases=()), file.version, source=more["source"]
        )


@caught_by("wrong_aliases_and_descriptions_are_told")
class TakesATextForAList(Client):
    def append_line(self, path: str, *args: Any, aliases: Any = None, **more: Any) -> MemoryFile:
        return super().append_line(path, *args, aliases=None if aliases is None else list(aliases), **more)


@caught_by("pages_are_full_and_in_order", "an_exactly_full_page_is_the_last")
class ListsEverything(Client):
    def list_prefix(self, prefix: str, cursor: Any = None) -> ListPage:
        page = super().list_prefix(prefix, cursor)
        entries = page.entries
        while page.next_cursor is not None:
            page = super().list_prefix(prefix, page.next_cursor)
            entries += page.entries
        return ListPage(entries[:-1], page.next_cursor)


@caught_by("pages_are_full_and_in_order", "scope_entity_and_area_are_levels")
class ListsBackwards(Client):
    def list_prefix(self, *args: Any) -> ListPage:
        page = super().list_prefix(*args)
        return replace(page, entries=page.entries[::-1])


@caught_by("pages_are_full_and_in_order")
class ListsWithoutAliasesAndTimes(Client):
    def list_prefix(self, *args: Any) -> ListPage:
        page = super().list_prefix(*args)
        later = timedelta(hours=1)
        entries = tuple(
            replace(entry, metadata=replace(entry.metadata, last_updated=entry.metadata.last_updated + later))
            for entry in page.entries
        )
        return replace(page, entries=entries)


@caught_by("scope_entity_and_area_are_levels", "a_bad_prefix_is_told")
class MatchesPartsOfNames(Client):
    def list_prefix(self, prefix: str, cursor: Any = None) -> ListPage:
        levels = prefix.split("/")[:2]
        return super().list_prefix("/".join(levels) + "/" if all(levels) else "x/", cursor)


@caught_by("a_bad_cursor_is_told", "a_cursor_of_another_prefix_is_refused")
class StartsOverAtABadCursor(Client):
    def list_prefix(self, prefix: str, cursor: Any = None) -> ListPage:
        try:
            return super().list_prefix(prefix, cursor)
        except ValueError:
            return super().list_prefix(prefix)


@caught_by("the_index_covers_exactly_the_entities_asked_for")
class IndexesTheFirstEntity(Client):
    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        return super().get_memory_index(dict(sorted(scope_map.items())[:1]))


@caught_by("the_index_is_ordered")
class IgnoresPriority(Client):
    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        index = super().get_memory_index(scope_map)
        newest = sorted(index.entries, key=lambda entry: entry.metadata.last_updated, reverse=True)
        return replace(index, entries=tuple(newest))


@caught_by("the_index_is_cut_at_its_size")
class CutsOneEarlier(Client):
    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        index = super().get_memory_index(scope_map)
        return replace(index, entries=index.entries[:-1])


@caught_by("the_index_is_cut_at_its_size")
class HidesWhatWasCut(Client):
    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        return replace(super().get_memory_index(scope_map), capped=())


@caught_by("a_bad_path_is_told_by_every_operation")
class SaysAbsentOfABadPath(Client):
    def delete_file(self, path: str, expected_version: Any) -> None:
        try:
            super().delete_file(path, expected_version)
        except NotFoundError:
            raise NotFoundError(path, NotFoundReason.FILE_ABSENT) from None


@caught_by("a_bad_scope_map_is_told", "no_entities_are_an_empty_index")
class NeedsAnEntity(Client):
    def get_memory_index(self, scope_map: Mapping[str, str]) -> MemoryIndex:
        if not scope_map or None in scope_map.values():
            raise ValueError("no entity")
        return super().get_memory_index(scope_map)


def run(name: str, client: TransportClient, **changed: Any) -> None:
    """One test of the suite, with the settings above."""
    test = getattr(TransportConformance(), name)
    settings = {"client": client, "source": "conformance", "scope_map": SCOPES, "scope_priority": PRIORITY, **LIMITS}
    parameters = inspect.signature(test).parameters
    if "memory" in parameters:
        settings["memory"] = fresh_memory(client, "conformance", SCOPES)
    test(**{key: value for key, value in {**settings, **changed}.items() if key in parameters})


TESTS = [name for name in dir(TransportConformance) if name.startswith("test_")]


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=lambda value: getattr(value, "__name__", value))
def test_the_suite_catches_a_wrong_client(name: str, wrong: Wrong) -> None:
    with pytest.raises((pytest.fail.Exception, WenchangError, ValueError)):
        run(name, wrong())


def test_every_part_of_the_suite_catches_something() -> None:
    assert set(TESTS) - {name for name, _ in WRONG} == {"test_fixtures_can_be_used"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": ""},
        {"scope_map": {"user": "u-1"}},
        {"scope_map": {"user": "u-1", "a/b": "x"}},
        {"max_file_bytes": 63},
        {"max_file_bytes": 64.0},
        {"index_max_bytes": 1023},
        {"list_page_size": True},
        {"scope_priority": ["user"]},
    ],
)
def test_the_suite_catches_settings_it_cannot_work_with(wrong: dict[str, Any]) -> None:
    with pytest.raises(pytest.fail.Exception, match="TransportConformance: "):
        run("test_fixtures_can_be_used", make_store(), **wrong)

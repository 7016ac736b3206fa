import json
from itertools import islice

import pytest

from tests.tui.model.curation import agent_writes, workspace
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.demo import MALFORMED_KEY, build_demo
from wenchang_tui.model.health import Checkup, Finding, Kind, Severity
from wenchang_tui.model.settings import Settings

GOOD = {"description": "Salt roads", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}


@pytest.fixture
def storage() -> InMemoryStorage:
    return InMemoryStorage()


def found(storage: InMemoryStorage, settings: Settings | None = None) -> list[tuple[Kind, Severity, str]]:
    return [(finding.kind, finding.severity, finding.key) for finding in all_of(storage, settings)]


def all_of(storage: InMemoryStorage, settings: Settings | None = None) -> list[Finding]:
    return list(Checkup(workspace(storage, settings)).findings())


def test_a_sound_store_has_nothing_wrong(storage: InMemoryStorage) -> None:
    agent_writes(storage, "- [stated] a\n", "user/u/notes/a.md", "Salt roads", ("salt",))
    agent_writes(storage, "- [stated] a\n", "user/u/notes/b.md", "River roads", ("river",))
    agent_writes(storage, "- [stated] a\n", "user/v/notes/a.md", "Salt roads", ("salt",))
    checkup = Checkup(workspace(storage))
    assert list(checkup.findings()) == []
    assert (checkup.checked, checkup.bodies) == (3, 3)


def test_the_demo_has_the_one_fault_it_was_given(storage: InMemoryStorage) -> None:
    build_demo(storage)
    (finding,) = all_of(storage)
    assert (finding.kind, finding.severity, finding.key) == (Kind.MALFORMED_METADATA, Severity.ERROR, MALFORMED_KEY)
    assert finding.detail == "aliases: missing required key"
    assert "get_memory_index fails for every agent of p-river-of-salt in scope project" in finding.breaks


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {**GOOD, "aliases": "no"},
        {**GOOD, "sources": "{}"},
        {**GOOD, "last-updated": "yesterday"},
        {**GOOD, "last-updated": "2026-01-01"},
        {**GOOD, "last-updated": "0001-01-01T00:00:00+05:00"},
        {**GOOD, "description": "a\nb"},
    ],
)
def test_whatever_makes_the_index_fail_is_found(storage: InMemoryStorage, stored: dict[str, str]) -> None:
    storage.put("user/u/notes/a.md", b"x", stored)
    assert found(storage) == [(Kind.MALFORMED_METADATA, Severity.ERROR, "user/u/notes/a.md")]


@pytest.mark.parametrize("key", ["user/u/a.md", "user/u/notes/", "user/u/notes/a/b.md", "user/u/notes/a.txt", "stray"])
def test_keys_that_are_no_memory_paths(storage: InMemoryStorage, key: str) -> None:
    storage.put(key, b"x", GOOD)
    assert found(storage) == [(Kind.NOT_A_PATH, Severity.WARNING, key)]


def test_bodies_that_are_no_text(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/a.md", b"caf\xe9", GOOD)
    (finding,) = all_of(storage)
    assert (finding.kind, finding.detail) == (Kind.NOT_UTF8, "the body is not UTF-8 (byte 0xE9 at offset 3)")


def test_sizes_over_either_limit(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/a.md", b"12345", GOOD)
    storage.put("user/u/notes/b.md", b"1234", GOOD)
    storage.put("user/u/notes/c.md", b"1", {**GOOD, "description": "long " * 2_000})
    assert found(storage, Settings(max_file_bytes=4)) == [
        (Kind.TOO_LARGE, Severity.ERROR, "user/u/notes/a.md"),
        (Kind.METADATA_TOO_LARGE, Severity.ERROR, "user/u/notes/c.md"),
    ]


def test_entities_near_and_at_the_cap(storage: InMemoryStorage) -> None:
    for entity, count in (("calm", 8), ("full", 10), ("near", 9)):
        for number in range(count):
            storage.put(f"user/{entity}/notes/{number}.md", b"", GOOD)
            storage.put(f"user/{entity}/system/{number}.md", b"", GOOD)
    assert found(storage, Settings(max_files=10)) == [
        (Kind.FILE_CAP, Severity.ERROR, "user/full/"),
        (Kind.NEAR_FILE_CAP, Severity.WARNING, "user/near/"),
    ]
    assert found(storage, Settings(max_files=None)) == []


def test_aliases_that_are_there_twice_or_in_two_files(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/a.md", b"", {**GOOD, "aliases": '["salt", "Salt", "x"]'})
    storage.put("user/u/notes/b.md", b"", {**GOOD, "aliases": '["SALT"]'})
    storage.put("user/v/notes/b.md", b"", {**GOOD, "aliases": '["x"]'})
    assert found(storage) == [
        (Kind.DUPLICATE_ALIAS, Severity.NOTE, "user/u/notes/a.md"),
        (Kind.SHARED_ALIAS, Severity.NOTE, "user/u/notes/b.md"),
    ]


def test_descriptions_that_say_nothing(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/a.md", b"", {**GOOD, "description": ""})
    assert found(storage) == [(Kind.VAGUE_DESCRIPTION, Severity.WARNING, "user/u/notes/a.md")]


def test_names_that_look_the_same_in_one_area(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/Café.md", b"", GOOD)
    storage.put("user/u/notes/cafe\u0301.md", b"", GOOD)
    storage.put("user/u/other/café.md", b"", GOOD)
    (finding,) = all_of(storage)
    assert (finding.kind, finding.key) == (Kind.SAME_LOOKING, "user/u/notes/cafe\u0301.md")
    assert r"cafe\u0301" in finding.detail


def test_names_that_no_tool_can_use(storage: InMemoryStorage) -> None:
    storage.put("user/u/My Notes/a.md", b"", GOOD)
    storage.put("user/u/notes/a\u200b.md", b"", GOOD)
    assert {finding.kind for finding in all_of(storage)} == {Kind.UNREACHABLE}


@pytest.mark.parametrize("name", ["a.sync-conflict-20260101-120000-ABCDEFG", "a (Lin's conflicted copy 2026-01-01)"])
def test_copies_that_a_sync_program_left(storage: InMemoryStorage, name: str) -> None:
    storage.put("user/u/notes/a.md", b"", GOOD)
    storage.put(f"user/u/notes/{name}.md", b"", GOOD)
    assert found(storage) == [(Kind.SYNC_CONFLICT, Severity.WARNING, f"user/u/notes/{name}.md")]


class Counting(InMemoryStorage):
    """A storage that counts what it is asked."""

    pages = 0
    bodies = 0

    def list_page(self, prefix, start_after, limit):  # type: ignore[no-untyped-def]
        self.pages += 1
        return super().list_page(prefix, start_after, limit)

    def get(self, key):  # type: ignore[no-untyped-def]
        self.bodies += 1
        return super().get(key)


def test_the_first_finding_shows_before_the_store_was_read_through() -> None:
    storage = Counting()
    storage.put("user/u/notes/0000.md", b"", {})
    for number in range(1, 1_000):
        storage.put(f"user/u/notes/{number:04}.md", b"\xff", GOOD)
    findings = Checkup(workspace(storage)).findings()
    assert next(findings).key == "user/u/notes/0000.md"
    assert (storage.pages, storage.bodies) == (1, 0)
    assert [finding.kind for finding in islice(findings, 3)][1:] == [Kind.NOT_UTF8, Kind.NOT_UTF8]
    assert storage.bodies == 3


def test_a_check_up_can_be_cancelled_at_any_object(storage: InMemoryStorage) -> None:
    for number in range(9):
        storage.put(f"user/u/notes/{number}.md", b"", {})
    checkup = Checkup(workspace(storage))
    assert len(list(checkup.findings(lambda: checkup.checked == 4))) == 4


def test_no_finding_rewrites_anything(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/a.md", b"caf\xe9", {"description": "half"})
    before = storage.get("user/u/notes/a.md")
    all_of(storage)
    assert storage.get("user/u/notes/a.md") == before
    assert json.dumps(found(storage)).isascii()


def test_a_part_of_a_store_is_checked_alone(storage: InMemoryStorage) -> None:
    for key in ("user/u/a/x.md", "user/u2/a/x.md", "user/v/a/x.md", "project/p/a/x.md"):
        storage.put(key, b"\xff", GOOD)
    checkup = Checkup(workspace(storage), ("user/v/", "project/p/"))
    assert [finding.key for finding in checkup.findings()] == ["project/p/a/x.md", "user/v/a/x.md"]
    assert (checkup.checked, checkup.bodies) == (2, 2)

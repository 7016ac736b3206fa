import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from wenchang.storage import ListedObject, Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.catalog import PAGE_SIZE, Catalog, Count
from wenchang_tui.model.read_only import read_only

GOOD = {"description": "d", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}


class CountingStorage(InMemoryStorage):
    """Counts its listings."""

    listings = 0

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        self.listings += 1
        return super().list_page(prefix, start_after, limit)


def filled(*keys: str, storage: Storage | None = None) -> Storage:
    storage = storage or InMemoryStorage()
    for key in keys:
        storage.put(key, b"body", GOOD)
    return storage


def test_the_levels_are_sorted_and_system_is_the_first_area() -> None:
    catalog = Catalog(filled("b/x/notes/n.md", "a/z/system/n.md", "a/z/abc/n.md", "a/y/n/n.md", "stray.md"))
    assert catalog.scopes() == ("a", "b")
    assert catalog.entities("a") == ("y", "z")
    assert catalog.areas("a", "z") == ("system", "abc")
    assert catalog.entities("nowhere") == ()


def test_neighbours_in_key_order_are_all_found() -> None:
    """`-` and `.` sort before the slash, `0` directly behind it."""
    names = ("a", "a-b", "a.b", "a0", "a0b", "b")
    catalog = Catalog(filled(*(f"{name}/e/f/n.md" for name in names)))
    assert set(catalog.scopes()) == set(names)


def test_a_large_scope_is_jumped_over() -> None:
    storage = CountingStorage()
    filled(*(f"a/e/f/{number:05}.md" for number in range(20 * PAGE_SIZE)), "b/e/f/n.md", storage=storage)
    assert Catalog(storage).scopes() == ("a", "b")
    assert storage.listings == 2


def test_keys_behind_the_jump_mark_name_their_scope_once() -> None:
    keys = [f"a/{chr(0x10FFFF) * 2}{number}" for number in range(2 * PAGE_SIZE)]
    assert Catalog(filled(*keys, "b/c")).scopes() == ("a", "b")


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7])
def test_pages_follow_one_another_without_a_gap(count: int) -> None:
    keys = [f"s/e/a/{number}.md" for number in range(count)]
    catalog = Catalog(filled(*keys))
    seen, after, pages = [], None, 0
    while True:
        page = catalog.page("s/", after, 3)
        seen += [row.key for row in page.rows]
        pages += 1
        after = page.next_after
        if after is None:
            break
    assert seen == keys
    assert pages == max(1, -(-count // 3))


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ({**GOOD, "aliases": "x"}, "aliases: not valid JSON"),
        ({key: GOOD[key] for key in GOOD if key != "aliases"}, "aliases: missing required key"),
        ({**GOOD, "last-updated": "0001-01-01T00:00:00+05:00"}, "last-updated: cannot be rendered in UTC"),
    ],
)
def test_an_unreadable_object_is_a_row_with_its_reason(metadata: dict[str, str], problem: str) -> None:
    storage = filled("s/e/a/good.md")
    storage.put("s/e/a/bad.md", b"still here", metadata)
    bad, good = Catalog(storage).page("s/e/a/").rows
    assert good.problem is None
    assert good.size == 4
    assert bad.problem is not None
    assert bad.problem.startswith(problem)
    assert bad.metadata is None
    assert bad.parts is not None
    opened = Catalog(storage).open("s/e/a/bad.md")
    assert opened is not None
    assert opened.text == "still here"
    assert opened.problem == bad.problem


def test_a_key_that_is_no_memory_path_is_shown_as_such() -> None:
    (row,) = Catalog(filled("s/e/README.txt")).page("").rows
    assert (row.problem, row.parts) == ("not a memory path", None)


def test_a_body_that_is_not_utf8_has_no_text_but_can_be_looked_at() -> None:
    storage = InMemoryStorage()
    storage.put("s/e/a/n.md", b"caf\xe9 noir", GOOD)
    opened = Catalog(storage).open("s/e/a/n.md")
    assert opened is not None
    assert opened.text is None
    assert opened.shown_text == "caf\ufffd noir"
    assert opened.problem == "the body is not UTF-8 (byte 3)"
    assert opened.size == 9


def test_an_absent_key_opens_nothing() -> None:
    assert Catalog(InMemoryStorage()).open("s/e/a/n.md") is None


def test_counting_stops_at_its_limit_and_says_so() -> None:
    catalog = Catalog(filled(*(f"s/e/a/{number}.md" for number in range(5)), "s/stray"))
    assert catalog.count("s/") == Count(files=6, problems=1, bytes=24, more=False)
    assert catalog.count("s/", limit=5) == Count(files=5, problems=0, bytes=20, more=True)
    assert catalog.count("s/", limit=6).more is False


def test_a_folder_that_may_not_be_read_hides_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    filled("user/closed/notes/n.md", "user/open/notes/n.md", storage=storage)
    listdir, folder = os.listdir, str(tmp_path / "user/closed")

    def list_unless_closed(path: str) -> list[str]:
        if path == folder:
            raise PermissionError(13, "Permission denied", path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", list_unless_closed)
    for view in (storage, read_only(storage)):
        catalog = Catalog(view)
        assert catalog.entities("user") == ("closed", "open")
        assert catalog.count("user/closed/") == Count(files=0, problems=1, bytes=0, more=True)
        assert catalog.count("user/open/") == Count(files=1, problems=0, bytes=4, more=False)


def test_a_folder_that_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    storage = FilesystemStorage(root, durable=False)
    filled("s/e/a/n.md", storage=storage)
    catalog = Catalog(storage, root=root)
    root.rename(tmp_path / "elsewhere")
    for ask in (
        lambda: catalog.page(""),
        lambda: catalog.names(""),
        lambda: list(catalog.rows("")),
        lambda: list(catalog.files("")),
        lambda: catalog.count("s/"),
    ):
        with pytest.raises(FileNotFoundError) as gone:
            ask()
        assert gone.value.filename == str(root)
    root.mkdir()
    assert catalog.page("").rows == ()
    assert catalog.scopes() == ()

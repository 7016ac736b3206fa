from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.body_search import BodyHit, Unreadable, search_bodies
from wenchang_tui.model.catalog import Catalog


def catalog(**bodies: bytes) -> Catalog:
    storage = InMemoryStorage()
    for name, body in bodies.items():
        storage.put(f"s/e/a/{name}.md", body, {})
    return Catalog(storage)


def search(catalog: Catalog, needle: str, prefix: str = "s/", limit: int = 1_000) -> list[BodyHit | Unreadable]:
    return list(search_bodies(catalog, prefix, needle, is_cancelled=lambda: False, limit=limit))


def test_hits_name_the_line_and_the_place() -> None:
    found = search(catalog(x=b"one\nthe FLOOD came\n", y=b"nothing"), "flood")
    assert found == [BodyHit("s/e/a/x.md", 2, "the FLOOD came", 4, 9)]


def test_the_needle_is_text_not_a_pattern() -> None:
    assert search(catalog(x=b"a.c\nabc"), "a.c") == [BodyHit("s/e/a/x.md", 1, "a.c", 0, 3)]


def test_a_body_that_is_not_utf8_is_searched_as_far_as_it_reads_and_stops_nothing() -> None:
    found = search(catalog(x=b"\xff flood", y=b"flood"), "flood")
    assert found == [
        Unreadable("s/e/a/x.md", "the body is not UTF-8"),
        BodyHit("s/e/a/x.md", 1, "\ufffd flood", 2, 7),
        BodyHit("s/e/a/y.md", 1, "flood", 0, 5),
    ]


def test_the_limit_counts_hits() -> None:
    assert len(search(catalog(x=b"a\na\na", y=b"a"), "a", limit=2)) == 2


def test_a_blank_needle_and_a_foreign_prefix_find_nothing() -> None:
    assert search(catalog(x=b" a "), " ") == []
    assert search(catalog(x=b"a"), "a", prefix="other/") == []


def test_a_cancelled_search_ends_before_the_next_body() -> None:
    answers = iter([False, True])
    found = search_bodies(catalog(x=b"a", y=b"a"), "s/", "a", is_cancelled=lambda: next(answers))
    assert [hit.key for hit in found] == ["s/e/a/x.md"]

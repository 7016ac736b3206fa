from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.support import FIRST, meta, version
from wenchang.core import CappedPrefix, FileEntry, MemoryIndex, cap_entries, index_entry_bytes, order_entries
from wenchang.file_format import MetadataFormatError, metadata_to_map
from wenchang.paths import parse_path


def entry(path: str, when: datetime = FIRST, description: str = "d") -> FileEntry:
    return FileEntry(path, meta(description, sources=["t"], last_updated=when), version("7"))


UNRENDERABLE = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))


@pytest.mark.parametrize(
    ("description", "aliases", "size"), [("d", [], 85), ("d", ["é"], 93), ("é", [], 86), ("\ud800", [], 87)]
)
def test_an_entry_costs_its_canonical_rendering(description: str, aliases: list[str], size: int) -> None:
    metadata = meta(description, aliases, ["t"], datetime(2024, 1, 1, tzinfo=UTC))
    assert index_entry_bytes(FileEntry("user/u-1/notes/a.md", metadata, version("7"))) == size


def test_the_walkthrough_entry_costs_160_bytes() -> None:
    metadata = meta("Prose style preferences", ["narration", "voice"], ["inkwell-web"], FIRST)
    path = "user/u-tianlong/preferences/prose-style.md"
    assert index_entry_bytes(FileEntry(path, metadata, version("1"))) == 160


def test_an_entry_that_has_no_time_in_utc_cannot_be_sized() -> None:
    with pytest.raises(MetadataFormatError) as caught:
        index_entry_bytes(entry("user/u/a/b.md", UNRENDERABLE))
    assert caught.value.key == "last-updated"


def test_an_entry_that_cannot_be_sized_is_found_past_the_cut_too() -> None:
    ordered = order_entries([entry("user/u/a/b.md"), entry("user/u/a/c.md", UNRENDERABLE)], ())
    assert ordered[1].path == "user/u/a/c.md"
    with pytest.raises(MetadataFormatError):
        cap_entries(ordered, 1)


def test_system_then_priority_then_the_rest() -> None:
    newer = FIRST + timedelta(days=1)
    entries = [
        entry("user/u/notes/a.md", newer),
        entry("topic/t/notes/a.md"),
        entry("project/p/notes/a.md"),
        entry("organization/o/system/a.md"),
        entry("user/u/system/a.md", newer),
        entry("team/t/notes/a.md", newer),
    ]
    assert [e.path for e in order_entries(entries, ("project", "absent", "topic"))] == [
        "user/u/system/a.md",
        "organization/o/system/a.md",
        "project/p/notes/a.md",
        "topic/t/notes/a.md",
        "team/t/notes/a.md",
        "user/u/notes/a.md",
    ]


def test_recency_counts_single_microseconds_and_ties_go_by_path() -> None:
    # At this distance a float of seconds no longer tells neighbouring microseconds apart.
    late = datetime(9000, 1, 1, microsecond=1, tzinfo=UTC)
    same = late.astimezone(timezone(timedelta(hours=8)))
    entries = [
        entry("user/u/a/older.md", late - timedelta(microseconds=1)),
        entry("user/u/a/z.md", late),
        entry("user/u/a/b.md", same),
    ]
    assert [e.path for e in order_entries(entries, ())] == ["user/u/a/b.md", "user/u/a/z.md", "user/u/a/older.md"]


def test_the_cut_never_skips_ahead() -> None:
    small, large = entry("user/u/a/a.md"), entry("user/u/b/b.md", description="d" * 500)
    also_small = entry("user/u/a/c.md")
    limit = index_entry_bytes(small) + index_entry_bytes(also_small)
    assert cap_entries([small, large, also_small], limit) == MemoryIndex(
        (small,), (CappedPrefix("user/u/a/", 1), CappedPrefix("user/u/b/", 1))
    )


def test_the_limit_itself_still_fits() -> None:
    one = entry("user/u/a/a.md")
    assert cap_entries([one], index_entry_bytes(one)).entries == (one,)
    assert cap_entries([one], index_entry_bytes(one) - 1) == MemoryIndex((), (CappedPrefix("user/u/a/", 1),))


@st.composite
def stores(draw: st.DrawFn) -> list[FileEntry]:
    segment = st.sampled_from(["system", "a", "b", "é"])
    paths = draw(
        st.sets(st.tuples(st.sampled_from(["user", "project", "team"]), segment, st.integers(0, 5)), max_size=12)
    )
    return [
        FileEntry(
            f"{scope}/u/{area}/{number}.md",
            meta(
                draw(st.text("dé💡", max_size=40)),
                draw(st.lists(st.text("aé", max_size=3), max_size=2)),
                ["s"],
                FIRST + timedelta(microseconds=draw(st.integers(0, 3))),
            ),
            version("1"),
        )
        for scope, area, number in sorted(paths)
    ]


@given(
    entries=stores(), limit=st.integers(1, 1500), priority=st.permutations(["user", "project", "team"]), data=st.data()
)
def test_the_index_is_what_a_plain_replay_of_the_rules_gives(
    entries: list[FileEntry], limit: int, priority: list[str], data: st.DataObject
) -> None:
    ranked = priority[: data.draw(st.integers(0, 3))]
    index = cap_entries(order_entries(data.draw(st.permutations(entries)), ranked), limit)

    remaining = sorted(entries, key=lambda e: e.path)
    remaining.sort(key=lambda e: e.metadata.last_updated, reverse=True)
    parts = {e.path: parse_path(e.path) for e in entries}
    ordinary = [e for e in remaining if parts[e.path].area != "system"]
    ordered = [e for e in remaining if parts[e.path].area == "system"]
    for scope in ranked:
        ordered += [e for e in ordinary if parts[e.path].scope == scope]
    ordered += [e for e in ordinary if parts[e.path].scope not in ranked]
    room, shown = limit, []
    for candidate in ordered:
        texts = [candidate.path, candidate.version]
        for key, value in metadata_to_map(candidate.metadata).items():
            texts += [key, value]
        room -= sum(len(text.encode()) for text in texts)
        if room < 0:
            break
        shown.append(candidate)
    omitted: dict[str, int] = {}
    for left_out in ordered[len(shown) :]:
        prefix = left_out.path.rpartition("/")[0] + "/"
        omitted[prefix] = omitted.get(prefix, 0) + 1
    assert index == MemoryIndex(tuple(shown), tuple(CappedPrefix(p, omitted[p]) for p in sorted(omitted)))

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.model.curation import Interrupted, agent_writes, body_of, workspace
from wenchang.errors import VersionConflictError
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.content import Content
from wenchang_tui.model.seeding import (
    Seed,
    SeedError,
    SeedPlan,
    carry_out,
    parse_seed,
    plan_seeding,
    read_folder,
)
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace

HEAD = b"---\ndescription: House style\naliases: [style]\n---\n"


@given(st.binary(max_size=30).filter(lambda body: body.decode("utf-8", "replace").encode() == body))
def test_the_body_is_everything_behind_the_front_matter(body: bytes) -> None:
    assert parse_seed("n", HEAD + body).content.body.encode() == body


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (HEAD + b"a\r\n---\n", Content("a\r\n---\n", "House style", ("style",))),
        (b"---\r\ndescription: d\r\n---\r\n\r\nb", Content("\r\nb", "d")),
        (b"\xef\xbb\xbf---\ndescription: d\n---\n\xef\xbb\xbfb", Content("\ufeffb", "d")),
        (b"---\ndescription: d\n---", Content("", "d")),
        (b"---  \ndescription: d\n--- \nb", Content("b", "d")),
        (b"---\ndescription: >\n  folded\n  text\n---\n", None),
        (b"---\ndescription: >-\n  folded\n  text\naliases:\n- a\n- 'b: c'\n---\n",
         Content("", "folded text", ("a", "b: c"))),
        (b"---\ndescription: 2026-01-01\naliases: [007, yes, null, 1.0]\n---\n",
         Content("", "2026-01-01", ("007", "yes", "null", "1.0"))),
        (b"---\ndescription: d\naliases:\n---\n", Content("", "d")),
        (b"no front matter", None),
        (b"---\ndescription: d\n", None),
        (b"---\n---\nb", None),
        (b"---\naliases: [a]\n---\n", None),
        (b"---\ndescription: ''\n---\n", None),
        (b"---\ndescription: [a]\n---\n", None),
        (b"---\ndescription: d\naliases: a\n---\n", None),
        (b"---\ndescription: d\naliases: [[a]]\n---\n", None),
        (b"---\ndescription: d\nalias: [a]\n---\n", None),
        (b"---\n- a\n---\n", None),
        (b"---\ndescription: 'd\n---\n", None),
        (b"---\ndescription: !!python/name:os.system d\n---\n", Content("", "d")),
        (b"---\n\xff: d\n---\n", None),
        (b"---\ndescription: d\n---\n\xff", None),
        (b"---\n? [a, b]\n: c\n---\n", None),
    ],
)  # fmt: skip
def test_front_matter(data: bytes, content: Content | None) -> None:
    if content is None:
        with pytest.raises(SeedError):
            parse_seed("n", data)
    else:
        assert parse_seed("n", data) == Seed("n", content)


def test_front_matter_cannot_be_nested_without_end() -> None:
    with pytest.raises(SeedError):
        parse_seed("n", b"---\ndescription: " + b"[" * 1_500 + b"\n---\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.md").write_bytes(HEAD + b"- [system] one\r\n")
    (tmp_path / "two.md").write_bytes(HEAD + b"- [system] two")
    return tmp_path


@pytest.fixture
def storage() -> Interrupted:
    return Interrupted()


@pytest.fixture
def here(storage: Interrupted) -> Workspace:
    return workspace(storage)


def plan(here: Workspace, folder: Path, *, prune: bool = False) -> SeedPlan:
    return plan_seeding(here, "user", "u", read_folder(folder).seeds, prune=prune)


def summary(plan: SeedPlan) -> tuple[list[str], list[str], list[str], list[str]]:
    created, replaced = [file.name for file in plan.created], [file.name for file in plan.replaced]
    return created, replaced, list(plan.unchanged), [name for name, _ in plan.deleted]


def test_files_of_other_kinds_are_left_out(folder: Path) -> None:
    (folder / "picture.png").touch()
    (folder / "._one.md").touch()
    (folder / "sub.md").mkdir()
    (folder / "a.md.md").write_bytes(HEAD)
    found = read_folder(folder)
    assert [seed.name for seed in found.seeds] == ["a.md", "one", "two"]
    assert found.ignored == ("._one.md", "picture.png", "sub.md")


def test_a_folder_is_written_and_a_second_run_changes_nothing(
    here: Workspace, folder: Path, storage: Interrupted
) -> None:
    first = plan(here, folder)
    assert summary(first) == (["one", "two"], [], [], [])
    assert storage.list_page("", None, 9) == []
    carry_out(here, first)
    file = here.store.read_file("user/u/system/one.md")
    assert file.content == "- [system] one\r\n"
    assert (file.metadata.description, file.metadata.aliases) == ("House style", ("style",))
    assert file.metadata.sources == {"person"}
    before = storage.list_page("", None, 9)
    second = plan(here, folder)
    assert summary(second) == ([], [], ["one", "two"], [])
    carry_out(here, second)
    assert storage.list_page("", None, 9) == before


@pytest.mark.parametrize(
    "data",
    [HEAD + b"other", HEAD.replace(b"House", b"Home") + b"- [system] one\r\n", HEAD.replace(b"style]", b"x]")],
)
def test_what_says_something_else_is_replaced(here: Workspace, folder: Path, data: bytes) -> None:
    carry_out(here, plan(here, folder))
    (folder / "one.md").write_bytes(data)
    changed = plan(here, folder)
    assert summary(changed) == ([], ["one"], ["two"], [])
    carry_out(here, changed)
    assert summary(plan(here, folder)) == ([], [], ["one", "two"], [])


def test_only_pruning_deletes_and_only_curated_files(here: Workspace, folder: Path, storage: Interrupted) -> None:
    agent_writes(storage, "x", "user/u/system/old.md")
    agent_writes(storage, "x", "user/u/notes/kept.md")
    agent_writes(storage, "x", "user/v/system/kept.md")
    storage.put("user/u/system/broken.md", b"", {"description": "half"})
    with pytest.raises(SeedError, match="broken"):
        plan_seeding(here, "user", "u", [Seed("broken", Content("", "d"))])
    pruned = plan(here, folder, prune=True)
    assert summary(pruned) == (["one", "two"], [], [], ["broken", "old"])
    carry_out(here, pruned)
    keys = [row.key for row in storage.list_page("", None, 9)]
    assert keys == ["user/u/notes/kept.md", "user/u/system/one.md", "user/u/system/two.md", "user/v/system/kept.md"]


def test_a_file_that_does_not_fit_stops_everything_before_the_first_write(folder: Path) -> None:
    storage = InMemoryStorage()
    here = workspace(storage, Settings(max_file_bytes=14))
    with pytest.raises(SeedError, match=r"one\.md: its body is 16 bytes, over the limit of 14"):
        plan(here, folder)
    (folder / "one.md").write_bytes(b"---\ndescription: " + b"x" * 9_000 + b"\n---\n")
    with pytest.raises(SeedError, match=r"one\.md: description and aliases take"):
        plan(here, folder)
    assert storage.list_page("", None, 9) == []


def test_a_file_that_is_no_seed_is_named(folder: Path) -> None:
    (folder / "three.md").write_bytes(b"plain")
    with pytest.raises(SeedError, match=r"three\.md: it has no front matter"):
        read_folder(folder)


def test_a_body_that_is_no_text_is_replaced(here: Workspace, folder: Path, storage: Interrupted) -> None:
    carry_out(here, plan(here, folder))
    found = storage.get("user/u/system/one.md")
    assert found is not None
    storage.put("user/u/system/one.md", b"\xff", found.metadata)
    carry_out(here, plan(here, folder))
    assert body_of(storage, "user/u/system/one.md") == b"- [system] one\r\n"


def test_a_change_after_the_plan_is_never_overwritten(here: Workspace, folder: Path, storage: Interrupted) -> None:
    carry_out(here, plan(here, folder))
    (folder / "two.md").write_bytes(HEAD + b"new")
    stale = plan(here, folder)
    storage.meanwhile(lambda: agent_writes(storage, "theirs", "user/u/system/two.md"))
    with pytest.raises(VersionConflictError):
        carry_out(here, stale)
    assert body_of(storage, "user/u/system/two.md") == b"theirs"

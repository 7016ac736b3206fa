from dataclasses import replace

import pytest

from tests.tui.model.curation import agent_writes, workspace
from tests.tui.screens.drive import put
from wenchang.identity import Identity, ScopeGrant
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.agent_view import AgentView, Standing, budget_with, view_area_as_agent, view_as_agent
from wenchang_tui.model.budget import collect_entries, payload, plan_budget
from wenchang_tui.model.catalog import OpenFile

KEY = "user/u/notes/salt-roads.md"
IDENTITY = Identity({"user": ScopeGrant("u", "owner")})


@pytest.fixture
def storage() -> InMemoryStorage:
    storage = InMemoryStorage()
    agent_writes(storage, "body words", KEY, "Where the Salt goes", ("Ahua's road", "鹽"))
    return storage


def view(storage: InMemoryStorage, key: str = KEY, limit: int = 65_536, identity: Identity = IDENTITY) -> AgentView:
    file = workspace(storage).catalog.open(key)
    assert isinstance(file, OpenFile)
    return view_as_agent(file, identity, plan_budget(collect_entries(storage, identity.scope_map), limit, ()))


def test_the_row_is_the_one_that_the_agent_gets(storage: InMemoryStorage) -> None:
    seen = view(storage)
    assert seen.standing is Standing.INCLUDED
    assert seen.position == 1
    assert seen.row is not None
    assert '"name": "salt-roads"' in payload(workspace(storage).store, IDENTITY.scope_map)
    assert seen.row["description"] == "Where the Salt goes"
    assert "entity" not in seen.row
    assert "1 of 1" in seen.sentence


def test_the_words_that_would_find_it_leave_the_body_out(storage: InMemoryStorage) -> None:
    assert view(storage).finders == {
        "description": ("where", "the", "salt", "goes"),
        "aliases": ("Ahua's road", "鹽"),
        "name": ("salt", "roads"),
    }


def test_a_file_outside_the_cut_is_told(storage: InMemoryStorage) -> None:
    seen = view(storage, limit=10)
    assert (seen.standing, seen.position) == (Standing.CUT, 1)
    assert "user/notes" in seen.sentence


def test_a_file_of_somebody_else_is_told(storage: InMemoryStorage) -> None:
    other = view(storage, identity=Identity({"user": ScopeGrant("v", "owner")}))
    assert (other.standing, other.position) == (Standing.NOT_GRANTED, None)
    assert view(storage, identity=Identity({})).standing is Standing.NOT_GRANTED


def test_one_malformed_object_takes_the_index_from_all(storage: InMemoryStorage) -> None:
    storage.put("user/u/notes/broken.md", b"", {})
    seen = view(storage)
    assert seen.standing is Standing.FAILS
    assert "user/u/notes/broken.md" in seen.sentence
    broken = view(storage, "user/u/notes/broken.md")
    assert (broken.standing, broken.row, broken.finders) == (Standing.FAILS, None, {})
    assert "every agent of u" in broken.sentence


def test_what_no_tool_can_read_is_told(storage: InMemoryStorage) -> None:
    agent_writes(storage, "", "user/u/My Notes/a.md")
    seen = view(storage, "user/u/My Notes/a.md")
    assert seen.standing is Standing.INCLUDED
    assert seen.reading is not None
    assert "slug" in seen.reading
    assert view(storage).reading is None


def test_a_file_that_is_not_stored_yet_stands_where_it_would(storage: InMemoryStorage) -> None:
    stored = plan_budget(collect_entries(storage, IDENTITY.scope_map), 300, ())
    agent_writes(storage, "", "user/u/system/rules.md", "The rules")
    new = workspace(storage).catalog.open("user/u/system/rules.md")
    assert isinstance(new, OpenFile)
    budget = budget_with(stored, new, ())
    assert [row.entry.path for row in budget.rows] == ["user/u/system/rules.md", KEY]
    seen = view_as_agent(new, IDENTITY, budget)
    assert (seen.standing, seen.sentence) == (Standing.INCLUDED, "In the index, 1 of 2 entries.")
    assert view_as_agent(new, IDENTITY, budget_with(replace(stored, limit=10), new, ())).standing is Standing.CUT
    assert budget_with(budget, new, ()) is budget


def test_a_longer_description_may_fall_behind_the_cut(storage: InMemoryStorage) -> None:
    stored = plan_budget(collect_entries(storage, IDENTITY.scope_map), 300, ())
    agent_writes(storage, "", KEY, "long " * 50)
    longer = workspace(storage).catalog.open(KEY)
    assert isinstance(longer, OpenFile)
    budget = budget_with(stored, longer, ())
    assert [row.included for row in budget.rows] == [False]
    assert view_as_agent(longer, IDENTITY, budget).standing is Standing.CUT


def test_what_lies_where_no_agent_looks_changes_no_index(storage: InMemoryStorage) -> None:
    stored = plan_budget(collect_entries(storage, IDENTITY.scope_map), 300, ())
    put(storage, "user/u/notes/too/deep.md", "x")
    stray = workspace(storage).catalog.open("user/u/notes/too/deep.md")
    assert isinstance(stray, OpenFile)
    assert budget_with(stored, stray, ()) is stored


def test_an_area_tells_which_of_its_files_are_in_the_index_and_what_stands_for_the_others(
    storage: InMemoryStorage,
) -> None:
    agent_writes(storage, "", "user/u/notes/boats.md", "Who rows where")
    agent_writes(storage, "", "user/u/notes_old/other.md", "Another area")
    area = KEY.rpartition("/")[0] + "/"
    collected = collect_entries(storage, IDENTITY.scope_map)
    whole = view_area_as_agent(area, IDENTITY, plan_budget(collected, 65_536, ()))
    assert (whole.standing, whole.capped) == (Standing.INCLUDED, None)
    assert whole.sentence == "2 of its 2 files are in the index."
    rows = plan_budget(collected, 65_536, ()).rows
    limit = next(row.running for row in rows if row.entry.path.startswith(area))
    cut = view_area_as_agent(area, IDENTITY, plan_budget(collected, limit, ()))
    assert (cut.standing, cut.capped) == (Standing.INCLUDED, {"scope": "user", "area": "notes", "omitted": 1})
    assert sorted(file.standing for file in cut.files) == [Standing.CUT, Standing.INCLUDED]
    nothing = view_area_as_agent(area, IDENTITY, plan_budget(collected, 10, ()))
    assert (nothing.standing, nothing.sentence) == (Standing.CUT, "0 of its 2 files are in the index.")
    stranger = view_area_as_agent("user/v/notes/", IDENTITY, plan_budget(collected, 10, ()))
    assert (stranger.standing, stranger.files) == (Standing.NOT_GRANTED, ())

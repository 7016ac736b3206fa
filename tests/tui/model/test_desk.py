from tests.tui.model.curation import KEY, NOW, agent_writes
from wenchang.identity import Identity, ScopeGrant
from wenchang.paths import PathParts
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.content import Content
from wenchang_tui.model.desk import DeskRow, collect_desk, desk_places, place_for_new
from wenchang_tui.model.drafts import Draft
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.workspace import Ambiguous

IDENTITY = Identity({"user": ScopeGrant("u", "owner"), "project": ScopeGrant("p", "member")})


def test_system_is_curated_and_everything_when_all_areas_are() -> None:
    assert desk_places(IDENTITY, all_areas=False) == ("user/u/system/", "project/p/system/")
    assert desk_places(IDENTITY, all_areas=True) == ("user/u/", "project/p/")
    assert desk_places(Ambiguous({"user": ("a", "b")}), all_areas=False) == ("user/a/system/", "user/b/system/")
    assert desk_places(None, all_areas=True) == ()


def test_files_are_listed_with_the_drafts_that_wait_first() -> None:
    storage = InMemoryStorage()
    for key in ("user/u/system/a.md", KEY, "user/u/notes/n.md", "project/p/system/p.md"):
        agent_writes(storage, "x", key)
    drafts = [Draft("t", Edit(key, None, Content("typed")), NOW) for key in (KEY, "user/u/system/new.md")]
    desk = collect_desk(Catalog(storage), desk_places(IDENTITY, all_areas=False), drafts)
    assert [(row.key, row.draft_at is not None, row.row is not None) for row in desk.rows] == [
        (KEY, True, True),
        ("user/u/system/new.md", True, False),
        ("user/u/system/a.md", False, True),
        ("project/p/system/p.md", False, True),
    ]
    assert not desk.is_cut
    assert desk.rows[1] == DeskRow("user/u/system/new.md", None, NOW)


def test_a_new_file_is_wanted_in_what_is_selected_or_where_somebody_is_served() -> None:
    def place(selected: str, *, all_areas: bool = False) -> PathParts:
        return place_for_new(selected, IDENTITY, all_areas=all_areas)

    assert place("") == PathParts("user", "u", "system", "")
    assert place("project/") == PathParts("project", "p", "system", "")
    assert place("other/") == PathParts("user", "u", "system", "")
    assert place("project/x/") == PathParts("project", "x", "system", "")
    assert place("project/x/notes/") == PathParts("project", "x", "system", "")
    assert place("project/x/notes/", all_areas=True) == PathParts("project", "x", "notes", "")
    assert place_for_new("", None, all_areas=False) == PathParts("", "", "system", "")

from pathlib import Path

from tests.tui.model.curation import KEY, agent_writes, opened, workspace
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.content import Content
from wenchang_tui.model.draft_keeper import DraftKeeper, drafts_of
from wenchang_tui.model.drafts import DraftFolder
from wenchang_tui.model.editing import Curator, Edit
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_demo, open_folder


def keeper(path: Path) -> DraftKeeper:
    return DraftKeeper(DraftFolder(path), "here")


def kept(keeper: DraftKeeper, key: str = KEY) -> str | None:
    draft = keeper.find(key)
    return draft.edit.content.body if draft else None


def test_who_asked_last_wins_however_late_the_others_run(tmp_path: Path) -> None:
    drafts = keeper(tmp_path)
    first, second = drafts.ticket(), drafts.ticket()
    assert drafts.keep(second, Edit(KEY, None, Content("newer")))
    assert drafts.keep(first, Edit(KEY, None, Content("older")))
    assert kept(drafts) == "newer"


def test_what_is_saved_is_not_kept_by_a_thread_that_comes_late(tmp_path: Path) -> None:
    drafts = keeper(tmp_path)
    late, saved = drafts.ticket(), drafts.ticket()
    drafts.forget(saved, KEY)
    assert drafts.keep(late, Edit(KEY, None, Content("late")))
    assert kept(drafts) is None


def test_files_do_not_get_in_the_way_of_each_other(tmp_path: Path) -> None:
    drafts = keeper(tmp_path)
    early, late = drafts.ticket(), drafts.ticket()
    drafts.keep(late, Edit("user/u/system/other.md", None, Content("other")))
    drafts.keep(early, Edit(KEY, None, Content("mine")))
    assert {draft.edit.content.body for draft in drafts.all()} == {"other", "mine"}


def test_an_edit_with_nothing_to_lose_leaves_no_draft(tmp_path: Path) -> None:
    storage = InMemoryStorage()
    agent_writes(storage, "stored")
    edit = opened(Curator(workspace(storage)))
    drafts = keeper(tmp_path)
    drafts.keep(drafts.ticket(), edit.with_content(Content("typed", "Rules")))
    assert kept(drafts) == "typed"
    drafts.keep(drafts.ticket(), edit)
    assert kept(drafts) is None
    drafts.keep(drafts.ticket(), Edit("user/u/system/new.md", None, Content()))
    assert drafts.all() == ()


def test_drafts_outlive_the_app_but_those_of_a_demo_lie_beside_it_and_go_with_it(tmp_path: Path) -> None:
    demo, folder = open_demo(Settings()), open_folder(tmp_path / "store", Settings(), create=True)
    assert demo.root is not None
    for opened_, place in ((demo, demo.root.parent), (folder, tmp_path / "state")):
        drafts = drafts_of(tmp_path / "state", opened_)
        assert drafts.keep(drafts.ticket(), Edit(KEY, None, Content("typed")))
        assert len([*(place / "drafts").iterdir()]) == 1
    assert sorted(path.name for path in demo.root.parent.iterdir()) == ["drafts", "owner", "store"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drafts = keeper(tmp_path / "file")
    assert not drafts.keep(drafts.ticket(), Edit(KEY, None, Content("typed")))

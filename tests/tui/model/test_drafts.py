import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tui.model.curation import KEY, NOW, Interrupted, agent_writes, body_of, opened, workspace
from wenchang_tui.model.content import Content
from wenchang_tui.model.drafts import Draft, DraftFolder, draft_target
from wenchang_tui.model.editing import Conflict, Curator, Edit
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_folder


def edit(body: str = "mine", key: str = KEY) -> Edit:
    return Edit(key, None, Content(body, "d", ("x", "y")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "drafts"


def test_a_draft_comes_back_as_it_was(folder: Path) -> None:
    drafts = DraftFolder(folder)
    draft = Draft("here", edit("a\r\n\u2028\ud800\x00"), NOW)
    assert drafts.keep(draft)
    assert DraftFolder(folder).find("here", KEY) == draft
    assert drafts.find("elsewhere", KEY) is None
    assert drafts.find("here", "user/u/system/other.md") is None


def test_a_draft_remembers_what_it_was_made_from(folder: Path) -> None:
    storage = Interrupted()
    agent_writes(storage, "a\nb\nc\n")
    curator = Curator(workspace(storage))
    mine = replace(opened(curator), content=Content("A\nb\nc\n", "Rules"))
    DraftFolder(folder).keep(Draft("here", mine, NOW))
    agent_writes(storage, "a\nb\nc\nd\n")
    draft = DraftFolder(folder).find("here", KEY)
    assert draft is not None
    assert draft.edit == mine
    conflict = curator.save(draft.edit)
    assert isinstance(conflict, Conflict)
    assert conflict.merge().content().body == "A\nb\nc\nd\n"
    assert body_of(storage) == b"a\nb\nc\nd\n"


def test_the_latest_of_a_file_is_kept_and_a_discarded_one_is_gone(folder: Path) -> None:
    drafts = DraftFolder(folder)
    drafts.keep(Draft("here", edit("first"), NOW))
    drafts.keep(Draft("here", edit("second"), NOW.replace(hour=13)))
    drafts.keep(Draft("here", edit("other", "user/u/system/o.md"), NOW.replace(hour=14)))
    drafts.keep(Draft("elsewhere", edit("no"), NOW))
    assert [draft.edit.content.body for draft in drafts.of_target("here")] == ["other", "second"]
    drafts.discard("here", KEY)
    drafts.discard("here", KEY)
    assert [draft.edit.content.body for draft in drafts.of_target("here")] == ["other"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_drafts_are_for_their_owner_alone(folder: Path) -> None:
    DraftFolder(folder).keep(Draft("here", edit(), NOW))
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_is_told_not_raised(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    drafts = DraftFolder(tmp_path / "file" / "drafts")
    assert drafts.keep(Draft("here", edit(), NOW)) is False
    assert drafts.of_target("here") == ()
    assert drafts.find("here", KEY) is None
    drafts.discard("here", KEY)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("target", "key", "saved_at", "content", "base")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON), st.binary(max_size=9))
def test_a_damaged_draft_is_passed_over(tmp_path: Path, changes: dict[str, object], cut: bytes) -> None:
    drafts = DraftFolder(tmp_path)
    drafts.keep(Draft("here", edit(), NOW))
    (path,) = tmp_path.glob("*.json")
    whole = path.read_bytes()
    for damaged in (json.dumps({**json.loads(whole), **changes}).encode(), cut, whole[: len(whole) // 2], b"[" * 9999):
        path.write_bytes(damaged)
        for draft in drafts.of_target("here"):
            assert isinstance(draft.edit, Edit)
    assert drafts.find("here", KEY) is None


_TYPE_ON = """
import sys
from pathlib import Path
from tests.tui.model.curation import KEY, NOW
from wenchang_tui.model.content import Content
from wenchang_tui.model.drafts import Draft, DraftFolder
from wenchang_tui.model.editing import Edit
text = ""
while True:
    text += "word "
    DraftFolder(Path(sys.argv[1])).keep(Draft("here", Edit(KEY, None, Content(text)), NOW))
    print(len(text), flush=True)
"""


def test_a_draft_survives_a_kill_at_any_moment(folder: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", _TYPE_ON, str(folder)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    lengths = [int(process.stdout.readline()) for _ in range(20)]
    process.kill()
    process.wait()
    process.stdout.close()
    draft = DraftFolder(folder).find("here", KEY)
    assert draft is not None
    assert len(draft.edit.content.body) >= lengths[-1]


def test_a_folder_is_the_same_target_from_wherever_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)
    absolute = draft_target(open_folder(tmp_path / "store", Settings()))
    assert draft_target(open_folder("store", Settings())) == absolute
    assert draft_target(workspace(Interrupted())) == "here"

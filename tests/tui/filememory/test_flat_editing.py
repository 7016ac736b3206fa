"""A person's changes: written through the library, guarded, and never losing what was typed."""

from dataclasses import replace
from pathlib import Path

import pytest

from wenchang_tui.model.content import Content
from wenchang_tui.model.flat_editing import (
    READ_ONLY,
    Conflict,
    Deleted,
    FlatEdit,
    Gone,
    Refused,
    Saved,
    begin,
    delete,
    rebuild_index,
    save,
)
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.settings import Settings


@pytest.fixture
def flat(tmp_path: Path) -> FlatFolder:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    (tmp_path / "a.md_description.md").write_bytes(b"first")
    return FlatFolder("t", "filememory", tmp_path, Settings())


def opened(flat: FlatFolder) -> FlatEdit:
    edit = begin(flat, "a.md")
    assert isinstance(edit, FlatEdit)
    return edit


def changed(edit: FlatEdit, body: str | None = None, description: str | None = None) -> FlatEdit:
    content = Content(
        edit.base.body if body is None else body,
        edit.base.description if description is None else description,
    )
    return replace(edit, content=content)


def contents(flat: FlatFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in flat.root.iterdir() if path.is_file()}


def test_both_fields_are_saved_and_the_next_edit_starts_there(flat: FlatFolder) -> None:
    saved = save(flat, changed(opened(flat), "one\r\n2\r\n", "second"))
    assert isinstance(saved, Saved)
    assert contents(flat) == {
        "a.md": b"\xef\xbb\xbfone\r\n2\r\n",
        "a.md_description.md": b"second",
        "memories.md": b"# Memory Index\n\n- **a.md**: second\n",
    }
    again = save(flat, changed(saved.edit, "three\n", ""))
    assert isinstance(again, Saved)
    assert contents(flat)["a.md"] == b"\xef\xbb\xbfthree\n"
    assert "a.md_description.md" not in contents(flat)
    assert not again.edit.is_changed


def test_what_is_unchanged_is_not_written(flat: FlatFolder) -> None:
    before = contents(flat)
    assert isinstance(save(flat, opened(flat)), Saved)
    assert contents(flat) == before


@pytest.mark.parametrize(("name", "data"), [("a.md", b"theirs"), ("a.md_description.md", b"theirs")])
def test_what_somebody_else_wrote_is_never_overwritten(flat: FlatFolder, name: str, data: bytes) -> None:
    edit = changed(opened(flat), "mine", "mine")
    (flat.root / name).write_bytes(data)
    before = contents(flat)
    outcome = save(flat, edit)
    assert isinstance(outcome, Conflict)
    assert outcome.edit == edit
    assert "theirs" in (outcome.theirs.base.body, outcome.theirs.base.description)
    assert contents(flat) == before
    saved = save(flat, edit.onto(outcome.theirs, edit.content))
    assert isinstance(saved, Saved)
    assert contents(flat)["a.md"].endswith(b"mine")


def test_a_conflict_merges_what_does_not_clash(flat: FlatFolder) -> None:
    edit = changed(opened(flat), "ONE\r\ntwo\r\n")
    (flat.root / "a.md").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    outcome = save(flat, edit)
    assert isinstance(outcome, Conflict)
    merge = outcome.merge()
    assert merge.is_clean
    assert merge.content() == Content("ONE\r\ntwo\r\nthree\r\n", "first")


def test_a_file_that_is_gone_is_not_made_again_behind_its_back(flat: FlatFolder) -> None:
    edit = changed(opened(flat), "mine")
    (flat.root / "a.md").unlink()
    assert save(flat, edit) == Gone(edit)
    assert delete(flat, edit) == Gone(edit)
    assert not (flat.root / "a.md").exists()
    assert begin(flat, "a.md") is None


def test_deleting_takes_the_description_along(flat: FlatFolder) -> None:
    assert delete(flat, opened(flat)) == Deleted("a.md")
    assert contents(flat) == {"memories.md": b"# Memory Index\n\n"}


def test_a_stale_delete_deletes_nothing(flat: FlatFolder) -> None:
    edit = opened(flat)
    (flat.root / "a.md").write_bytes(b"theirs")
    assert isinstance(delete(flat, edit), Conflict)
    assert (flat.root / "a.md").read_bytes() == b"theirs"


def test_read_only_refuses_every_change(flat: FlatFolder) -> None:
    guarded = replace(flat, settings=Settings(read_only=True))
    edit, before = changed(opened(guarded), "mine"), contents(flat)
    assert save(guarded, edit) == Refused(edit, READ_ONLY)
    assert delete(guarded, edit) == Refused(edit, READ_ONLY)
    assert rebuild_index(guarded) == READ_ONLY
    assert contents(flat) == before


def test_what_is_no_text_is_not_opened(flat: FlatFolder) -> None:
    (flat.root / "b.md").write_bytes(b"\xff")
    problem = begin(flat, "b.md")
    assert not isinstance(problem, FlatEdit)
    assert problem is not None
    assert problem.sentence == 'file "b.md" is not UTF-8 text.'


def test_rebuilding_the_index(flat: FlatFolder) -> None:
    assert rebuild_index(flat) is None
    assert contents(flat)["memories.md"] == b"# Memory Index\n\n- **a.md**: first\n"
    problem = rebuild_index(flat, "absent")
    assert problem is not None
    assert problem.sentence == 'there is no folder "absent".'

"""An entity as a whole: what an operation would touch, what it did, and how far it came when it failed."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from tests.tui.model.entities import ODD_KEYS, Failing, fill, fill_oddly, objects_of, workspace_on
from wenchang.core import OperationCancelledError, Progress
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import ListedObject
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.archive import ArchiveError, Totals
from wenchang_tui.model.archive_reading import open_archive
from wenchang_tui.model.operations import ExportReceipt, UnfinishedError, export_entity, preview_entity, purge_entity
from wenchang_tui.model.read_only import ReadOnlyError


def test_a_preview_counts_by_area_with_the_curated_one_first() -> None:
    storage = InMemoryStorage()
    fill(storage)
    preview = preview_entity(workspace_on(storage), "user", "u")
    assert (preview.scope, preview.entity, preview.totals) == ("user", "u", Totals(5, 21))
    assert list(preview.areas.items()) == [("system", Totals(1, 0)), ("", Totals(1, 4)), ("notes", Totals(3, 17))]
    assert preview.system == Totals(1, 0)
    assert [row.key for row in preview.malformed] == ["user/u/notes/corrupt.md", "user/u/stray"]
    assert preview.unreadable == "2 of them cannot be read as memory files"
    assert replace(preview, malformed=preview.malformed[:1]).unreadable == "1 of them cannot be read as a memory file"


def test_a_preview_of_nothing_is_empty() -> None:
    preview = preview_entity(workspace_on(InMemoryStorage()), "user", "u")
    assert (preview.totals, preview.areas, preview.malformed, preview.system) == (Totals(0, 0), {}, (), Totals(0, 0))


def test_an_export_holds_everything_and_says_so(tmp_path: Path) -> None:
    storage, path, told = InMemoryStorage(), tmp_path / "u.zip", list[Progress]()
    fill(storage)
    workspace = workspace_on(storage, read_only=True)
    assert export_entity(workspace, "user", "u", path, on_progress=told.append) == ExportReceipt(Totals(5, 21), path)
    with open_archive(path, 99) as archive:
        found = {one.key: (archive.read(one), one.metadata) for one in archive.contents.objects}
    assert found == objects_of(storage)
    assert told[-1] == Progress(5, 5, "user/u/system/s.md")


def test_an_export_holds_odd_keys(tmp_path: Path) -> None:
    storage, path = InMemoryStorage(), tmp_path / "u.zip"
    fill_oddly(storage)
    export_entity(workspace_on(storage), "user", "u", path)
    with open_archive(path, 99) as archive:
        assert [one.key for one in archive.contents.objects] == sorted(ODD_KEYS)


def test_a_cancelled_export_leaves_no_file(tmp_path: Path) -> None:
    storage, asked = InMemoryStorage(), count()
    fill(storage)
    with pytest.raises(OperationCancelledError):
        export_entity(workspace_on(storage), "user", "u", tmp_path / "u.zip", is_cancelled=lambda: next(asked) >= 7)
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_may_not_replace_a_file_reads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "u.zip"
    path.write_bytes(b"old")
    storage, asked = InMemoryStorage(), count()
    fill(storage)
    with pytest.raises(ArchiveError, match="exists"):
        export_entity(workspace_on(storage), "user", "u", path, is_cancelled=lambda: next(asked) < 0)
    assert next(asked) == 0


def test_a_purge_deletes_everything_and_counts() -> None:
    storage = InMemoryStorage()
    fill(storage)
    assert purge_entity(workspace_on(storage), "user", "u") == 5
    assert list(objects_of(storage, "")) == ["user/u2/notes/a.md"]


def test_a_purge_that_fails_says_how_far_it_came() -> None:
    storage = Failing("user/u/notes/b.md")
    for name in "abcd":
        storage.put(f"user/u/notes/{name}.md", b"", {})
    storage.armed = True
    told: list[Progress] = []
    with pytest.raises(UnfinishedError) as caught:
        purge_entity(workspace_on(storage), "user", "u", on_progress=told.append)
    assert (caught.value.done, caught.value.total, caught.value.was_cancelled) == (3, 4, False)
    assert isinstance(caught.value.cause, ConnectionResetError)
    assert list(objects_of(storage)) == ["user/u/notes/b.md"]
    assert len(told) == 3


def test_a_purge_that_fails_at_once_has_done_nothing() -> None:
    class Away(InMemoryStorage):
        def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
            raise BackendUnavailableError(TransientReason.TIMEOUT)

    with pytest.raises(UnfinishedError) as caught:
        purge_entity(workspace_on(Away()), "user", "u")
    assert (caught.value.done, caught.value.total) == (0, 0)


def test_a_cancelled_purge_says_how_far_it_came() -> None:
    storage, asked = InMemoryStorage(), count()
    fill(storage)
    with pytest.raises(UnfinishedError) as caught:
        purge_entity(workspace_on(storage), "user", "u", is_cancelled=lambda: next(asked) >= 7)
    assert (caught.value.done, caught.value.total, caught.value.was_cancelled) == (2, 5, True)
    assert len(objects_of(storage)) == 3


def test_a_store_opened_read_only_is_not_purged() -> None:
    storage = InMemoryStorage()
    fill(storage)
    with pytest.raises(ReadOnlyError):
        purge_entity(workspace_on(storage, read_only=True), "user", "u")
    assert len(objects_of(storage)) == 5


@pytest.mark.parametrize(("scope", "entity"), [("", "u"), ("user", ".."), ("user", "a/b")])
def test_names_that_cannot_be_are_refused(tmp_path: Path, scope: str, entity: str) -> None:
    workspace = workspace_on(InMemoryStorage())
    with pytest.raises(ValueError, match="invalid"):
        purge_entity(workspace, scope, entity)
    with pytest.raises(ValueError, match="invalid"):
        preview_entity(workspace, scope, entity)
    with pytest.raises(ValueError, match="invalid"):
        export_entity(workspace, scope, entity, tmp_path / "u.zip")
    assert list(tmp_path.iterdir()) == []

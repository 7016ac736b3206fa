from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.tui.model.entities import Failing, fill, objects_of, workspace_on
from wenchang.core import Progress
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.receipts import Deed, Ending, Operator, file_name
from wenchang_tui.model.restoring import plan_restore

BEGAN = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def ticks() -> Iterator[datetime]:
    now = BEGAN
    while True:
        yield now
        now += timedelta(seconds=1.5)


@pytest.fixture
def storage() -> InMemoryStorage:
    storage = InMemoryStorage()
    fill(storage)
    return storage


def operator(storage: InMemoryStorage, **watch: object) -> Operator:
    clock = ticks()
    return Operator(workspace_on(storage), clock=lambda: next(clock), **watch)  # type: ignore[arg-type]


def test_a_receipt_tells_what_was_done_to_whom_when_and_for_how_long(storage: InMemoryStorage, tmp_path: Path) -> None:
    receipt = operator(storage).export("user", "u", tmp_path / "u.zip")
    assert (receipt.deed, receipt.entity, receipt.ending) == (Deed.EXPORT, "user/u", Ending.DONE)
    assert receipt.text() == (
        "operation  export\n"
        "store      t\n"
        "entity     user/u\n"
        f"file       {tmp_path / 'u.zip'}\n"
        "began      2026-05-01 12:00:00 UTC\n"
        "took       1.5 s\n"
        "ending     done\n"
        "result     Exported 5 objects, 21 bytes.\n"
    )


def test_a_cancelled_export_leaves_no_file(storage: InMemoryStorage, tmp_path: Path) -> None:
    receipt = operator(storage, is_cancelled=lambda: True).export("user", "u", tmp_path / "u.zip")
    assert (receipt.ending, receipt.result) == (Ending.CANCELLED, "Cancelled. No file was written.")
    assert list(tmp_path.iterdir()) == []


def test_a_purge_that_is_cancelled_on_the_way_says_how_far_it_came(storage: InMemoryStorage) -> None:
    seen: list[Progress] = []
    receipt = operator(storage, on_progress=seen.append, is_cancelled=lambda: len(seen) >= 2).purge("user", "u")
    assert receipt.result == "Cancelled. 2 of 5 objects were deleted; purge again to go on."
    assert len(objects_of(storage)) == 3


def test_an_error_on_the_way_does_not_claim_that_nothing_was_changed() -> None:
    storage = Failing("user/u/notes/b.md")
    for name in "abcd":
        storage.put(f"user/u/notes/{name}.md", b"", {})
    storage.armed = True
    receipt = operator(storage).purge("user", "u")
    assert receipt.ending is Ending.FAILED
    assert receipt.result.endswith("3 of 4 objects were deleted; purge again to go on.")
    assert "Nothing" not in receipt.result


def test_a_restore_that_meets_newer_memory_names_the_screen_and_no_option(
    storage: InMemoryStorage, tmp_path: Path
) -> None:
    path = tmp_path / "u.zip"
    operator(storage).export("user", "u", path)
    plan = plan_restore(workspace_on(storage), path)
    receipt = operator(storage).restore(plan, path)
    assert receipt.result == (
        "Not empty: user/u holds objects already. Nothing was put back. "
        "Restore again, and look at what would be replaced."
    )


def test_a_read_only_store_is_not_purged(storage: InMemoryStorage) -> None:
    receipt = Operator(workspace_on(storage, read_only=True)).purge("user", "u")
    assert receipt.ending is Ending.FAILED
    assert "Nothing was deleted." in receipt.result
    assert len(objects_of(storage)) == 5


@pytest.mark.parametrize(
    ("entity", "name"),
    [("user/u", "user-u.zip"), ("a/../../x", "a-..-..-x.zip"), ("日本/語", "entity.zip"), ("a b/c\x1b", "a-b-c.zip")],
)
def test_a_file_is_named_as_every_disk_allows(entity: str, name: str) -> None:
    assert file_name(entity, ".zip") == name

"""The check-up against a store whose every fault is known, until nothing is left of them, and against a sound one."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli, cli
from tests.tui.model.curation import NOW, workspace
from tests.tui.model.planted import (
    BESIDE,
    BY_THEMSELVES,
    IN_FOLDER,
    IN_OBJECTS,
    LIMITS,
    SOUND_FILES,
    plant,
    plant_folder,
    sow,
)
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.curation_log import CurationLog, Stopped
from wenchang_tui.model.health import Checkup, Finding, Kind
from wenchang_tui.model.repairs import apply, propose
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder

__all__ = ["cli"]

OPTIONS = ("--max-file-bytes", str(LIMITS.max_file_bytes), "--max-files", str(LIMITS.max_files))
OF_A_FILE_MEMORY = frozenset({
    Kind.UNREADABLE, Kind.BYTE_ORDER_MARK, Kind.WIDE_MODE, Kind.LEGACY_DESCRIPTION, Kind.AMBIGUOUS_DESCRIPTION,
    Kind.ORPHAN_DESCRIPTION, Kind.SKIPPED, Kind.STALE_INDEX, Kind.MISSING_INDEX, Kind.UNREADABLE_INDEX,
    Kind.BEYOND_INDEX,
})  # fmt: skip


def in_memory(_: Path) -> Workspace:
    storage = InMemoryStorage()
    plant(storage)
    return workspace(storage, LIMITS)


def in_folder(root: Path) -> Workspace:
    plant_folder(root)
    return open_folder(root, LIMITS)


BOTH = pytest.mark.parametrize(
    ("make", "planted"), [(in_memory, IN_OBJECTS), (in_folder, IN_FOLDER)], ids=["memory", "folder"]
)


def faults(here: Workspace) -> Counter[tuple[str, str]]:
    return Counter((finding.kind, finding.key) for finding in Checkup(here).findings())


def make_best(here: Workspace, finding: Finding) -> None:
    """The first repair that is offered; for a full entity, what it asks of a person: two files less."""
    if finding.kind in (Kind.FILE_CAP, Kind.NEAR_FILE_CAP):
        for number in range(2):
            key = f"{finding.key}notes/{number}.md"
            here.store.delete_file(key, here.store.read_file(key).version)
        return
    best, *_ = propose(here, finding, lambda: NOW)
    outcome = apply(here, CurationLog(here.storage, here.store), best)
    assert not isinstance(outcome, Stopped), outcome


def test_forty_faults_of_every_kind_are_planted() -> None:
    assert len(set(IN_FOLDER)) == len(IN_FOLDER) == 40
    assert {kind for kind, _ in IN_FOLDER} == set(Kind) - OF_A_FILE_MEMORY


@BOTH
def test_every_planted_fault_is_found_and_nothing_else(
    make: Callable[[Path], Workspace], planted: tuple[tuple[Kind, str], ...], tmp_path: Path
) -> None:
    assert faults(make(tmp_path)) == Counter(planted)


def test_the_command_finds_them_too(cli: Cli, tmp_path: Path) -> None:
    plant_folder(tmp_path)
    ended = cli("check", str(tmp_path), "--json", *OPTIONS)
    assert ended.code == 1
    assert Counter((finding["kind"], finding["key"]) for finding in ended.json["findings"]) == Counter(IN_FOLDER)


@BOTH
def test_repair_after_repair_leaves_a_sound_store(
    make: Callable[[Path], Workspace], planted: tuple[tuple[Kind, str], ...], tmp_path: Path, cli: Cli
) -> None:
    here = make(tmp_path)
    for left in range(len(planted), 0, -1):
        findings = list(Checkup(here).findings())
        assert len(findings) == left
        make_best(here, findings[0])
    assert list(Checkup(here).findings()) == []
    if here.root is not None:
        assert cli("check", str(tmp_path), "--json", *OPTIONS).code == 0


def test_every_repair_of_every_fault_takes_away_that_fault_alone(tmp_path: Path) -> None:
    for kind, key in BY_THEMSELVES:
        each_repair_mends(in_memory, tmp_path, kind, key)
    for number, (kind, key) in enumerate(BESIDE):
        each_repair_mends(in_folder, tmp_path / str(number), kind, key)


def each_repair_mends(make: Callable[[Path], Workspace], root: Path, kind: Kind, key: str) -> None:
    """Each proposal for the fault, made in a store of its own, leaves exactly the other faults."""
    which, count = 0, 1
    while which < count:
        here = make(root / str(which))
        before = faults(here)
        finding = next(found for found in Checkup(here).findings() if (found.kind, found.key) == (kind, key))
        proposals = propose(here, finding, lambda: NOW)
        count = len(proposals)
        assert count > 0
        assert not isinstance(apply(here, CurationLog(here.storage, here.store), proposals[which]), Stopped)
        assert before - faults(here) == Counter([(kind, key)]), proposals[which].title
        assert faults(here) <= before, proposals[which].title
        which += 1


def test_a_sound_store_of_two_thousand_files_is_left_in_peace(cli: Cli, tmp_path: Path) -> None:
    storage: Storage
    for storage in (InMemoryStorage(), FilesystemStorage(tmp_path, durable=False)):
        sow(storage)
        checkup = Checkup(workspace(storage, Settings()))
        assert list(checkup.findings()) == []
        assert checkup.bodies == SOUND_FILES
    assert cli("check", str(tmp_path), "--json").json == {"checked": SOUND_FILES, "findings": []}

"""What a killed demo leaves behind goes with the next one, and nothing else ever does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wenchang_tui.model.demo_folder import new_demo_folder
from wenchang_tui.model.flat_demo import open_flat_demo
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_demo

KILLED = """
import os, signal
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import open_demo
print(open_demo(Settings()).root.parent, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def left_behind(temporary: Path) -> Path:
    """The folder of a demo whose process was killed."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLED],
        capture_output=True,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    folder = Path(ended.stdout.strip())
    assert any((folder / "store").iterdir())
    return folder


def test_what_a_killed_demo_left_goes_when_the_next_begins(temporary: Path) -> None:
    folder = left_behind(temporary)
    begun = new_demo_folder(keep=False)
    assert list(temporary.iterdir()) == [begun] != [folder]


def test_demos_that_are_open_or_kept_stay() -> None:
    roots = [open_demo(Settings()).root, open_flat_demo(Settings()).root, open_demo(Settings(), keep=True).root]
    new_demo_folder(keep=False)
    assert [root is not None and any(root.iterdir()) for root in roots] == [True, True, True]


def test_folders_of_others_and_what_links_lead_to_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left_behind(temporary)
    elsewhere = folder.rename(temporary / "elsewhere")
    link = temporary / "wenchang-demo-link"
    link.symlink_to(elsewhere)
    (temporary / "wenchang-demo-without-owner").mkdir()
    led_astray = temporary / "wenchang-demo-owner-is-a-link"
    led_astray.mkdir()
    (led_astray / "owner").symlink_to(elsewhere / "owner")
    before = sorted(temporary.iterdir())
    begun = new_demo_folder(keep=False)
    assert sorted(temporary.iterdir()) == sorted([*before, begun])

    elsewhere.rename(folder)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    new_demo_folder(keep=False)
    assert any((folder / "store").iterdir())

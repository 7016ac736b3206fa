from pathlib import Path

import pytest

from wenchang_tui.model.flat_demo import build_flat_demo
from wenchang_tui.model.flat_folder import FlatFolder, open_flat
from wenchang_tui.model.settings import Settings

__all__ = ["demo_flat"]


def write(folder: Path, **files: str) -> None:
    """Files of a folder, `a_md` being `a.md`; an empty text of a description is none."""
    for name, text in files.items():
        (folder / name.replace("_md", ".md")).write_bytes(text.encode())


@pytest.fixture
def demo_folder(tmp_path: Path) -> Path:
    """A fresh copy of the demo of a file memory."""
    folder = tmp_path / "walk"
    folder.mkdir()
    build_flat_demo(folder)
    return folder


@pytest.fixture
def demo_flat(demo_folder: Path) -> FlatFolder:
    """The same, open."""
    return open_flat(str(demo_folder), Settings())

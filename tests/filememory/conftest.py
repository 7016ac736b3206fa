from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.filememory.helpers import Memory
from wenchang.filememory import FileMemoryProvider


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(root: Path) -> Iterator[Memory]:
    with FileMemoryProvider(root) as provider:
        yield Memory(provider, root)

"""Commands as a person gives them, with what they print and how they end."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from wenchang.core import MemoryStore
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.cli.program import run
from wenchang_tui.model.demo import build_demo

__all__ = ["Cli", "Ended"]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.isascii()
        return json.loads(self.out)

    def failed(self, code: int, *words: str) -> None:
        """Assert that it failed with one line on stderr that holds `words`, and with nothing on stdout."""
        assert (self.code, self.out) == (code, "")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        assert self.err.startswith("wenchang")
        for word in words:
            assert word in self.err


class Cli(Protocol):
    """Runs one command line in this process."""

    def __call__(self, *arguments: str) -> Ended: ...


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    def call(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(arguments)
        return Ended(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo in a folder, for reading."""
    folder = tmp_path_factory.mktemp("demo")
    build_demo(FilesystemStorage(folder, durable=False))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    """A store in the folder `tmp_path`."""
    return MemoryStore(FilesystemStorage(tmp_path, durable=False))

"""A server to point clients at, and the clients themselves, fetched once into pytest's own temporary folder."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tui.agent.support import Site, serving
from wenchang_tui.agent.server import Server

DRIVERS = Path(__file__).parent / "drivers"
FASTMCP = "fastmcp==4.2.3"
INSTALL_S = 600


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clients: needs node or a package registry for clients of other makers")


@dataclass(frozen=True)
class Endpoint:
    """What a client has to be told."""

    url: str
    token: str
    server: Server


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    with serving(Site()) as site:
        assert site.server.url is not None
        yield Endpoint(site.server.url, site.callers[0].token, site.server)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that outlives this run, for its owner alone."""
    return tmp_path_factory.getbasetemp().parent


@pytest.fixture(scope="session")
def node(shelf: Path) -> Path:
    """A folder with the drivers and the node modules they need."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node is not here")
    return _fetched(
        shelf, (DRIVERS / "package.json").read_text(), "node", [[npm, "install", "--no-audit", "--no-fund"]]
    )


@pytest.fixture(scope="session")
def fastmcp_python(shelf: Path) -> Path:
    """An interpreter with fastmcp."""
    make = [sys.executable, "-m", "venv", "."]
    install = ["bin/python", "-m", "pip", "install", "--quiet", FASTMCP]
    return _fetched(shelf, FASTMCP, "fastmcp", [make, install]) / "bin" / "python"


def _fetched(shelf: Path, needs: str, name: str, commands: list[list[str]]) -> Path:
    """The folder that `commands` fill; skips where what they fetch cannot be had."""
    folder = shelf / f"wenchang-{name}-{hashlib.sha256(needs.encode()).hexdigest()[:12]}"
    done = folder / ".complete"
    if not done.exists():
        folder.mkdir(exist_ok=True)
        shutil.copytree(DRIVERS, folder, dirs_exist_ok=True)
        for command in commands:
            ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            if ended.returncode:
                pytest.skip(f"{name} cannot be had: {ended.stderr.strip()[-300:]}")
        done.touch()
    shutil.copytree(DRIVERS, folder, dirs_exist_ok=True)
    return folder


def quiet_home(folder: Path) -> dict[str, str]:
    """An environment in which a client finds no settings of anybody's."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "MCP_INSPECTOR_SECRET_STORE": "memory"}

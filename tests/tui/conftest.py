"""Tests of the app never see the user's home, configuration, or anything else the surroundings could change."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("WENCHANG_CONFIG", "STORAGE_EMULATOR_HOST", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def config_file(_own_home: None) -> Path:
    """Where the user's own configuration file would be; its folder exists, the file does not."""
    from wenchang_tui.config import config_path

    path = config_path()
    path.parent.mkdir(parents=True)
    return path

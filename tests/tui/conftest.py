"""Tests of the app never see the user's home, configuration, or anything else the surroundings could change."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


@pytest.fixture(autouse=True, scope="session")
def _styles_are_parsed_once() -> Iterator[None]:
    """Every app parses the same style sheets, which is a sixth of the work of its start. The rules never change."""
    parse, known = Stylesheet._parse_rules, dict[Hashable, list[RuleSet]]()

    def remembered(self: Stylesheet, *args: Any, **options: Any) -> list[RuleSet]:
        key = (frozenset(self._variables.items()), args, frozenset(options.items()))
        if key not in known:
            known[key] = parse(self, *args, **options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", remembered)
        yield


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

"""Where the app keeps things: the configuration a person writes, the places it remembers, its log.

Configuration is read here and never written. What is remembered is a convenience: a home that cannot be written, or a
list that cannot be read, is no error.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

CONFIG_VARIABLE = "WENCHANG_CONFIG"
MAX_REMEMBERED = 10
_APP = "wenchang"


class ConfigError(Exception):
    """The configuration cannot be used; the text names the file, the key or line, and what is expected."""


@dataclass(frozen=True, slots=True)
class PromptTexts:
    """The prompt slots of a profile, as written; `None` for one that is not given."""

    purpose: str | None = None
    scope_guidance: str | None = None
    seed_areas: str | None = None
    systems_of_record: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """A named place. Every field is `None` when not given; the texts are those of the options of the same names."""

    target: str | None = None
    grants: tuple[str, ...] | None = None
    restrict: tuple[str, ...] | None = None
    priority: tuple[str, ...] | None = None
    index_bytes: int | None = None
    max_file_bytes: int | None = None
    max_files: int | str | None = None
    page_size: int | None = None
    source: str | None = None
    read_only: bool | None = None
    prompt: PromptTexts | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """What the configuration file holds, and which file that is, whether or not it exists."""

    path: Path
    profiles: Mapping[str, Profile] = field(default_factory=dict)


def config_path(option: str | None = None) -> Path:
    """The configuration file in use: `--config`, then `WENCHANG_CONFIG`, then the user's own."""
    named = option or os.environ.get(CONFIG_VARIABLE)
    return Path(named).expanduser() if named else platformdirs.user_config_path(_APP) / "config.toml"


def state_path() -> Path:
    """The folder of what the app remembers."""
    return platformdirs.user_state_path(_APP)


def log_path() -> Path:
    """The file that the app logs to."""
    return platformdirs.user_log_path(_APP) / "wenchang.log"


def load_config(option: str | None = None) -> Config:
    """The configuration; an empty one where there is no file, unless `--config` named it. Raises `ConfigError`."""
    path = config_path(option)
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        if option is None:
            return Config(path)
        raise ConfigError(f"{path}: there is no such file; check --config.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from error
    import tomllib  # like others below not before it is needed: `wenchang --help` imports this module too

    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number without end, and brackets without end
        raise ConfigError(f"{path}: not valid TOML: {error}.") from error
    return Config(path, _Reader(path).profiles(table))


class _Reader:
    """Reads the parsed tables of one file, complaining with its name and the full key."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def profiles(self, table: dict[str, Any]) -> dict[str, Profile]:
        self._check_keys("", table, ["profiles"])
        profiles = self._table("profiles", table.get("profiles", {}))
        return {name: self._profile(f"profiles.{name}", value) for name, value in profiles.items()}

    def _profile(self, key: str, value: object) -> Profile:
        table = self._table(key, value)
        readers = self._profile_readers()
        self._check_keys(key, table, readers)
        return Profile(**{name: readers[name](f"{key}.{name}", item) for name, item in table.items()})

    def _profile_readers(self) -> dict[str, Callable[[str, object], Any]]:
        return {
            "target": self._text,
            "grants": self._texts,
            "restrict": self._texts,
            "priority": self._texts,
            "index_bytes": self._number,
            "max_file_bytes": self._number,
            "max_files": self._number_or_none,
            "page_size": self._number,
            "source": self._text,
            "read_only": self._flag,
            "prompt": self._prompt,
        }

    def _prompt(self, key: str, value: object) -> PromptTexts:
        table = self._table(key, value)
        self._check_keys(key, table, PromptTexts.__dataclass_fields__)
        return PromptTexts(**{name: self._text(f"{key}.{name}", item) for name, item in table.items()})

    def _check_keys(self, key: str, table: dict[str, Any], known: Iterable[str]) -> None:
        names = list(known)
        for name in table:
            if name not in names:
                import difflib

                near = difflib.get_close_matches(name, names, 1)
                advice = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(names)}."
                raise ConfigError(f"{self._path}: unknown key {f'{key}.' if key else ''}{name}; {advice}")

    def _table(self, key: str, value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        raise self._wrong(key, "a table", value)

    def _text(self, key: str, value: object) -> str:
        if isinstance(value, str) and value:
            return value
        raise self._wrong(key, "a text that is not empty", value)

    def _texts(self, key: str, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise self._wrong(key, "a list of texts", value)

    def _number(self, key: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise self._wrong(key, "a whole number above 0", value)

    def _number_or_none(self, key: str, value: object) -> int | str:
        if value == "none":
            return "none"
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise self._wrong(key, 'a whole number above 0, or "none"', value)

    def _flag(self, key: str, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise self._wrong(key, "true or false", value)

    def _wrong(self, key: str, expected: str, value: object) -> ConfigError:
        return ConfigError(f"{self._path}: {key} must be {expected}, not {_toml_type(value)}.")


def _toml_type(value: object) -> str:
    kinds = {
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a fraction",
        list: "a list",
        dict: "a table",
    }
    if value == "":
        return "an empty text"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return kinds.get(type(value), "a date or time")


def remembered_targets() -> tuple[str, ...]:
    """The targets opened before, latest first; none where nothing can be read."""
    try:
        stored = json.loads(_remembered_path().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    return tuple(item for item in stored if isinstance(item, str)) if isinstance(stored, list) else ()


def remember_target(target: str) -> None:
    """Put `target` first among the remembered ones, if the state folder can be written."""
    targets = [target, *(other for other in remembered_targets() if other != target)][:MAX_REMEMBERED]
    with suppress(OSError):
        write_whole(_remembered_path(), json.dumps(targets))


def remembered_theme() -> str:
    """The theme chosen last; empty where none was, or nothing can be read."""
    try:
        return (state_path() / "theme").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def remember_theme(name: str) -> None:
    """Keep the theme for the next time, if the state folder can be written."""
    with suppress(OSError):
        write_whole(state_path() / "theme", name)


def _remembered_path() -> Path:
    return state_path() / "recent.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file that is never seen half written, for its owner alone. Raises `OSError`."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise

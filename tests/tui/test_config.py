from pathlib import Path

import pytest

from wenchang_tui.app import WenchangApp
from wenchang_tui.config import (
    MAX_REMEMBERED,
    ConfigError,
    Profile,
    PromptTexts,
    config_path,
    load_config,
    remember_target,
    remember_theme,
    remembered_targets,
    remembered_theme,
    state_path,
)
from wenchang_tui.widgets.themes import DARK, LIGHT


def test_no_file_is_an_empty_configuration() -> None:
    assert load_config().profiles == {}


def test_a_profile_holds_what_is_written(config_file: Path) -> None:
    config_file.write_text(
        """
        [profiles.work]
        target = "/memory"
        grants = ["user=u", "project=p:member"]
        restrict = ["org=admin"]
        priority = ["project"]
        index_bytes = 4096
        max_files = "none"
        read_only = true

        [profiles.work.prompt]
        purpose = "Remember."

        [profiles.empty]
        """
    )
    assert load_config().profiles == {
        "work": Profile(
            target="/memory",
            grants=("user=u", "project=p:member"),
            restrict=("org=admin",),
            priority=("project",),
            index_bytes=4096,
            max_files="none",
            read_only=True,
            prompt=PromptTexts(purpose="Remember."),
        ),
        "empty": Profile(),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("theme = 'dark'", "unknown key theme; known keys: profiles"),
        ("[profile.x]", "unknown key profile; did you mean profiles?"),
        ("[profiles.x]\ngrant = []", "unknown key profiles.x.grant; did you mean grants?"),
        ("[profiles.x]\nindex_bytes = '9'", "profiles.x.index_bytes must be a whole number above 0, not a text"),
        (
            "[profiles.x]\nindex_bytes = true",
            "profiles.x.index_bytes must be a whole number above 0, not true or false",
        ),
        ("[profiles.x]\npage_size = 0", "profiles.x.page_size must be a whole number above 0, not 0"),
        (
            "[profiles.x]\nmax_files = 'all'",
            'profiles.x.max_files must be a whole number above 0, or "none", not a text',
        ),
        ("[profiles.x]\ngrants = 'a=b'", "profiles.x.grants must be a list of texts, not a text"),
        ("[profiles.x]\npriority = [1]", "profiles.x.priority must be a list of texts, not a list"),
        ("[profiles.x]\ntarget = ''", "profiles.x.target must be a text that is not empty, not an empty text"),
        ("[profiles.x]\nread_only = 1", "profiles.x.read_only must be true or false, not 1"),
        ("[profiles.x]\nprompt = 'p'", "profiles.x.prompt must be a table, not a text"),
        ("[profiles.x.prompt]\npurpos = ''", "unknown key profiles.x.prompt.purpos; did you mean purpose?"),
        ("profiles = 3", "profiles must be a table, not 3"),
        ("a = 1\nb = = 2", "not valid TOML: Invalid value (at line 2, column 5)"),
    ],
)
def test_a_mistake_is_one_sentence_naming_file_and_key(config_file: Path, text: str, says: str) -> None:
    config_file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_config()
    assert str(refused.value).startswith(f"{config_file}: {says}")
    assert "\n" not in str(refused.value)


def test_the_option_wins_over_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WENCHANG_CONFIG", str(tmp_path / "by-variable.toml"))
    assert config_path() == tmp_path / "by-variable.toml"
    assert config_path("by-option.toml") == Path("by-option.toml")


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file; check --config"):
        load_config(str(tmp_path / "absent.toml"))


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_bytes(b"\xff")])
def test_a_file_that_cannot_be_read_is_an_error(config_file: Path, make: object) -> None:
    assert callable(make)
    make(config_file)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config()


def test_the_latest_place_comes_first_once_and_old_ones_go() -> None:
    assert remembered_targets() == ()
    for number in range(MAX_REMEMBERED + 2):
        remember_target(str(number))
    remember_target("5")
    assert remembered_targets()[:2] == ("5", "11")
    assert len(remembered_targets()) == MAX_REMEMBERED
    assert len(set(remembered_targets())) == MAX_REMEMBERED


def test_the_theme_chosen_last_is_the_one_of_the_next_time() -> None:
    assert remembered_theme() == ""
    assert WenchangApp(None).theme == DARK.name
    remember_theme(LIGHT.name)
    assert WenchangApp(None).theme == LIGHT.name
    remember_theme("no-such-theme")
    assert WenchangApp(None).theme == DARK.name


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    remember_target("/memory")
    assert remembered_targets() == ()


@pytest.mark.parametrize("stored", ["", "{", "{}", '"x"', "[" * 100_000])
def test_a_damaged_list_of_places_is_an_empty_one(stored: str) -> None:
    state_path().mkdir(parents=True)
    (state_path() / "recent.json").write_text(stored)
    assert remembered_targets() == ()
    remember_target("/memory")
    assert remembered_targets() == ("/memory",)

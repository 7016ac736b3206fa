import stat
from pathlib import Path

import pytest

from wenchang_tui.agent.registration import Registration, Registrations


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_registered_client_finds_the_server_tomorrow(tmp_path: Path) -> None:
    made = Registrations(tmp_path).of("/memory")
    assert len(made.token) == 43
    Registrations(tmp_path).keep("/memory", Registration(made.token, 4711))
    assert Registrations(tmp_path).of("/memory") == Registration(made.token, 4711)


def test_every_target_has_a_token_of_its_own(tmp_path: Path) -> None:
    kept = Registrations(tmp_path)
    assert kept.of("/memory") != kept.of("/memory2")
    assert kept.of("/m\udce4mory") == kept.of("/m\udce4mory")


def test_a_new_token_shuts_the_old_one_out_and_keeps_the_port(tmp_path: Path) -> None:
    kept = Registrations(tmp_path)
    old = kept.of("/memory")
    new = kept.renew("/memory", 4711)
    assert new.token != old.token
    assert kept.of("/memory") == new == Registration(new.token, 4711)


def test_only_the_owner_can_read_a_token(tmp_path: Path) -> None:
    Registrations(tmp_path / "state").of("/memory")
    (file,) = (tmp_path / "state" / "agent").iterdir()
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"token": 3, "port": 1}', '{"token": "short", "port": 1}', '{"token": "%s", "port": 99999}'],
)
def test_what_cannot_be_read_is_replaced(tmp_path: Path, text: str) -> None:
    kept = Registrations(tmp_path)
    old = kept.of("/memory")
    (file,) = (tmp_path / "agent").iterdir()
    file.write_text(text.replace("%s", old.token))
    assert kept.of("/memory").token != old.token
    assert kept.of("/memory") == kept.of("/memory")


def test_a_home_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    kept = Registrations(tmp_path / "state")
    assert kept.of("/memory").token != kept.of("/memory").token


def test_a_token_does_not_show_in_a_traceback(tmp_path: Path) -> None:
    made = Registrations(tmp_path).of("/memory")
    assert made.token not in repr(made)

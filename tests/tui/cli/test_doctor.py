"""What `wenchang doctor` tells, and what it keeps to itself."""

import json
from pathlib import Path

import pytest

import wenchang
from tests.tui.cli.conftest import Cli
from wenchang_tui.config import state_path

SECRET = "-----BEGIN PRIVATE KEY-----"


def test_it_tells_of_versions_terminal_and_places(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-\x1b[31m")
    monkeypatch.setenv("TMUX", "/tmp/tmux,1,0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    state_path().mkdir(parents=True)
    report = cli("doctor", "--json").json
    assert report["versions"]["wenchang"] == wenchang.__version__
    assert report["versions"]["textual"].startswith("8.")
    assert (report["terminal"]["TERM"], report["terminal"]["inside"]) == ("xterm-\x1b[31m", "tmux")
    assert report["terminal"]["output"] == "no terminal"
    assert report["terminal"]["clipboard"].startswith("unknown")
    assert report["paths"]["state"] == {"path": str(state_path()), "exists": True, "writable": True}
    assert report["paths"]["config"]["exists"] is False
    assert report["target"] is None
    lines = cli("doctor")
    assert lines.code == 0
    assert "\x1b" not in lines.out
    assert f"  state                {state_path()}  (there, writable)\n" in lines.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (json.dumps({"type": "service_account", "private_key": SECRET}), "service_account"),
        (json.dumps({"type": SECRET, "private_key": SECRET}), "credentials of an unknown kind"),
        (SECRET, "a file that cannot be read as credentials"),
        (None, "a file that does not exist"),
    ],
)
def test_the_kind_of_credentials_is_told_and_nothing_of_them(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, told: str
) -> None:
    file = tmp_path / "key.json"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    ended = cli("doctor", "--json")
    assert ended.json["cloud"]["credentials"] == f"{told}, named by GOOGLE_APPLICATION_CREDENTIALS"
    assert "PRIVATE" not in ended.out


def test_credentials_of_gcloud_are_found(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)
    monkeypatch.delenv("CLOUDSDK_CONFIG", raising=False)
    assert cli("doctor", "--json").json["cloud"]["credentials"] is None
    folder = Path("~/.config/gcloud").expanduser()
    folder.mkdir(parents=True)
    (folder / "application_default_credentials.json").write_text('{"type": "authorized_user"}')
    assert cli("doctor", "--json").json["cloud"]["credentials"] == "authorized_user, from gcloud"


def test_the_target_is_reached_or_not(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = cli("doctor", "--json", str(tmp_path)).json["target"]
    assert (target["kind"], target["reached"], target["writable"]) == ("folder", True, True)
    absent = cli("doctor", "--json", str(tmp_path / "absent"))
    assert (absent.code, absent.json["target"]["reached"]) == (3, False)
    assert "there is no folder" in absent.json["target"]["problem"]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:1")
    bucket = cli("doctor", "--json", "gs://memory")
    assert (bucket.code, bucket.json["cloud"]["emulator"]) == (3, "127.0.0.1:1")
    assert "Emulator not reached" in bucket.json["target"]["problem"]


def test_a_configuration_that_cannot_be_used_is_part_of_the_report(cli: Cli, config_file: Path) -> None:
    config_file.write_text("[profile]\n")
    ended = cli("doctor", "--json")
    assert ended.code == 2
    assert "did you mean profiles?" in ended.json["configuration"]["problem"]

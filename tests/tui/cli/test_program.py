import tempfile
from pathlib import Path

import click
import pytest

import wenchang
from tests.tui.cli.conftest import Cli
from wenchang_tui.cli import output
from wenchang_tui.cli.screen import screen


def test_version_and_help(cli: Cli) -> None:
    assert cli("--version").out == f"wenchang {wenchang.__version__}\n"
    ended = cli("--help")
    assert ended.code == 0
    for word in ("  tree     List scopes", "  show ", "  index ", "  config ", "  --version  ", "  --help  "):
        assert word in ended.out
    assert cli("/nowhere", "--read-only", "--help").out == ended.out
    assert cli("tree", "--help").code == 0


def test_the_help_tells_the_options_of_the_app(cli: Cli) -> None:
    options = [param for param in screen.params if isinstance(param, click.Option)]
    records = [option.get_help_record(click.Context(screen)) for option in options]
    formatter = click.HelpFormatter(width=78)
    with formatter.section("Options"):
        formatter.write_dl([record for record in records if record])
    assert formatter.getvalue() in cli("--help").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tree", "--nonsense"], ["wenchang tree", "--nonsense"]),
        (["tree"], ["TARGET", "--demo"]),
        (["tree", ""], ["TARGET is empty"]),
        (["tree", "a", "b"], ["expected TARGET, got 2 arguments"]),
        (["show", "--demo"], ["SCOPE/ENTITY/AREA/NAME"]),
        (["tree", "x", "--demo"], ["--demo stands in the place of TARGET"]),
        (["tree", "x", "--keep"], ["--keep goes with --demo"]),
        (["tree", "s3://bucket"], ["s3://bucket", "gs://BUCKET"]),
        (["index", "--demo", "--grant", "user"], ["--grant", "SCOPE=ENTITY[:ROLE]"]),
        (["index", "--demo", "--restrict", "org"], ["--restrict", "SCOPE=ROLE"]),
        (["index", "--demo", "--priority", "a,a"], ["--priority", "twice"]),
        (["index", "--demo", "--index-bytes", "0"], ["--index-bytes", "0"]),
        (["index", "--demo", "--max-files", "all"], ["--max-files", "none"]),
        (["index", "--demo", "--source", ""], ["--source", "empty"]),
        (["index", "--demo", "--profile", "nobody"], ["no profile nobody"]),
        (["tree", "--demo", "--config", "/nowhere.toml"], ["/nowhere.toml"]),
        (["a", "b"], ["expected TARGET"]),
        (["--nonsense"], ["--nonsense"]),
        (["/nowhere"], ["tree", "index", "terminal"]),
        ([], ["tree", "index", "terminal"]),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(cli: Cli, arguments: list[str], words: list[str]) -> None:
    cli(*arguments).failed(2, *words)


def test_a_target_that_is_not_there_is_code_3(cli: Cli, tmp_path: Path) -> None:
    cli("tree", str(tmp_path / "absent")).failed(3, "absent", "--create")
    (tmp_path / "file").touch()
    cli("index", str(tmp_path / "file")).failed(3, "file")
    assert not (tmp_path / "absent").exists()
    assert cli("tree", str(tmp_path / "absent"), "--create").code == 0
    assert (tmp_path / "absent").is_dir()


def test_read_only_makes_nothing(cli: Cli, tmp_path: Path) -> None:
    cli("tree", str(tmp_path / "absent"), "--create", "--read-only").failed(3, "--read-only")
    assert cli("tree", str(tmp_path), "--read-only").code == 0


def test_behind_two_dashes_everything_is_an_argument(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--json").mkdir()
    assert cli("tree", "--", "--json").out == "--json  0 files, 0 bytes\n"
    assert cli("tree", "--json", "--", "--json").json["target"] == "--json"
    cli("--", "tree").failed(2, "terminal")  # not the command


def test_options_stand_anywhere(cli: Cli, demo_folder: Path) -> None:
    before = cli("show", "--json", str(demo_folder), "user/u-tianlong/preferences/prose-style")
    behind = cli("show", str(demo_folder), "user/u-tianlong/preferences/prose-style", "--json")
    assert before == behind
    assert before.code == 0


def test_arguments_are_made_safe_before_they_are_repeated(cli: Cli) -> None:
    cli("tree", "no\x1b[31m\u202ewhere\n\udcff").failed(3, "no␛[31m\ufffdwhere␤\ufffd")
    ended = cli("tree", "--no\x1bpe")
    assert ended.code == 2
    assert "\x1b" not in ended.err


def test_debug_adds_where_it_comes_from(cli: Cli) -> None:
    ended = cli("tree", "/nowhere", "--debug")
    assert ended.code == 3
    assert "Traceback" in ended.err
    assert ended.err.splitlines()[-1].startswith("wenchang: Not found")
    assert "Traceback" not in cli("tree", "--", "/nowhere").err


def test_the_demo_is_kept_only_on_request(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = cli("tree", "--demo", "--keep", "--json")
    assert ended.json["target"] == "demo"
    folder = Path(ended.err.removeprefix("The demo is kept in ").rstrip("\n"))
    assert cli("tree", str(folder), "--json").json["scopes"]


def test_a_profile_stands_in_and_options_win(cli: Cli, config_file: Path, demo_folder: Path, tmp_path: Path) -> None:
    config_file.write_text(
        f"""
        [profiles.demo]
        target = "{demo_folder}"
        grants = ["user=u-tianlong"]
        index_bytes = 500
        """
    )
    document = cli("index", "--profile", "demo", "--json").json
    assert document["limit"] == 500
    assert {entry["scope"] for entry in document["entries"]} == {"user"}
    document = cli(
        "index", "--profile", "demo", "--index-bytes", "9", "--grant", "organization=o-hanlin-press", "--json"
    ).json
    assert document["limit"] == 9
    assert {entry["scope"] for entry in document["entries"]} == {"organization"}
    assert cli("show", "--profile", "demo", "user/u-tianlong/preferences/feedback").code == 0
    assert cli("tree", str(tmp_path), "--profile", "demo", "--json").json["target"] == str(tmp_path)


def test_a_profile_with_a_mistake_is_named(cli: Cli, config_file: Path) -> None:
    config_file.write_text('[profiles.x]\ntarget = "/tmp"\ngrants = ["user"]\n')
    cli("index", "--profile", "x").failed(2, str(config_file), "profiles.x.grants", "SCOPE=ENTITY[:ROLE]")
    config_file.write_text("[profiles.x]\ntarget = 3\n")
    cli("tree", "--demo").failed(2, str(config_file), "profiles.x.target")


def test_config_tells_the_paths_and_the_profiles(cli: Cli, config_file: Path) -> None:
    config_file.write_text('[profiles.a]\n[profiles.b]\ntarget = "/memory"\n')
    document = cli("config", "--json").json
    assert list(document) == ["config", "state", "log", "profiles"]
    assert document["config"] == str(config_file)
    assert document["profiles"] == ["a", "b"]
    assert "profile b  /memory\n" in cli("config", "--read-only").out


def test_lines_on_a_terminal_are_styled_and_still_safe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    output.write_lines([[("[red]a\x1b[31m\u202eb[/red]", "bold")]])
    out, _ = capsys.readouterr()
    assert out == "\x1b[1m[red]a␛[31m\ufffdb[/red]\x1b[0m\n"

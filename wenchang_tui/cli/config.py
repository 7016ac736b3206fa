"""`wenchang config`: the paths in use and the profiles."""

from typing import Any

import click

from wenchang_tui.cli.failures import Exit
from wenchang_tui.cli.options import common_options, json_option
from wenchang_tui.cli.output import write_json, write_lines
from wenchang_tui.config import load_config, log_path, state_path


@click.command()
@json_option
@common_options
def config(as_json: bool, **options: Any) -> int:
    """Show where configuration, state and log are, and which profiles there are."""
    loaded = load_config(options["config"])
    paths = {"config": str(loaded.path), "state": str(state_path()), "log": str(log_path())}
    if as_json:
        write_json({**paths, "profiles": list(loaded.profiles)})
        return Exit.FINE
    write_lines([(f"{name:<8}", "dim"), (path, "")] for name, path in paths.items())
    write_lines(
        [("profile ", "dim"), (name, "bold"), (f"  {profile.target or ''}", "")]
        for name, profile in loaded.profiles.items()
    )
    return Exit.FINE

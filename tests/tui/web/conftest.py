"""The commands and the demo, as the tests of the commands have them."""

from tests.tui.cli.conftest import cli, demo_folder

__all__ = ["cli", "demo_folder"]

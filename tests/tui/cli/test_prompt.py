from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli
from wenchang.prompts import PromptSlots, build_memory_prompt
from wenchang_tui.agent.service import DEFAULT_SLOTS


@pytest.fixture
def configured(tmp_path: Path) -> str:
    path = tmp_path / "config.toml"
    path.write_text(
        "[profiles.press.prompt]\n"
        'purpose = "You edit for Hanlin Press."\n'
        'systems_of_record = "The ledger owns all sums."\n'
        "[profiles.blank.prompt]\n"
        'purpose = " "\n'
    )
    return str(path)


def test_the_prompt_in_built_in_words(cli: Cli) -> None:
    text = build_memory_prompt(DEFAULT_SLOTS)
    assert cli("prompt").out == text
    assert cli("prompt", "--demo", "--json").json == {"prompt": text}


def test_the_prompt_in_the_words_of_a_profile(cli: Cli, configured: str) -> None:
    slots = PromptSlots(
        "You edit for Hanlin Press.",
        DEFAULT_SLOTS.scope_guidance,
        DEFAULT_SLOTS.seed_areas,
        "The ledger owns all sums.",
    )
    assert cli("prompt", "--profile", "press", "--config", configured).out == build_memory_prompt(slots)


def test_a_blank_slot_is_named(cli: Cli, configured: str) -> None:
    cli("prompt", "--profile", "blank", "--config", configured).failed(2, "profiles.blank.prompt", "purpose")


def test_too_many_arguments_are_refused(cli: Cli) -> None:
    cli("prompt", "a", "b").failed(2, "TARGET")

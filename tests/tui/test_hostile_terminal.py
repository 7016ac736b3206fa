"""A store full of hostile text, shown on every screen of a real terminal: nothing of it gets there but as text.

Every byte that is sent is taken apart. A sequence has to be one of the few that the app itself sends, and none may hold
a word of what is stored. `tests.tui.hostile_tour` is what runs in the terminal.
"""

import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from textual.screen import Screen

from tests.tui import test_terminal
from tests.tui.hostile_tour import PLANTED
from tests.tui.screens.test_dialog import all_below
from tests.tui.test_terminal import wenchang
from wenchang_tui import screens

SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # all other escapes
    r"|[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]",
    re.DOTALL,
)
OURS = re.compile(
    r"\x1b\[(?:\d+;\d+H|\?\d+[hl]|\?\d+\$p|>\d+u|<u)"  # the cursor, modes, the keyboard
    r"|\x1b\[(?:0|(?:(?:[1-9]|[34]8;5;\d+);)*(?:[1-9]|[34]8;5;\d+))m"  # colours
    r"|\x1b\]22;[a-z]+\x07"  # the pointer
)
HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\u2028\u2029\ufeff\u061c\U000e0000-\U000e007f]")
PATTERNS = {"CallsFrame", "CuratingFrame", "Dialog", "FilingFrame", "Frame"}


@pytest.mark.timeout(300)
def test_no_screen_hands_stored_text_to_the_terminal_as_control(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_terminal, "WAIT_SECONDS", 250.0)  # there is much to see
    code = "from tests.tui.hostile_tour import show; show()"
    with wenchang(home=tmp_path, code=code) as terminal:
        assert terminal.end() == 0, terminal.sent[-3000:].decode()
        assert terminal.is_restored()
    check(terminal.sent.decode())
    drawn = set((tmp_path / "drawn").read_text().split())
    assert sorted(screens_of_the_app() - drawn) == [], "the tour has to lead there, too"


def screens_of_the_app() -> set[str]:
    """The name of every screen and dialog, but of those that others are made from."""
    for module in iter_modules(screens.__path__, f"{screens.__name__}."):
        import_module(module.name)
    kinds = [kind for kind in all_below(Screen) if kind.__module__.startswith("wenchang_tui.")]
    return {kind.__name__ for kind in kinds} - PATTERNS


def check(sent: str) -> None:
    """Nothing stored got to the terminal but as text."""
    for found in SEQUENCE.findall(sent):
        assert OURS.fullmatch(found), ascii(found)
    drawn = SEQUENCE.sub("", sent)
    assert not HIDDEN.search(drawn), ascii(HIDDEN.findall(drawn))
    assert drawn.count("STORED") > 50
    assert [number for number in range(len(PLANTED)) if f"TOAST{number}" not in drawn] == []

"""A store full of hostile text, shown on every screen of a real terminal: nothing of it gets there but as text.

Every byte that is sent is taken apart. A sequence has to be one of the few that the app itself sends, and none may hold
a word of what is stored.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui import test_terminal
from tests.tui.agent.samples import append, call, conflict, file
from tests.tui.screens.drive import grants, put, settled, steps
from tests.tui.screens.test_versions import Keeping
from tests.tui.test_terminal import wenchang
from wenchang.filememory import FileMemoryProvider
from wenchang.storage import Storage
from wenchang_tui.agent.calls import Change
from wenchang_tui.agent.recorder import save_session
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import workspace_over
from wenchang_tui.screens.edit import EditScreen

PLANTED = (
    "\x1b]0;STORED\x07\x1b]52;c;U1RPUkVE\x07\x1b]8;;http://STORED\x1b\\x",
    "\x1b[31;5mSTORED\x1b[2J\x1b[?1049l\x1b[6n\x1b[8mx",
    "\x1bPSTORED\x1b\\\x1b_STORED\x1b\\\x1b^STORED\x1b\\\x1bXSTORED\x1b\\\x1bc\x1b7\x0e",
    "\x9b31mSTORED\x9d0;STORED\x9c\x90STORED\x9c\x84\x8d",
    "\x00\x07\x08\x7fSTORED\r\x0b\x0c\x1b",
    "\u202eSTORED\u2066\u200b\u2060\ufeff\u061c\U000e0053\u2028\u2029\x85",
    "[@click=app.quit]STORED[/] [link='http://STORED",
)
ESCAPED = '["\\u001b[31mSTORED"]'
PLAIN = "user/u/system/plain.md"
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
SCREENS = {
    "AgentScreen", "AsAgentDialog", "BrowseScreen", "CopyDialog", "EditScreen", "FlatAgentScreen", "FlatEditor",
    "FlatScreen", "HealthScreen", "HelpScreen", "IndexScreen", "MergeScreen", "NameDialog", "OperateScreen", "Palette",
    "PayloadScreen", "PlaceDialog", "RepairDialog", "SessionScreen", "SetupScreen", "TypedDialog", "VersionsDialog",
    "WelcomeScreen",
}  # fmt: skip


@pytest.mark.timeout(300)
def test_no_screen_hands_stored_text_to_the_terminal_as_control(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_terminal, "WAIT_SECONDS", 250.0)  # there is much to see
    code = "from tests.tui.test_hostile_terminal import show; show()"
    with wenchang(home=tmp_path, code=code) as terminal:
        assert terminal.end() == 0, terminal.sent[-3000:].decode()
        assert terminal.is_restored()
    assert set((tmp_path / "seen").read_text().split()) >= SCREENS
    check(terminal.sent.decode())


def check(sent: str) -> None:
    """Nothing stored got to the terminal but as text."""
    for found in SEQUENCE.findall(sent):
        assert OURS.fullmatch(found), ascii(found)
    drawn = SEQUENCE.sub("", sent)
    assert not HIDDEN.search(drawn), ascii(HIDDEN.findall(drawn))
    assert drawn.count("STORED") > 50


# In the process under the terminal

SEEN: set[str] = set()


def show() -> None:
    """Show the stores, screen by screen."""
    home = Path.home()
    save_hostile_session(home)
    target = "STORED\x1b]0;STORED\x07"
    storage = hostile_storage()
    store = workspace_over(target, "folder", storage, grants(user="u", other="STORED\u202e"), None)
    flat = FlatFolder(target, "filememory", hostile_folder(home / "flat"), Settings())
    run(WenchangApp(None, PLANTED[:3], Problem(*PLANTED[:3])), tour_of_welcome)
    run(WenchangApp(store), lambda pilot: tour_of_store(pilot, storage))
    run(WenchangApp(flat), tour_of_flat)
    (home / "seen").write_text("\n".join(sorted(SEEN)))


def run(app: App[None], tour: Callable[[Pilot[None]], Awaitable[None]]) -> None:
    """The app under the terminal, driven from within."""
    faults: list[BaseException] = []

    async def drive(pilot: Pilot[None]) -> None:
        try:
            await tour(pilot)
        except BaseException as fault:
            faults.append(fault)
        app.exit()

    app.run(auto_pilot=drive)  # type: ignore[arg-type]  # a pilot of any app
    if faults:
        raise faults[0]


def hostile_storage() -> Keeping:
    storage = Keeping()
    for number, text in enumerate(PLANTED):
        name, line = text.replace("/", "∕")[:60], text.replace("\n", " ").replace("\r", " ")
        body = f"- [stated] {text}\n{text}\n"
        put(storage, f"user/u/notes/{name}.md", f"- [stated] before {text}\n", line)
        put(
            storage, f"user/u/notes/{name}.md", body, line, aliases='["\\u001b[31mSTORED"]', sources='["\\u001bSTORED"]'
        )
        put(storage, f"user/u/system/{number:02} {name}.md", body, line)
        put(storage, f"user/u/{name}/broken.md", body, line, aliases=text)
    put(storage, PLAIN, "".join(PLANTED), PLANTED[0])
    put(storage, "\x1b]0;STORED\x07/[/]STORED/\u202e/x.md", "x")
    return storage


def hostile_folder(root: Path) -> Path:
    provider = FileMemoryProvider(root)
    for number, text in enumerate(PLANTED):
        arguments = {"file_name": f"{number}.md", "content": f"{text}\n" * 3, "description": text}
        provider.call("file_memory_write", arguments)
    (root / "STORED\x1b]0;STORED\x07\u202e.md").write_text(PLANTED[1])
    return root


def save_hostile_session(home: Path) -> None:
    folder = home / ".local/state/wenchang/sessions"
    folder.mkdir(parents=True)
    text = "\n".join(PLANTED)
    path = f"user/u/notes/{PLANTED[0]}.md"
    change = Change(path, file(text, path=path), file(text[::-1], "2", path=path, description=PLANTED[1]))
    arguments = {"scope": "user", "area": PLANTED[1], "name": PLANTED[0], "line": text, PLANTED[2]: PLANTED[3]}
    spoilt = {
        "client": PLANTED[0],
        "caller": PLANTED[2],
        "category": "internal",
        "answer": {"message": text},
        "note": text,
    }
    calls = [
        append(1),
        conflict(2),
        call(3, "append_line", arguments=arguments, answer={"content": text}, change=change),
        call(4, PLANTED[1], **spoilt),
    ]
    save_session(folder / "2026-01-01-000000.json", PLANTED[0], calls)


async def go(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one by one, and let each screen that comes be drawn."""
    for key in keys:
        await steps(pilot, key)
        SEEN.add(type(pilot.app.screen).__name__)
        await asyncio.sleep(0.02)  # the screen is drawn sixty times a second, and has to be


async def tour_of_welcome(pilot: Pilot[None]) -> None:
    await go(pilot, "down")


async def tour_of_store(pilot: Pilot[None], storage: Storage) -> None:
    app = pilot.app
    await go(pilot, "escape", "tab", "down", "down", "a", "escape", "v", "down", "escape", "c", "escape")
    await go(pilot, "question_mark", "escape", "ctrl+p", "escape", "slash", *"STO", "enter", "escape")
    await go(pilot, "S", *"STO", "enter", "down", "down", "escape", "escape")
    for text in PLANTED:
        app.notify(text, title=text)
    await go(pilot, "2", "down", "J", "f", "escape", "i", "escape")
    await go(pilot, "3", "f4")
    edit = app.screen
    assert isinstance(edit, EditScreen)
    for row in list(edit.desk.list.rows[:2]):
        edit.open_file(row.key)
        await go(pilot, "end")
    edit.open_file(PLAIN)
    await settled(pilot)
    await go(pilot, "f2", "escape", "f8", "escape", "x")
    put(storage, PLAIN, PLANTED[1], PLANTED[0], aliases=ESCAPED)
    await go(pilot, "ctrl+s", "v", "escape", "escape")
    await go(
        pilot, "4", "E", "enter", "down", "down", "enter", "J", "escape", "escape", "escape", "escape", "i", "escape"
    )
    await go(pilot, "5", "down", "r", "down", "escape")
    await go(pilot, "6", "down", "p", "escape", "e", "escape")


async def tour_of_flat(pilot: Pilot[None]) -> None:
    await go(pilot, "down", "i", "i", "e", "escape", "s", *"STO", "enter", "escape", "question_mark", "escape")
    await go(pilot, "4", "5")

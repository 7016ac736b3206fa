"""A store full of hostile text, and the way through every screen and dialog that could show it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.agent.samples import append, call, conflict, file
from tests.tui.screens.drive import grants, put, settled, shown, steps, until
from tests.tui.screens.test_versions import Keeping
from wenchang.filememory import FileMemoryProvider
from wenchang.gate import Gate, WaitingChange
from wenchang.storage import Storage
from wenchang_tui.agent.calls import Change
from wenchang_tui.agent.diffing import Proposal
from wenchang_tui.agent.recorder import save_session
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import workspace_over
from wenchang_tui.screens.agent_gate import GateScreen
from wenchang_tui.screens.edit import EditScreen
from wenchang_tui.screens.edit_dialogs import ChoiceDialog, Way

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
DRAWN: set[str] = set()


def show() -> None:
    """Show the stores, screen by screen."""
    home = Path.home()
    save_hostile_session(home)
    target = "STORED\x1b]0;STORED\x07"
    storage = hostile_storage()
    store = workspace_over(target, "folder", storage, grants(user="u", other="STORED\u202e"), None)
    flat = FlatFolder(target, "filememory", hostile_folder(home / "flat"), Settings())
    note_what_is_drawn()
    App.bell = lambda _: None  # type: ignore[assignment, method-assign]  # which rings for what no command is named
    run(WenchangApp(None, PLANTED[:3], Problem(*PLANTED[:3])), tour_of_welcome)
    run(WenchangApp(store), lambda pilot: tour_of_store(pilot, storage))
    run(WenchangApp(flat), tour_of_flat)
    (home / "drawn").write_text("\n".join(sorted(DRAWN)))


def note_what_is_drawn() -> None:
    """Note the name of each screen that sends what it looks like."""
    refresh = Screen._compositor_refresh

    def noted(screen: Screen[Any]) -> None:
        DRAWN.add(type(screen).__name__)
        refresh(screen)

    Screen._compositor_refresh = noted  # type: ignore[assignment, method-assign]


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
        await drawn()


async def drawn() -> None:
    """The screen is drawn sixty times a second, and has to be."""
    await asyncio.sleep(0.02)


async def tour_of_welcome(pilot: Pilot[None]) -> None:
    await go(pilot, "down", "ctrl+p", "escape")


async def tour_of_store(pilot: Pilot[None], storage: Storage) -> None:
    await tour_of_browse(pilot)
    await show_messages(pilot)
    await go(pilot, "2", "down", "J", "f", "escape", "i", "escape")
    await tour_of_edit(pilot, storage)
    await tour_of_agent(pilot)
    await go(pilot, "5", "down", "r", "down", "escape")
    await go(pilot, "6", "down", "p", "escape", "e", "escape")


async def tour_of_browse(pilot: Pilot[None]) -> None:
    await go(pilot, "escape", "tab", "down", "down", "a", "escape", "v", "down", "R", "escape", "escape", "c", "escape")
    await go(pilot, "question_mark", "escape", "ctrl+p")
    pilot.app.post_message(Paste("".join(PLANTED)))
    await go(pilot, "x", "escape", "slash", *"STO", "enter", "escape")
    await go(pilot, "S", *"STO", "enter", "down", "down", "escape", "escape")


async def show_messages(pilot: Pilot[None]) -> None:
    """One by one, so that each has room."""
    for number, text in enumerate(PLANTED):
        pilot.app.clear_notifications()
        pilot.app.notify(f"TOAST{number} {text}", title=text)
        await until(pilot, lambda sign=f"TOAST{number}": sign in shown(pilot.app.screen))  # type: ignore[misc]
        await drawn()


async def tour_of_edit(pilot: Pilot[None], storage: Storage) -> None:
    await go(pilot, "3", "f4")
    edit = pilot.app.screen
    assert isinstance(edit, EditScreen)
    for row in list(edit.desk.list.rows[:2]):
        edit.open_file(row.key)
        await go(pilot, "end")
    edit.open_file(PLAIN)
    await settled(pilot)
    await go(pilot, "f2", "escape", "f8", "escape", "x")
    put(storage, PLAIN, PLANTED[1], PLANTED[0], aliases=ESCAPED)
    await go(pilot, "ctrl+s", "v", "escape", "escape")
    edit.curator.log.record(f"Saved {PLANTED[0]}")
    await go(pilot, "ctrl+t", "escape")
    pilot.app.push_screen(ChoiceDialog(PLANTED[0], PLANTED[:3], [Way(text, text) for text in PLANTED]))
    await go(pilot, "down", "escape")


async def tour_of_agent(pilot: Pilot[None]) -> None:
    await go(pilot, "4", "E", "enter", "down", "down", "enter", "J", "escape", "escape", "escape", "escape")
    await go(pilot, "i", "escape", "p", "escape")
    text = "".join(PLANTED)
    change = WaitingChange(1, "write_file", f"user/u/notes/{PLANTED[0]}.md", {"content": text}, datetime.now(UTC))
    gate = SimpleNamespace(waiting=lambda: [change], wait_s=60)
    before, after = file(text), file(text[::-1], "2", description=PLANTED[1])
    pilot.app.push_screen(GateScreen(cast(Gate, gate), lambda _: Proposal(before, after), lambda _: PLANTED[2]))
    await go(pilot, "down", "r", "x", "escape", "escape")


async def tour_of_flat(pilot: Pilot[None]) -> None:
    await go(pilot, "down", "i", "i", "e", "x", "escape", "down", "enter")
    await go(pilot, "s", *"STO", "enter", "escape", "question_mark", "escape", "4", "5")

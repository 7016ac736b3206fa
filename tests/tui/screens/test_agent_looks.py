"""How the Agent screen and the walkthroughs look: addresses, times and durations are those of the samples."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from textual.app import App
from textual.pilot import Pilot

from tests.tui.agent.samples import INK, INK_NAMED, START, append, call, conflict
from tests.tui.screens.drive import demo_workspace, press, settled, shown, until
from tests.tui.screens.test_agent_play import step
from tests.tui.screens.test_looks import LARGE, SIZES, SMALL, SnapCompare
from wenchang.file_format import FileMetadata
from wenchang.gate import Gate, WaitingChange
from wenchang_tui.agent.calls import PENDING, REJECTED
from wenchang_tui.agent.history import Entry
from wenchang_tui.agent.setups import http_setups
from wenchang_tui.app import WenchangApp
from wenchang_tui.screens.agent import AgentScreen
from wenchang_tui.screens.agent_play import PlayScreen
from wenchang_tui.screens.agent_setup import SetupScreen
from wenchang_tui.widgets.server_bar import ServerState
from wenchang_tui.widgets.themes import LIGHT

URL = "http://127.0.0.1:4100/mcp"
SERVED = ServerState(url=URL, policy="every role writes; system/ by people only")
CALLS = (
    call(1, "get_memory_index", arguments={}, answer={"entries": [], "capped": []}, duration_s=0.0123),
    call(2, duration_s=0.0006),
    conflict(3),
    call(4, "read_flie", answer={"message": "Unknown tool: read_flie"}, category=REJECTED, duration_s=0.0001),
    append(5),
    call(6, "list_prefix", arguments={"scope": "project"}, answer={}, category=PENDING, duration_s=0.0),
)


def app() -> App[None]:
    return WenchangApp(demo_workspace())


async def serving(pilot: Pilot[None]) -> AgentScreen:
    """The screen with calls of long ago, as if it served."""
    await settled(pilot)
    await press(pilot, "4")
    screen = cast(AgentScreen, pilot.app.screen)
    for one in CALLS:
        screen.embedded.recorder.add(one)
    await until(pilot, lambda: len(screen.calls.list.rows) == len(CALLS))
    screen.bar.state = SERVED
    await press(pilot, "up")
    return screen


@SIZES
def test_calls(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def at_the_change(pilot: Pilot[None]) -> None:
        await serving(pilot)

    assert snap_compare(app(), terminal_size=size, run_before=at_the_change)


def test_calls_on_paper(snap_compare: SnapCompare) -> None:
    async def at_the_error(pilot: Pilot[None]) -> None:
        await serving(pilot)
        pilot.app.theme = LIGHT.name
        await press(pilot, "up", "up")

    assert snap_compare(app(), terminal_size=LARGE, run_before=at_the_error)


def test_before_anything_is_served(snap_compare: SnapCompare) -> None:
    async def there(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await press(pilot, "4")

    assert snap_compare(app(), terminal_size=SMALL, run_before=there)


def test_connecting(snap_compare: SnapCompare) -> None:
    async def connect(pilot: Pilot[None]) -> None:
        await serving(pilot)
        rules = [("serves", "user=u-tianlong (owner)"), ("policy", "every role writes")]
        pilot.app.push_screen(SetupScreen(http_setups(URL), "never-shown", rules))
        await settled(pilot)

    assert snap_compare(app(), terminal_size=SMALL, run_before=connect)


def test_reverting(snap_compare: SnapCompare) -> None:
    async def ask(pilot: Pilot[None]) -> None:
        await serving(pilot)
        await press(pilot, "u")

    assert snap_compare(app(), terminal_size=SMALL, run_before=ask)


class StillGate(Gate):
    """A gate at which one change has only just begun to wait, however late it is."""

    def waiting(self) -> tuple[WaitingChange, ...]:
        metadata = FileMetadata("Which ink the book is written with", (), frozenset(), START)
        arguments = {"content": "- [stated] Black.\n- [inferred] Of pine soot.\n", "metadata": metadata,
                     "expected_version": None, "source": "pen"}  # fmt: skip
        return (WaitingChange(1, "write_file", INK, arguments, datetime(2999, 1, 1, tzinfo=UTC)),)


async def asking(pilot: Pilot[None]) -> None:
    """A change that waits, and what it would do."""
    screen = await serving(pilot)
    screen.embedded.gate = StillGate()
    screen.embedded.gate.ask_first()
    screen.embedded.recorder.add(call(7, "write_file", arguments=INK_NAMED, answer={}, category=PENDING))
    await until(pilot, lambda: len(screen.calls.list.rows) == len(CALLS) + 1)
    await press(pilot, "ctrl+g")
    await until(pilot, lambda: "- [inferred] Of pine soot." in shown(pilot.app.screen))
    screen.bar.state = replace(SERVED, asks_first=True)


@SIZES
def test_asking_first(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=asking)


@SIZES
def test_play(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    async def at_the_lost_race(pilot: Pilot[None]) -> None:
        await press(pilot, "4")
        await press(pilot, "p")
        screen = cast(PlayScreen, pilot.app.screen)
        screen.pace = 60.0
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: screen.number == 1 and len(screen.played) == 1)
        await step(pilot, 10)
        await until(pilot, lambda: len(screen.calls.list.rows) == 4)
        screen.calls.show([_as_long_ago(entry) for entry in cast(Any, screen.calls.list.rows)])
        screen.calls.follow()
        await settled(pilot)

    assert snap_compare(app(), terminal_size=size, run_before=at_the_lost_race)


def _as_long_ago(entry: Entry) -> Entry:
    return Entry(entry.number, replace(entry.call, started=START + timedelta(seconds=entry.number), duration_s=0.001,
                                       process=4711))  # fmt: skip

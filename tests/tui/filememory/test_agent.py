"""Agents at work on a file memory, seen in the app: calls, what they changed, the gate, and the way back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from textual.pilot import Pilot

from tests.tui.filememory.drive import app_over, flat
from tests.tui.screens.drive import press, settled, shown, steps, until
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.flat_folder import open_flat
from wenchang_tui.model.settings import Settings
from wenchang_tui.screens.agent_gate import GateScreen
from wenchang_tui.screens.agent_setup import SetupScreen
from wenchang_tui.screens.flat_agent import FlatAgentScreen

WIDE = (140, 40)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "a.md").write_bytes(b"one\n")
    return folder


def agent(app: WenchangApp) -> FlatAgentScreen:
    assert isinstance(app.screen, FlatAgentScreen)
    return app.screen


async def serve(pilot: Pilot[None], app: WenchangApp) -> FlatAgentScreen:
    await settled(pilot)
    await steps(pilot, "4", "t")
    screen = agent(app)
    await until(pilot, lambda: screen.embedded.url is not None)
    return screen


async def call(screen: FlatAgentScreen, tool: str, **arguments: Any) -> tuple[str, bool]:
    headers = {"Authorization": f"Bearer {screen.embedded.token}"}
    assert screen.embedded.url is not None
    transport = streamable_http_client(screen.embedded.url, http_client=create_mcp_http_client(headers=headers))
    async with Client(transport) as client:
        result = await client.call_tool(f"file_memory_{tool}", arguments)
    (block,) = result.content
    assert block.type == "text"
    return block.text, bool(result.is_error)


async def test_calls_show_as_they_come_and_can_be_taken_back(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        assert "every client may change every file" in shown(screen)
        await call(screen, "read", file_name="a.md")
        await call(screen, "replace", file_name="a.md", old_string="one", new_string="two")
        await until(pilot, lambda: len([e for e in screen.history.entries if not e.call.is_pending]) == 2)
        await press(pilot, "f")
        text = shown(screen)
        assert "file_memory_replace" in text
        assert "a.md" in text
        assert "two" in text
        await steps(pilot, "u", "down", "enter")
        await until(pilot, lambda: (memory / "a.md").read_bytes() == b"one\n")


@pytest.mark.parametrize("tool", ["write", "delete"])
async def test_new_and_deleted_files_are_taken_back_as_well(memory: Path, tool: str) -> None:
    before = {path.name: path.read_bytes() for path in memory.glob("*.md")}
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        if tool == "write":
            await call(screen, "write", file_name="b.md", content="x", description="d")
        else:
            await call(screen, "delete", file_name="a.md")
        await until(pilot, lambda: any(not e.call.is_pending for e in screen.history.entries))
        await steps(pilot, "f", "u", "down", "enter")
        await until(pilot, lambda: len(screen.history.entries) == 2)
    assert {path.name: path.read_bytes() for path in memory.glob("*.md") if path.name != "memories.md"} == before


async def test_a_description_of_several_lines_waits_and_comes_back_as_it_was(memory: Path) -> None:
    (memory / "a.md_description.md").write_bytes(b"first\nsecond\n")
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        await press(pilot, "A")
        writing = asyncio.create_task(call(screen, "write", file_name="a.md", content="two\n", description="third\n4"))
        await until(pilot, lambda: bool(screen.embedded.gate.waiting()))
        await press(pilot, "ctrl+g")
        await until(pilot, lambda: "third␤4" in shown(app.screen))
        assert "a.md" in shown(app.screen).split("A change waits", 1)[1]
        await press(pilot, "a")
        assert await writing == ('File "a.md" written with description.', False)
        await until(pilot, lambda: any(not e.call.is_pending for e in screen.history.entries))
        await steps(pilot, "f", "u", "down", "enter")
        await until(pilot, lambda: (memory / "a.md").read_bytes() == b"one\n")
        await until(pilot, lambda: (memory / "a.md_description.md").read_bytes() == b"first\nsecond\n")


async def test_a_file_changed_since_is_not_taken_back(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        await call(screen, "write", file_name="a.md", content="two\n")
        await until(pilot, lambda: any(not e.call.is_pending for e in screen.history.entries))
        (memory / "a.md").write_bytes(b"theirs\n")
        await steps(pilot, "f", "u", "down", "enter")
        await until(pilot, lambda: "was changed since" in shown(screen))
    assert (memory / "a.md").read_bytes() == b"theirs\n"


async def test_a_change_waits_and_shows_what_it_would_do(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        await press(pilot, "A")
        calling = asyncio.create_task(call(screen, "replace", file_name="a.md", old_string="one", new_string="two"))
        await until(pilot, lambda: bool(screen.embedded.gate.waiting()))
        await press(pilot, "1", "ctrl+g")
        assert isinstance(app.screen, GateScreen)
        await until(pilot, lambda: "two" in shown(app.screen))
        assert (memory / "a.md").read_bytes() == b"one\n"
        await press(pilot, "a")
        text, is_error = await calling
        assert (text, is_error) == ('Replaced 1 occurrence(s) in "a.md".', False)
    assert (memory / "a.md").read_bytes() == b"two\n"


async def test_the_changed_file_opens_in_browse(memory: Path) -> None:
    (memory / "b.md").write_bytes(b"b")
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        await call(screen, "write", file_name="b.md", content="two\n")
        await until(pilot, lambda: any(not e.call.is_pending for e in screen.history.entries))
        await steps(pilot, "f", "b")
        await until(pilot, lambda: flat(app).preview.text == "two\n")
        assert flat(app).files.list.current_key == "b.md"


async def test_clients_are_told_the_right_command(memory: Path) -> None:
    app = WenchangApp(open_flat(str(memory), Settings()))
    async with app.run_test(size=WIDE) as pilot:
        screen = await serve(pilot, app)
        setups = screen.embedded.setups(screen.caller)
        assert f"filememory:{memory}" in setups[-1].text("")
        await press(pilot, "i")
        assert isinstance(app.screen, SetupScreen)


async def test_there_is_nothing_to_play(memory: Path) -> None:
    app = app_over(memory)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "4", "p")
        assert agent(app)
        assert "walkthrough" not in shown(app.screen)

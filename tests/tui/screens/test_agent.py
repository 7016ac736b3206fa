"""The Agent screen, with a real client that calls from another thread, or from another process."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import Implementation
from textual.pilot import Pilot

from tests.tui.agent.samples import append, call, conflict
from tests.tui.screens.drive import browse, demo_workspace, grants, keys_of, press, settled, shown, until, workspace
from wenchang.file_format import FileMetadata
from wenchang.gate import Gate
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.history import MAX_CALLS, outcome
from wenchang_tui.app import WenchangApp
from wenchang_tui.config import state_path
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, open_folder
from wenchang_tui.screens.agent import AgentScreen
from wenchang_tui.screens.agent_dialogs import AskDialog, NameDialog
from wenchang_tui.screens.agent_gate import GateScreen
from wenchang_tui.screens.agent_session import SessionScreen
from wenchang_tui.screens.agent_setup import SetupScreen

INK = {"scope": "user", "area": "notes", "name": "ink"}
INK_KEY = "user/u/notes/ink.md"
NEW_INK = {**INK, "content": "- [stated] Black.\n", "description": "Ink", "aliases": ["墨"], "expected_version": None}
WIDE = (140, 40)

Answers = list[dict[str, Any]]


def space() -> Workspace:
    return workspace(InMemoryStorage(), grants(user="u"), name="test")


def agent(app: Any) -> AgentScreen:
    return cast(AgentScreen, app._frames["agent"])


async def use(url: str, token: str, *calls: tuple[str, dict[str, Any]]) -> Answers:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    me = Implementation(name="pen", version="1.0")
    async with Client(streamable_http_client(url, http_client=http), client_info=me) as client:
        return [(await client.call_tool(tool, given)).structured_content or {} for tool, given in calls]


def calling(app: Any, *calls: tuple[str, dict[str, Any]]) -> "asyncio.Task[Answers]":
    """A client that works in a thread of its own, as an agent does."""
    embedded = agent(app).embedded
    assert embedded.url is not None
    assert embedded.token is not None
    url, token = embedded.url, embedded.token
    return asyncio.create_task(asyncio.to_thread(lambda: asyncio.run(use(url, token, *calls))))


async def called(pilot: Pilot[None], *calls: tuple[str, dict[str, Any]]) -> Answers:
    """Make calls, and wait until the screen has taken them in."""
    screen = agent(pilot.app)
    before = len(ended(screen))
    answers = await calling(pilot.app, *calls)
    await until(pilot, lambda: len(ended(screen)) == before + len(calls))
    await settled(pilot)
    return answers


def ended(screen: AgentScreen) -> list[str]:
    return [entry.key for entry in screen.history.entries if not entry.call.is_pending]


@asynccontextmanager
async def watching(
    opened: Workspace | None = None, *, size: tuple[int, int] = (80, 24), serving: bool = True
) -> AsyncIterator[Pilot[None]]:
    """The app on its Agent screen."""
    app = WenchangApp(opened or space())
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "4")
        if serving:
            await press(pilot, "t")
            await until(pilot, lambda: agent(app).embedded.url is not None)
            await settled(pilot)
        yield pilot


def is_open(url: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) == 0


# the server


async def test_one_key_starts_the_server_and_stops_it() -> None:
    async with watching(serving=False) as pilot:
        assert "not serving" in shown(pilot.app.screen)
        await press(pilot, "t")
        await until(pilot, lambda: "● serving  http://127.0.0.1:" in shown(pilot.app.screen))
        url = agent(pilot.app).embedded.url
        assert url is not None
        assert is_open(url)
        await press(pilot, "t")
        await until(pilot, lambda: "not serving" in shown(pilot.app.screen))
        assert not is_open(url)


async def test_the_server_ends_with_the_app() -> None:
    async with watching() as pilot:
        url = agent(pilot.app).embedded.url
        await press(pilot, "1")
    assert url is not None
    assert not is_open(url)


async def test_without_anybody_to_serve_it_says_who_could_be() -> None:
    opened = workspace(InMemoryStorage(), Settings(), name="test")
    async with watching(opened, serving=False) as pilot:
        assert "nobody" in shown(pilot.app.screen).split("\n")[2]
        await press(pilot, "t", "i")
        assert agent(pilot.app).embedded.url is None


def test_nothing_heavy_is_imported_before_the_server_or_the_walkthroughs_start() -> None:
    heavy = "{'mcp', 'mcp_types', 'uvicorn', 'starlette', 'pydantic', 'httpx'}"
    code = f"import sys, wenchang_tui.app, wenchang_tui.screens.agent_play; print({heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert found.stdout.strip() == "set()"


# calls


async def test_calls_show_as_they_end_with_what_became_of_them() -> None:
    async with watching(size=WIDE) as pilot:
        await called(
            pilot,
            ("get_memory_index", {}),
            ("write_file", NEW_INK),
            ("append_line", {**INK, "line": "- [stated] Blue.", "expected_version": "7"}),
            ("write_file", {**NEW_INK, "area": "system"}),
            ("read_file", {"scope": "user"}),
        )
        screen = agent(pilot.app)
        outcomes = [outcome(entry.call) for entry in screen.history.entries]
        assert outcomes == ["ok", "ok", "recoverable", "permanent", "rejected"]
        text = shown(pilot.app.screen)
        assert "5 calls  3 errors" in text
        assert all(word in text for word in ("user/notes/ink", "+5 -0", "recoverable", "permanent", "rejected"))
        assert screen.calls.list.current_key == "5"


async def test_the_call_under_the_cursor_shows_change_answer_arguments_and_client() -> None:
    async with watching(size=WIDE) as pilot:
        await called(pilot, ("write_file", NEW_INK))
        await called(pilot, ("append_line", {**INK, "line": "- [stated] Blue.", "expected_version": "1"}))
        text = shown(pilot.app.screen)
        assert "change  +2 -1  version 1 to 2" in text
        assert "+ - [stated] Blue." in text
        assert "  - [stated] Black." in text
        assert 'expected_version  "1"' in text
        assert "client    pen 1.0" in text
        await press(pilot, "up")
        text = shown(pilot.app.screen)
        assert "a new file, version 1" in text
        assert '+ aliases       ["墨"]' in text


async def test_an_error_shows_its_category_and_the_sentence_that_the_agent_got() -> None:
    async with watching(size=WIDE) as pilot:
        await called(pilot, ("read_file", INK))
        text = shown(pilot.app.screen)
        assert 'category  "recoverable"' in text
        assert "No file exists at scope user" in text


async def test_the_newest_call_is_followed_until_somebody_moves_away() -> None:
    async with watching(serving=False) as pilot:
        screen = agent(pilot.app)
        for call_ in (call(1), call(2)):
            screen.embedded.recorder.add(call_)
        await until(pilot, lambda: keys_of(screen.calls.list) == ["1", "2"])
        assert screen.calls.list.current_key == "2"
        await press(pilot, "up")
        screen.embedded.recorder.add(call(3))
        await until(pilot, lambda: keys_of(screen.calls.list) == ["1", "2", "3"])
        assert screen.calls.list.current_key == "1"
        assert "f follows the newest" in shown(pilot.app.screen)
        await press(pilot, "f")
        assert screen.calls.list.current_key == "3"
        await press(pilot, "O")
        assert keys_of(screen.calls.list) == ["3", "2", "1"]
        screen.embedded.recorder.add(call(4))
        await until(pilot, lambda: keys_of(screen.calls.list)[0] == "4")
        assert screen.calls.list.current_key == "4"


async def test_the_list_keeps_five_thousand_calls_and_says_what_it_let_go() -> None:
    async with watching(serving=False, size=WIDE) as pilot:
        screen = agent(pilot.app)
        for number in range(MAX_CALLS + 10):
            screen.embedded.recorder.add(call(number))
        await until(pilot, lambda: bool(screen.calls.list.rows))
        assert len(screen.calls.list.rows) == MAX_CALLS
        assert "10 older ones let go (keeps 5,000)" in shown(pilot.app.screen)
        await press(pilot, "slash", *"error")
        await until(pilot, lambda: "0 of 5,000 calls" in shown(pilot.app.screen))


async def test_typing_narrows_the_calls_and_escape_shows_all_again() -> None:
    async with watching(serving=False) as pilot:
        screen = agent(pilot.app)
        for one in (call(1), conflict(2), append(3)):
            screen.embedded.recorder.add(one)
        await until(pilot, lambda: len(screen.calls.list.rows) == 3)
        await press(pilot, "slash", *"append !ok")
        assert keys_of(screen.calls.list) == ["2"]
        assert "1 of 3 calls" in shown(pilot.app.screen)
        await press(pilot, "enter")
        assert screen.focused is screen.calls.list
        screen.embedded.recorder.add(conflict(4))
        await until(pilot, lambda: keys_of(screen.calls.list) == ["2", "4"])
        await press(pilot, "escape")
        assert keys_of(screen.calls.list) == ["1", "2", "3", "4"]


async def test_a_search_finds_calls_by_all_they_hold() -> None:
    async with watching(serving=False, size=WIDE) as pilot:
        screen = agent(pilot.app)
        for one in (call(1), conflict(2), append(3)):
            screen.embedded.recorder.add(one)
        await until(pilot, lambda: len(screen.calls.list.rows) == 3)
        await press(pilot, "s", *"changed since")
        assert keys_of(screen.calls.list) == ["2"]
        await press(pilot, "escape")
        await press(pilot, "s", *"blue")
        assert keys_of(screen.calls.list) == ["2", "3"]


async def test_a_call_is_copied_whole_and_its_answer_shown_as_it_was_sent() -> None:
    async with watching(serving=False) as pilot:
        screen = agent(pilot.app)
        screen.embedded.recorder.add(conflict(1))
        await until(pilot, lambda: len(screen.calls.list.rows) == 1)
        await press(pilot, "c")
        assert '"error": "VersionConflictError"' in pilot.app.clipboard
        await press(pilot, "J")
        assert "Payload of the call" in shown(pilot.app.screen)


async def test_clearing_asks_first_and_cancel_stands_first() -> None:
    async with watching(serving=False) as pilot:
        screen = agent(pilot.app)
        screen.embedded.recorder.add(call(1))
        await until(pilot, lambda: len(screen.calls.list.rows) == 1)
        await pilot.app.run_action("clear", screen)
        await settled(pilot)
        assert isinstance(pilot.app.screen, AskDialog)
        await press(pilot, "enter")
        assert len(screen.calls.list.rows) == 1
        await pilot.app.run_action("clear", screen)
        await press(pilot, "down", "enter")
        assert screen.calls.list.rows == []
        assert "no calls yet" in shown(pilot.app.screen)


async def test_hostile_texts_are_drawn_and_nothing_of_them_runs() -> None:
    hostile = "[@click=app.quit]x[/] \x1b[31m \x9b \u202e [/]\nnext \ud800"
    async with watching(serving=False, size=WIDE) as pilot:
        screen = agent(pilot.app)
        fields = {"caller": hostile, "client": hostile, "protocol": hostile, "note": hostile, "category": hostile}
        arguments = {hostile: hostile, "scope": hostile, "deep": [{hostile: [hostile]}]}
        screen.embedded.recorder.add(call(1, hostile, arguments=arguments, answer={hostile: hostile}, **fields))
        await until(pilot, lambda: len(screen.calls.list.rows) == 1)
        await settled(pilot)
        text = shown(pilot.app.screen)
        assert not set(text) & set("\x1b\x9b\u202e\ud800")
        assert "[@click=app.quit]x" in text


# files change


async def test_browse_marks_what_calls_change_also_in_memory() -> None:
    async with watching() as pilot:
        await press(pilot, "1")
        await settled(pilot)
        await calling(pilot.app, ("write_file", NEW_INK))
        await until(pilot, lambda: INK_KEY in keys_of(browse(pilot.app).files.list))
        assert "~" in shown(pilot.app.screen)


async def test_a_change_is_taken_back_after_a_question() -> None:
    opened = space()
    async with watching(opened) as pilot:
        await called(
            pilot, ("write_file", NEW_INK), ("append_line", {**INK, "line": "- [stated] Dry.", "expected_version": "1"})
        )
        await press(pilot, "u")
        assert "would get back the text" in shown(pilot.app.screen)
        await press(pilot, "enter")
        assert opened.store.read_file(INK_KEY).content == "- [stated] Black.\n- [stated] Dry.\n"
        await press(pilot, "u", "down", "enter")
        await until(pilot, lambda: opened.store.read_file(INK_KEY).content == "- [stated] Black.\n")
        await until(pilot, lambda: agent(pilot.app).calls.list.current_key == "3")
        assert "revert" in shown(pilot.app.screen)


async def test_a_later_change_is_a_conflict_and_stays() -> None:
    opened = space()
    async with watching(opened) as pilot:
        await called(pilot, ("write_file", NEW_INK))
        metadata = FileMetadata("Mine", (), frozenset(), opened.store.read_file(INK_KEY).metadata.last_updated)
        version = opened.store.read_file(INK_KEY).version
        opened.store.write_file(INK_KEY, "mine\n", metadata, version, source="me")
        await press(pilot, "u", "down", "enter")
        await until(pilot, lambda: "Conflict" in shown(pilot.app.screen))
        assert "version 2 now" in shown(pilot.app.screen)
        assert opened.store.read_file(INK_KEY).content == "mine\n"


async def test_a_changed_file_opens_in_browse() -> None:
    async with watching() as pilot:
        await called(pilot, ("write_file", NEW_INK))
        await press(pilot, "b")
        await until(pilot, lambda: browse(pilot.app).files.list.current_key == INK_KEY)


# sessions and logs


async def test_calls_are_saved_and_opened_again_read_only() -> None:
    async with watching(serving=False, size=WIDE) as pilot:
        screen = agent(pilot.app)
        for one in (call(1), append(2)):
            screen.embedded.recorder.add(one)
        await until(pilot, lambda: len(screen.calls.list.rows) == 2)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, NameDialog)
        await press(pilot, "enter")
        await until(pilot, lambda: bool(list((state_path() / "sessions").glob("*.json"))))
        await press(pilot, "E")
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await settled(pilot)
        session = cast(SessionScreen, pilot.app.screen)
        assert [entry.call for entry in session.calls.list.rows] == [call(1), append(2)]
        assert "as nobody" in shown(session)
        assert "read-only" in shown(session)
        await press(pilot, "u", "down")
        assert isinstance(pilot.app.screen, SessionScreen)
        assert "+ - [stated] Blue." in shown(pilot.app.screen)
        await press(pilot, "escape")
        assert cast(object, pilot.app.screen) is screen


async def test_a_file_is_not_replaced_and_what_is_no_session_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    async with watching(serving=False, size=(240, 40)) as pilot:
        screen = agent(pilot.app)
        screen.embedded.recorder.add(call(1))
        await until(pilot, lambda: len(screen.calls.list.rows) == 1)
        for key, sentence in (("ctrl+s", "exists already"), ("E", "is no saved session")):
            await press(pilot, key)
            cast(NameDialog, pilot.app.screen).input.value = str(other)
            await press(pilot, "enter")
            await until(pilot, lambda sentence=sentence: sentence in shown(pilot.app.screen))  # type: ignore[misc]
    assert other.read_text() == "{}"


async def test_calls_of_a_server_in_another_process_show_too(tmp_path: Path) -> None:
    opened = open_folder(tmp_path, grants(user="u"))
    async with watching(opened, serving=False) as pilot:
        log = agent(pilot.app).embedded.call_log
        await until(pilot, log.parent.is_dir)
        command = [sys.executable, "-m", "wenchang_tui", "serve", str(tmp_path), "--http", "--token", "t" * 20,
                   "--grant=user=u", "--call-log", str(log)]  # fmt: skip
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            line = await asyncio.to_thread(server.stderr.readline)
            url = next(word for word in line.split() if word.startswith("http")).rstrip(";")
            await asyncio.to_thread(lambda: asyncio.run(use(url, "t" * 20, ("write_file", NEW_INK))))
            screen = agent(pilot.app)
            await until(pilot, lambda: len(screen.calls.list.rows) == 1)
            assert screen.call is not None
            assert screen.call.process == server.pid
            await press(pilot, "u", "down", "enter")
            await until(pilot, lambda: not list(tmp_path.glob("**/ink*")))
        finally:
            server.terminate()
            server.communicate(timeout=10)


# connecting


async def test_the_token_is_hidden_copied_revealed_and_hidden_again_below_anything() -> None:
    async with watching(size=WIDE) as pilot:
        token = agent(pilot.app).embedded.token
        assert token is not None
        await press(pilot, "i")
        assert isinstance(pilot.app.screen, SetupScreen)
        assert "claude mcp add" in shown(pilot.app.screen)
        assert "user=u (owner)" in shown(pilot.app.screen)
        assert token not in shown(pilot.app.screen)
        await press(pilot, "c")
        assert token in pilot.app.clipboard
        await press(pilot, "r")
        assert token in shown(pilot.app.screen).replace("\n", "")
        pilot.app.action_command_palette()
        await until(pilot, lambda: not isinstance(pilot.app.screen, SetupScreen))
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, SetupScreen))
        assert token not in shown(pilot.app.screen)
        assert token not in pilot.app.export_screenshot()


async def test_a_new_token_shuts_the_old_one_out() -> None:
    async with watching() as pilot:
        embedded = agent(pilot.app).embedded
        url, old = embedded.url, embedded.token
        await press(pilot, "i", "N")
        assert isinstance(pilot.app.screen, AskDialog)
        await press(pilot, "down", "enter")
        await until(pilot, lambda: embedded.token != old and embedded.url == url)
        assert len(await called(pilot, ("get_memory_index", {}))) == 1
        assert url is not None
        assert old is not None
        with pytest.raises(BaseException, match=r"token|unhandled errors"):
            await asyncio.to_thread(lambda: asyncio.run(use(url, old, ("get_memory_index", {}))))


# asking first


async def waits(pilot: Pilot[None], number: int = 1) -> None:
    await until(pilot, lambda: len(agent(pilot.app).embedded.gate.waiting()) == number)
    await until(pilot, lambda: f"{number} change" in shown(pilot.app.screen))


async def test_a_change_waits_with_what_it_would_do_until_it_is_approved_from_any_screen() -> None:
    opened = space()
    async with watching(opened) as pilot:
        await press(pilot, "A")
        await until(pilot, lambda: "asks first" in shown(pilot.app.screen).split("\n")[1])
        await press(pilot, "1")
        assert "asks first" in shown(pilot.app.screen).split("\n")[1]
        writing = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        await press(pilot, "ctrl+g")
        await until(pilot, lambda: "+ - [stated] Black." in shown(pilot.app.screen))
        text = shown(pilot.app.screen)
        assert "A change waits: write_file" in text
        assert "s left, then nothing is changed" in text
        assert "pen 1.0" in text
        assert opened.storage.get(INK_KEY) is None
        await press(pilot, "a")
        assert (await writing)[0]["version"] == "1"
        await until(pilot, lambda: not isinstance(pilot.app.screen, GateScreen))
        assert opened.store.read_file(INK_KEY).content == "- [stated] Black.\n"


async def test_a_change_is_refused_with_a_reason_that_the_agent_reads() -> None:
    opened = space()
    async with watching(opened) as pilot:
        await press(pilot, "A")
        writing = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        await press(pilot, "ctrl+g")
        await until(pilot, lambda: "+ - [stated] Black." in shown(pilot.app.screen))
        await press(pilot, "r", *"Not ink, again", "enter")
        answer = (await writing)[0]
        assert answer["category"] == "permanent"
        assert 'The reason given: "Not ink, again".' in answer["message"]
        assert opened.storage.get(INK_KEY) is None


async def test_the_waiting_call_shows_in_the_list_with_its_countdown_and_reading_goes_on() -> None:
    async with watching(size=WIDE) as pilot:
        await press(pilot, "A")
        writing = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        await until(pilot, lambda: "would change  +" in shown(pilot.app.screen))
        assert "waits 4" in shown(pilot.app.screen)
        assert (await called(pilot, ("get_memory_index", {})))[0] == {"entries": [], "capped": []}
        assert not writing.done()
        await press(pilot, "up", "enter")
        assert isinstance(pilot.app.screen, GateScreen)
        await press(pilot, "escape")
        await press(pilot, "p")
        assert "1 change waits" in shown(pilot.app.screen).split("\n")[1]
        await press(pilot, "escape")
        await press(pilot, "A")
        assert isinstance(pilot.app.screen, AskDialog)
        await press(pilot, "down", "enter")
        assert (await writing)[0]["version"] == "1"
        await until(pilot, lambda: "asks first" not in shown(pilot.app.screen).split("\n")[1])


async def test_nothing_that_is_not_in_sight_can_be_approved() -> None:
    opened = space()
    async with watching(opened) as pilot:
        await press(pilot, "A")
        one = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        other = calling(pilot.app, ("write_file", {**NEW_INK, "name": "paper"}))
        await waits(pilot, 2)
        await press(pilot, "ctrl+g")
        await until(pilot, lambda: "notes/ink" in shown(pilot.app.screen) and "2 wait" in shown(pilot.app.screen))
        await press(pilot, "n")
        await until(pilot, lambda: "notes/paper" in shown(pilot.app.screen))
        await press(pilot, "r", "escape", "a")
        assert (await other)[0]["name"] == "paper"
        await until(pilot, lambda: "notes/ink" in shown(pilot.app.screen))
        await press(pilot, "escape")
        assert not one.done()
        agent(pilot.app).embedded.gate.let_through()
        await one


async def test_a_change_that_nobody_answers_is_told_so_and_the_question_closes() -> None:
    async with watching(serving=False) as pilot:
        agent(pilot.app).embedded.gate = Gate(wait_s=1.0)
        await press(pilot, "t")
        await until(pilot, lambda: agent(pilot.app).embedded.url is not None)
        await press(pilot, "A")
        writing = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        await press(pilot, "ctrl+g")
        assert isinstance(pilot.app.screen, GateScreen)
        assert (await writing)[0]["category"] == "transient"
        await until(pilot, lambda: not isinstance(pilot.app.screen, GateScreen))


async def test_a_question_that_is_answered_closes_once() -> None:
    async with watching() as pilot:
        await press(pilot, "A")
        writing = calling(pilot.app, ("write_file", NEW_INK))
        await waits(pilot)
        await press(pilot, "ctrl+g")
        question = pilot.app.screen
        assert isinstance(question, GateScreen)
        await until(pilot, lambda: "would change" in shown(question))
        question.action_approve()
        question.tick()  # its clock may strike once more before it is gone
        assert (await writing)[0]["version"] == "1"
        await until(pilot, lambda: not isinstance(pilot.app.screen, GateScreen))
        assert agent(pilot.app).is_active


async def test_asked_for_when_nothing_waits_the_app_says_so() -> None:
    async with watching(demo_workspace(), serving=False) as pilot:
        await press(pilot, "ctrl+g")
        assert isinstance(pilot.app.screen, AgentScreen)

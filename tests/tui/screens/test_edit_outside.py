"""The body goes to the person's own editor and comes back byte for byte; whatever goes wrong there, nothing is lost."""

import stat
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.tui.screens.drive import settled, until
from tests.tui.screens.editing import (
    BODY,
    KEY,
    agent_writes,
    app_over,
    at_file,
    content_of,
    keys,
    reviewed,
    said,
    screen,
    stored,
    write,
)
from wenchang_tui.config import state_path
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.outside import run_outside

Runner = Callable[[App[Any], Sequence[str]], Awaitable[Problem | None]]


@pytest.fixture(autouse=True)
def _editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "my-editor --wait")


def leaving(data: bytes | None, problem: Problem | None = None) -> tuple[Runner, list[tuple[list[str], bytes, int]]]:
    """An editor that leaves these bytes, and what it was given: its words, the file's bytes and permissions."""
    given: list[tuple[list[str], bytes, int]] = []

    async def run(_: App[Any], words: Sequence[str]) -> Problem | None:
        path = Path(words[-1])
        given.append((list(words[:-1]), path.read_bytes(), stat.S_IMODE(path.stat().st_mode)))
        if data is not None:
            path.write_bytes(data)
        return problem

    return run, given


def leftovers() -> list[Path]:
    return [path for path in (state_path() / "editor").rglob("*") if path.is_file()]


async def edit_with(pilot: Pilot[None], run: Runner) -> None:
    screen(pilot.app).outside.run = run
    await pilot.press("ctrl+o")
    await settled(pilot)


async def test_the_body_goes_out_with_what_is_typed_and_comes_back_to_be_saved() -> None:
    storage = stored()
    agent_writes(storage, "a\u202eb\r\n", aliases=("a", "b"))
    run, given = leaving("q\u202eb\r\nsecond\r\n".encode())
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await write(pilot, "x")
        await edit_with(pilot, run)
        assert given == [(["my-editor", "--wait"], "xa\u202eb\r\n".encode(), 0o600)]
        assert leftovers() == []
        await reviewed(pilot)
        assert content_of(storage) == ("a\u202eb\r\n".encode(), "Rules", ["a", "b"])
        await keys(pilot, "ctrl+s")
        assert content_of(storage) == ("q\u202eb\r\nsecond\r\n".encode(), "Rules", ["a", "b"])


async def test_a_file_that_somebody_changed_while_the_editor_was_open_is_a_conflict() -> None:
    storage = stored()

    async def run(_: App[Any], words: Sequence[str]) -> None:
        Path(words[-1]).write_text(BODY + "mine\n")
        agent_writes(storage, "theirs\n" + BODY, aliases=("a", "b"))

    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await edit_with(pilot, run)
        await reviewed(pilot)
        await keys(pilot, "ctrl+s", "ctrl+s")
        assert content_of(storage) == (f"theirs\n{BODY}mine\n".encode(), "Rules", ["a", "b"])


async def test_what_comes_to_nothing_outside_leaves_the_text_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = stored()
    before = storage.get(KEY)
    async with app_over(storage).run_test() as pilot:
        await at_file(pilot)
        await edit_with(pilot, leaving(None)[0])
        assert "Nothing changed" in said(pilot.app)
        await keys(pilot, "ctrl+s")
        assert storage.get(KEY) == before

        await edit_with(pilot, leaving(b"half", Problem("The editor gave up", "it ended with status 1.", ""))[0])
        (half,) = leftovers()
        assert half.read_bytes() == b"half"
        assert str(half) in said(pilot.app)

        await edit_with(pilot, leaving(b"\xff\xfe")[0])
        assert "no UTF-8 text" in said(pilot.app)
        assert sorted(path.read_bytes() for path in leftovers()) == [b"half", b"\xff\xfe"]

        await edit_with(pilot, run_outside)
        await until(pilot, lambda: "cannot be lent" in said(pilot.app))
        assert len(leftovers()) == 2

        monkeypatch.delenv("EDITOR")
        await keys(pilot, "ctrl+o")
        assert "Neither VISUAL nor EDITOR" in said(pilot.app)

        assert screen(pilot.app).pane.body.text == BODY
        await write(pilot, "x")
        assert screen(pilot.app).pane.body.text == "x" + BODY

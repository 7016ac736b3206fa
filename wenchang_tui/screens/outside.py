"""The person's own editor in the terminal of the app, while the app goes on underneath without drawing."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from textual.app import App, SuspendNotSupported

from wenchang.paths import parse_path
from wenchang_tui.config import state_path
from wenchang_tui.model.editing import Edit
from wenchang_tui.model.external_editor import editor_command, finish_editing, start_editing
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.screens.frame import Frame

RunOutside: TypeAlias = Callable[[App[Any], Sequence[str]], Awaitable[Problem | None]]


async def run_outside(app: App[Any], words: Sequence[str]) -> Problem | None:
    """Hand the terminal to a program until it ends; a problem when it could not be run, or says that it failed."""
    try:
        with app.suspend():
            return await _run(words)
    except SuspendNotSupported:
        return Problem("No editor here", "This terminal cannot be lent to another program.", "Edit the text here.")


async def _run(words: Sequence[str]) -> Problem | None:
    """Never raises: what is raised while the app is suspended leaves it so for good."""
    try:
        process = await asyncio.create_subprocess_exec(*words)
        status = await process.wait()
    except FileNotFoundError:
        return Problem("No such editor", f"There is no program {words[0]}.", "Set EDITOR to one that there is.")
    except Exception as error:
        return describe(error)
    if status:
        return Problem("The editor gave up", f"{words[0]} ended with status {status}.", "The text is as it was.")
    return None


class Outside:
    """A body on its way to the person's editor and back; `on_body` gets the key, and the body when it is another."""

    def __init__(self, frame: Frame, on_body: Callable[[str, str], None]) -> None:
        self._frame = frame
        self._on_body = on_body
        self.run: RunOutside = run_outside

    def start(self, edit: Edit) -> None:
        """Lend the terminal, in a worker of the loop."""
        words = editor_command(os.environ)
        if words is None:
            self._frame.say(Problem("No editor", "Neither VISUAL nor EDITOR names one.", "Set one, or edit here."))
        else:
            work = self._edit(edit, words)
            self._frame.run_worker(work, exclusive=True, group="outside", exit_on_error=False)

    async def _edit(self, edit: Edit, words: Sequence[str]) -> None:
        path = start_editing(state_path() / "editor", parse_path(edit.key).name, edit.content.body)
        if isinstance(path, Problem):
            self._frame.say(path)
            return
        problem = await self.run(self._frame.app, [*words, str(path)])
        if problem is not None and path.read_bytes() != edit.content.body.encode():
            self._frame.say(replace(problem, next_step=f"What it left is in {path}; the text here is as it was."))
            return
        body = finish_editing(path)
        if problem is not None or isinstance(body, Problem):
            self._frame.say(problem or (body if isinstance(body, Problem) else None))
        elif body == edit.content.body:
            self._frame.notify("The text came back as it was.", title="Nothing changed")
        else:
            self._on_body(edit.key, body)

"""The person's own editor in the terminal of the app, while the app goes on underneath without drawing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from textual.app import App, SuspendNotSupported

from wenchang_tui.model.problems import Problem, describe

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

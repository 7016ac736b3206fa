"""A person who presses the keys of the app for as long as it runs: looks around, edits, saves, meets conflicts.

What the app asks its storage to change is written down there, so that it does not matter which keys led to it.
"""

import asyncio
import random
from pathlib import Path

from textual import events

from tests.soaking.histories import BY_HAND, Change, Journal, marks_in
from wenchang.identity import Identity
from wenchang.paths import parse_path
from wenchang.storage import PreconditionFailedError, Storage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import workspace_over

_LOOKING = [*"123456", "down", "down", "up", "enter", "escape", "escape", "tab", "pagedown", "end", "home", "r", "J",
            "v", "question_mark", "ctrl+p", "slash", "f5", "plus", "underscore", "f3", "f9"]  # fmt: skip
_SETTLING = ["ctrl+r", "t", "m", "ctrl+s", "enter", "escape"]
_NAMES = {" ": "space", "-": "minus", "[": "left_square_bracket", "]": "right_square_bracket", "\n": "enter",
          "<": "less_than_sign", ">": "greater_than_sign"}  # fmt: skip


def keep_account(storage: Storage, journal: Journal, *, certain: bool) -> None:
    """Write down every guarded change that is asked of `storage`; a refusal proves something only if `certain`."""
    put, delete = storage.put_if_version, storage.delete_if_version

    def begin(kind: str, key: str, expected: str | None, data: bytes) -> int:
        standing = storage.get(key)
        is_base = standing is not None and standing.version == expected
        before = marks_in(standing.data.decode()) if standing and is_base else []
        after = marks_in(data.decode())
        place = parse_path(key)
        adds, removes = [m for m in after if m not in before], [m for m in before if m not in after]
        return journal.begin(Change(kind, f"{place.scope}/{place.area}/{place.name}", expected, adds, removes))

    def put_if_version(key, data, metadata, expected):  # type: ignore[no-untyped-def]
        number = begin(BY_HAND, key, expected, data)
        try:
            version = put(key, data, metadata, expected)
        except PreconditionFailedError:
            if certain:
                journal.end(number, "refused")
            raise
        journal.end(number, "done", version)
        return version

    def delete_if_version(key, expected):  # type: ignore[no-untyped-def]
        number = begin("deleted by hand", key, expected, b"")
        try:
            delete(key, expected)
        except PreconditionFailedError:
            if certain:
                journal.end(number, "refused")
            raise
        journal.end(number, "done")

    vars(storage).update(put_if_version=put_if_version, delete_if_version=delete_if_version)


def run_person(
    target: str, storage: Storage, identity: Identity, journal: Journal, name: str, dice: random.Random
) -> None:
    """The whole life of one person, in a process of its own. An app that ends by itself is written down as broken."""
    is_folder = "://" not in target
    keep_account(storage, journal, certain=is_folder)
    kind, root = ("folder", Path(target)) if is_folder else ("bucket", None)
    settings = Settings(grants=identity.grants)
    workspace = workspace_over(target, kind, storage, settings, root)
    person = _Person(WenchangApp(workspace), name, dice)
    try:
        asyncio.run(person.live())
    except BaseException as error:
        journal.broken(f"the app ended with {type(error).__name__}: {error}")
        raise
    journal.broken("the app ended")


class _Person:
    def __init__(self, app: WenchangApp, name: str, dice: random.Random) -> None:
        self._app, self._name, self._dice = app, name, dice
        self._mark = 0

    async def live(self) -> None:
        async with self._app.run_test(size=(120, 40), notifications=True):
            while self._app.is_running:
                await (self._edit() if self._dice.random() < 0.3 else self._look())

    async def _look(self) -> None:
        await self._press(*self._dice.choices(_LOOKING, k=self._dice.randint(1, 8)))

    async def _edit(self) -> None:
        """Go to some file, add a line to it, save, and do something about a conflict, should there be one."""
        self._mark += 1
        await self._press("escape", "escape", "escape", "3", "home")
        if self._dice.random() < 0.2:
            await self._press("f4")  # the agents' own areas, too, or no more
        await self._press(*["down"] * self._dice.randrange(8), "enter", "ctrl+end")
        await self._press(*f"- [stated] <{self._name}-{self._mark}>\n")
        await self._press("ctrl+s", *self._dice.choices(_SETTLING, k=self._dice.randrange(6)))

    async def _press(self, *keys: str) -> None:
        """As a person does: without waiting for anything but a moment between two keys."""
        for key in keys:
            character = key if len(key) == 1 else None
            self._app.post_message(events.Key(_NAMES.get(key, key), character))
            await asyncio.sleep(self._dice.uniform(0.01, 0.1))

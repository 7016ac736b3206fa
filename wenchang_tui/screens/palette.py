"""The command palette: every command that applies to the screen below it, found by its name or by what it does."""

from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from textual.app import App
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.content import Content
from textual.widgets import Input

from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.frame import Frame
from wenchang_tui.widgets.commands import Command, Where, commands, key_label, unmet


class Palette(CommandPalette, Dialog[None]):
    """Textual's palette, taking only what the name of a command can be made of: nothing unsafe gets pasted into it."""

    def on_mount(self) -> None:
        """Restrict what is typed, after a sign that every terminal has."""
        self.query_one(Input).restrict = "[ -~]*"
        self.query_one(SearchIcon).icon = ":"

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError):  # a list that was not laid out yet has no pages, which Textual looks for all the same
            super()._action_command_list(action)


class CommandProvider(Provider):
    """The registry's commands, as the palette wants them."""

    async def discover(self) -> Hits:
        """All that can be used here and now."""
        for command in self._usable():
            yield DiscoveryHit(_title(command), lambda c=command: self._run(c), help=command.help)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for command in self._usable():
            score = max(matcher.match(command.name), matcher.match(command.help) * 0.5)
            if score > 0:
                yield Hit(score, _title(command), lambda c=command: self._run(c), help=command.help)

    def _usable(self) -> Iterator[Command]:
        screen = self.screen
        places = (screen.PLACE, Where.APP) if isinstance(screen, Frame) else (Where.APP,)
        met = screen.met_needs() if isinstance(screen, Frame) else set()
        return (command for command in commands(*places) if command.palette and unmet(command, met) is None)

    async def _run(self, command: Command) -> None:
        await cast(App[None], self.app).run_action(command.action, self.screen)


def _title(command: Command) -> Content:
    keys = f"  {key_label(command.keys[0])}" if command.keys else ""
    return Content.assemble(command.name, (keys, "dim"))

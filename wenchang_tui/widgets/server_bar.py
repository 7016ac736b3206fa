"""Two lines above the calls: where the server listens, and whether changes wait for a person."""

from dataclasses import dataclass
from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.style import Style

from wenchang_tui.widgets.bars import Clickable, clickable
from wenchang_tui.widgets.safe_text import safe_line


@dataclass(frozen=True, slots=True)
class ServerState:
    """What the bar shows. `url` is `None` while nothing is served; `note` says what is going on or in the way."""

    url: str | None = None
    asks_first: bool = False
    wait_s: int = 45
    policy: str = ""
    note: str = ""


class ServerBar(Clickable):
    """The state of the embedded server. What can be clicked does what the key beside it does."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"server--on", "server--off", "server--url", "server--ask", "server--dim"}
    DEFAULT_CSS = """
    ServerBar {
        height: 2;
        padding: 0 1;
        background: $surface;
        & > .server--on { color: $success; text-style: bold; }
        & > .server--off { color: $text-muted; text-style: bold; }
        & > .server--url { color: $foreground; text-style: bold; }
        & > .server--ask { background: $warning; color: $background; text-style: bold; }
        & > .server--dim { color: $text-muted; }
    }
    ServerBar:nocolor > .server--ask, ServerBar:ansi > .server--ask { text-style: reverse; }
    """

    state: reactive[ServerState] = reactive(ServerState())

    def render(self) -> Content:
        """Both lines."""
        width = self.content_size.width
        lines = [self._server_line(), self._gate_line()]
        return Content("\n").join([line.truncate(width, ellipsis=True) for line in lines])

    def _server_line(self) -> Content:
        state, dim = self.state, self._tone("dim")
        note = safe_line(state.note)
        if state.url is None:
            off = clickable(Content.styled("○ not serving", self._tone("off")), "screen.serve")
            return Content.assemble(off, "  ", (note or "t starts the server for agents on this machine", dim))
        on = clickable(Content.styled("● serving", self._tone("on")), "screen.serve")
        how = clickable(Content.styled(note or "i shows how to connect", dim), "screen.connect")
        return Content.assemble(on, "  ", (state.url, self._tone("url")), "  ", how)

    def _gate_line(self) -> Content:
        state, dim = self.state, self._tone("dim")
        if not state.asks_first:
            off = clickable(Content.styled("changes go through", dim), "screen.ask_first")
            return Content.assemble(off, (f", A asks first   policy: {safe_line(state.policy)}", dim))
        badge = clickable(Content.styled(" ASKS FIRST ", self._tone("ask")), "screen.ask_first")
        return Content.assemble(badge, (f"  each change waits {state.wait_s} s for you; reading never waits", dim))

    def _tone(self, name: str) -> Style:
        return self.get_visual_style(f"server--{name}")

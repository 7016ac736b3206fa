"""The lines around every screen: where one is and who is served, what keys do here, how large a terminal must be."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import ActiveBinding
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.widgets.commands import COMMANDS, Command, Where, commands, key_label
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.safe_text import ELLIPSIS, safe_line, shorten_start

MIN_WIDTH, MIN_HEIGHT = 80, 24
FLAT_TABS = frozenset({"browse", "agent"})
_GAP = 3
_PLACE_ROOM = 24


def clickable(text: Content, action: str) -> Content:
    """`text` that runs an action of ours when clicked in a `Clickable`; the action never holds stored text."""
    return text.stylize(Style.from_meta({"run": action}))


class Clickable(Widget):
    """Runs the actions of what is drawn with `clickable`, without the look of a link."""

    async def on_click(self, event: events.Click) -> None:
        """Run what was clicked."""
        action = event.style.meta.get("run")
        if isinstance(action, str):
            await self.run_action(action)


class TopBar(Clickable):
    """Two lines that are always in sight: the screens and the place; the identity that is served."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--brand",
        "bar--here",
        "bar--tab",
        "bar--badge",
        "bar--dim",
        "bar--trouble",
    }
    DEFAULT_CSS = """
    TopBar {
        dock: top;
        height: 2;
        background: $panel;
        color: $foreground;
        & > .bar--brand { color: $primary; text-style: bold; }
        & > .bar--here { background: $primary; color: $background; text-style: bold; }
        & > .bar--tab { color: $text-muted; }
        & > .bar--badge { background: $warning; color: $background; text-style: bold; }
        & > .bar--dim { color: $text-muted; }
        & > .bar--trouble { color: $warning; }
        &.-bucket > .bar--brand { color: $secondary; }
        &.-bucket > .bar--here { background: $secondary; }
    }
    TopBar:nocolor > .bar--here, TopBar:nocolor > .bar--badge { text-style: reverse; }
    TopBar:ansi > .bar--here, TopBar:ansi > .bar--badge { text-style: reverse; }
    """

    here: reactive[str] = reactive("")
    place: reactive[str] = reactive("")
    kind: reactive[str] = reactive("")
    read_only: reactive[bool] = reactive(False)
    identity: reactive[tuple[str, ...]] = reactive(("…",))
    """Who is served, in several wordings: the longest that fits is shown, the last where none does."""
    tabs: reactive[frozenset[str] | None] = reactive(None)
    """The screens that there are for what is open; `None` for all."""
    notice: reactive[str] = reactive("")
    """What must not be overlooked on any screen: that changes wait for a person, or would."""
    all_areas: reactive[bool] = reactive(False)
    """Whether a person may change the agent's own areas, too."""
    unsaved: reactive[bool] = reactive(False)
    """Whether there is text on Edit that is not saved."""
    trouble: reactive[str] = reactive("")
    """What keeps a storage far away from answering, while it does."""

    def show_place(self, opened: Workspace | FlatFolder) -> None:
        """Say what is open."""
        self.place, self.kind, self.read_only = opened.target, opened.kind, opened.settings.read_only
        self.tabs = FLAT_TABS if isinstance(opened, FlatFolder) else None

    def watch_kind(self, kind: str) -> None:
        """A bucket, which others share and pay for, looks different at first sight."""
        self.set_class(kind == "bucket", "-bucket")

    def render(self) -> Content:
        """Both lines."""
        return Content("\n").join([self._first_line(), self._second_line()])

    def _first_line(self) -> Content:
        """The name of the app goes first where room is short, then the kind, then the beginning of the place."""
        brand, tabs = Content.styled(" wenchang  ", self._tone("brand")), Content.assemble(*self._tabs())
        badge = Content.styled(" read-only ", self._tone("badge")) if self.read_only else Content("")
        place = safe_line(self.place or self.kind)
        words = place if f"{self.place}:".startswith(f"{self.kind}:") or not self.kind else f"{self.kind}  {place}"
        room = self.size.width - tabs.cell_length - badge.cell_length - 3
        if room - brand.cell_length >= min(_PLACE_ROOM, cell_len(words)):
            tabs, room = brand + tabs, room - brand.cell_length
        where = words if cell_len(words) <= room else shorten_start(place, room)
        gap = " " * (room - cell_len(where) + 1)
        return Content.assemble(tabs, gap, (where, self._tone("dim")), " ", badge, " ")

    def _tabs(self) -> Iterator[Content]:
        for command in _places():
            name = command.action.removeprefix("app.go('").removesuffix("')")
            if self.tabs is not None and name not in self.tabs:
                continue
            is_here = name == self.here
            mark = "*" if self.unsaved and name == "edit" else " "
            label = Content.styled(f" {command.keys[0]} {command.name}{mark}", self._tone("here" if is_here else "tab"))
            if self.here:
                yield clickable(label, command.action)

    def _second_line(self) -> Content:
        badge = Content.styled(f" {self.notice} " if self.notice else "", self._tone("badge"))
        curating = Content.styled(" curating all areas " if self.all_areas else "", self._tone("badge"))
        gap = " " if self.notice and self.all_areas else ""
        notice = Content.assemble(clickable(curating, "app.go('edit')"), gap, clickable(badge, "app.answer_waiting"))
        notice = Content.styled(f" {safe_line(self.trouble)} " if self.trouble else "", self._tone("trouble")) + notice
        room = self.size.width - 6 - notice.cell_length
        wordings = [safe_line(wording) for wording in self.identity]
        who = next((wording for wording in wordings if cell_len(wording) <= room), wordings[-1])
        left = Content.assemble((" as ", self._tone("dim")), Content(who).truncate(room, ellipsis=True))
        return Content.assemble(left, " " * (self.size.width - left.cell_length - notice.cell_length - 1), notice)

    def _tone(self, name: str) -> Style:
        return self.get_visual_style(f"bar--{name}")


def _places() -> list[Command]:
    return [command for command in commands(Where.APP) if command.action.startswith("app.go(")]


class KeyHints(Clickable):
    """The keys that matter most here and now; those that cannot be used are dim. A click does what the key does."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--key", "hints--off"}
    DEFAULT_CSS = """
    KeyHints {
        dock: bottom;
        height: 1;
        background: $panel;
        color: $text-muted;
        & > .hints--key { color: $primary; text-style: bold; }
        & > .hints--off { color: $text-disabled; }
    }
    """

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, _: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        """As many keys of the screen as fit, and on the right those that always work."""
        active = self.screen.active_bindings  # which asks each binding whether it can be used
        always = Content("").join(self._hints(active, is_always=True))
        room = self.size.width - always.cell_length + _GAP - 1
        shown = Content(" ")
        for hint in self._hints(active, is_always=False):
            if shown.cell_length + hint.cell_length > room:
                break
            shown = shown + hint
        return Content.assemble(shown, " " * max(0, room - shown.cell_length), always)

    def _hints(self, active: Mapping[str, ActiveBinding], *, is_always: bool) -> Iterator[Content]:
        for command in COMMANDS:
            key = command.keys[0] if command.footer and (command.where is Where.APP) == is_always else ""
            if key in active and active[key].binding.id == command.id:
                yield clickable(self._hint(command, active[key].enabled), f"app.simulate_key('{key}')")

    def _hint(self, command: Command, is_enabled: bool) -> Content:
        off = self.get_visual_style("hints--off")
        key_style, name_style = (self.get_visual_style("hints--key"), "") if is_enabled else (off, off)
        return Content.assemble((key_label(command.keys[0]), key_style), (f" {command.name}", name_style), " " * _GAP)


class PaneTitle(Clickable):
    """The line above a pane: its name or place on the left, what is going on in it on the right.

    Of a place too long for the line, the end is kept.
    """

    DEFAULT_CSS = """
    PaneTitle {
        height: 1;
        background: $panel;
        color: $text-muted;
        padding: 0 1;
    }
    """

    left: reactive[Content] = reactive(Content(""))
    right: reactive[Content] = reactive(Content(""))

    def __init__(self, left: str = "", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.left = Content(left)
        self._lanes: list[tuple[Lane[Any], str]] = []

    def track(self, lane: Lane[Any], doing: str) -> None:
        """Say what `lane` is doing whenever it is busy, and for how long once that takes seconds."""
        self._lanes.append((lane, doing))
        lane.on_busy = self._follow

    def _follow(self) -> None:
        self.auto_refresh = 0.25 if self._work() else None
        self.refresh()

    def _work(self) -> str:
        busy = ((lane, doing) for lane, doing in self._lanes if lane.busy)
        lane, doing = next(busy, (None, ""))
        seconds = int(lane.elapsed) if lane else 0
        return f"{doing}… {seconds} s, esc cancels" if seconds else f"{doing}…" if lane else ""

    def render(self) -> Content:
        """Both, the right one first where there is no room for both."""
        width = self.content_size.width
        work = self._work()
        right = (Content.assemble(self.right, "  " if work else "", work)).truncate(width, ellipsis=True)
        left = _keep_end(self.left, width - right.cell_length - 2)
        return Content.assemble(left, " " * max(0, width - left.cell_length - right.cell_length), right)


def _keep_end(text: Content, width: int) -> Content:
    if text.cell_length <= width:
        return text
    start = max(1, len(text) - max(0, width))
    while start < len(text) and text[start:].cell_length >= width:
        start += 1
    return Content(ELLIPSIS) + text[start:] if width > 0 else Content("")


class SizeGuard(Static):
    """Stands in for the whole screen where the terminal is too small for it."""

    DEFAULT_CSS = """
    SizeGuard {
        display: none;
        layer: guard;
        dock: top;
        width: 100%;
        height: 100%;
        background: $background;
        content-align: center middle;
        text-align: center;
    }
    """

    def __init__(self) -> None:
        super().__init__(f"wenchang needs {MIN_WIDTH}x{MIN_HEIGHT}", markup=False)

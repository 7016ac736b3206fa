"""The app itself: it wires screens, keys, signals and the watch on the folder together, and decides nothing.

What the first frame does not show is imported when it is wanted: a first frame must come soon.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType
from textual.command import Provider
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from wenchang.identity import Identity
from wenchang.storage.filesystem import key_of
from wenchang_tui.config import remember_theme, remembered_theme, state_path
from wenchang_tui.ending import EndingApp
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.flat_folder import FlatFolder, flat_key
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.model.safe import visible, visible_line
from wenchang_tui.model.workspace import Ambiguous, Workspace
from wenchang_tui.screens.frame import EDIT, FIRST, Frame, Served, serve
from wenchang_tui.screens.opening import OpeningScreen
from wenchang_tui.widgets.bars import MIN_HEIGHT, MIN_WIDTH
from wenchang_tui.widgets.commands import Need, Where, bindings, by_action, unmet
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.letting_go import let_go_of_closed_widgets
from wenchang_tui.widgets.plain import ON_DARK, ON_LIGHT
from wenchang_tui.widgets.themes import DARK, THEMES

PATIENCE_SECONDS = 2.0
TROUBLE_SECONDS = 5.0


def _command_provider() -> type[Provider]:
    from wenchang_tui.screens.palette import CommandProvider

    return CommandProvider


class WenchangApp(EndingApp):
    """What is open and its screens, or the welcome screen until there is something."""

    TITLE = "wenchang"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar = {_command_provider}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.APP)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MIN_WIDTH, "-fits"), (120, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (MIN_HEIGHT, "-high")]  # noqa: RUF012

    def __init__(
        self, opened: Workspace | FlatFolder | None, recent: Sequence[str] = (), problem: Problem | None = None
    ) -> None:
        super().__init__()
        let_go_of_closed_widgets()
        for theme in THEMES:
            self.register_theme(theme)
        wanted = os.environ.get("TEXTUAL_THEME") or remembered_theme()
        self.theme = wanted if wanted in self.available_themes else DARK.name
        self.opened = opened
        self._places: frozenset[str] = frozenset()
        self._recent, self._first_problem = recent, problem
        self._identity: Identity | Ambiguous | None = None
        self._problem: Problem | None = None
        self._served: Served | None = None
        self._selected = ""
        self._in_sight: Callable[[str, Sequence[FileRow]], None] = lambda _prefix, _rows: None
        self._quiet: Timer | None = None
        self._watching = Lane[frozenset[str]](self, self._store_changed, self._say)
        self._identifying = Lane[Identity | Ambiguous](self, self._show_identity, self._not_identified)
        self._serving = Lane[Served](self, self._show_served, self._say)
        self._remembering = Lane[int](self, self._remember)

    # starting

    def on_mount(self) -> None:
        """Open what was asked for."""
        if self.opened is None:
            self._welcome()

    def get_default_screen(self) -> Screen[None]:
        """What is painted first."""
        return OpeningScreen(self.opened) if self.opened else Screen()

    async def on_ready(self) -> None:
        """Open what was asked for, now that a first frame stands: what takes time is imported from here on."""
        if self.opened is not None:
            await self._open(self.opened)

    def _welcome(self) -> None:
        from wenchang_tui.screens.welcome import WelcomeScreen

        self.push_screen(WelcomeScreen(self._recent, self._first_problem), self._welcomed)

    async def _welcomed(self, opened: Workspace | FlatFolder | None) -> None:
        if opened is not None:
            await self._open(opened)

    async def _open(self, opened: Workspace | FlatFolder) -> None:
        from wenchang_tui.screens.places import places_of

        self.opened = opened
        places = places_of(opened)
        self._places = frozenset(places)
        for name, make in places.items():
            self.add_mode(name, partial(self._frame, name, make))
        await self.switch_mode(FIRST)  # no key that is typed meanwhile is lost
        if isinstance(opened, Workspace):
            self._watch_far(opened)
            self._identify(opened)
            self._remembering.run(lambda _: iter([_count_drafts(opened)]))
        if opened.root is not None:
            self._watch_folder(opened.root, key_of if isinstance(opened, Workspace) else flat_key)

    def _watch_folder(self, root: Path, key: Callable[[Path, str], str | None]) -> None:
        from wenchang_tui.model.changes import FolderWatcher

        self._watching.run(lambda _: FolderWatcher(root, key).watch(self.stopping))

    def _watch_far(self, workspace: Workspace) -> None:
        """Of a store that tells nothing by itself, look again at what is in sight, and say when it does not answer."""
        if workspace.retries is not None:
            workspace.retries.on_notice = partial(self.call_later, self._show_trouble)
        if workspace.catalog.is_far:
            from wenchang_tui.model.polling import PollingWatcher

            polling = PollingWatcher(workspace.storage)
            self._in_sight = polling.look_at
            self._watching.run(lambda _: polling.watch(self.stopping))

    def on_frame_listed(self, event: Frame.Listed) -> None:
        """Look again at the page that is in sight now, where nothing else tells of changes."""
        self._in_sight(event.prefix, event.rows)

    def _show_trouble(self, text: str) -> None:
        """Say on every screen that a request is sent again, until it has been quiet for a while."""
        self._tell_trouble(f"{text}, esc gives up")
        if self._quiet is not None:
            self._quiet.stop()
        self._quiet = self.set_timer(TROUBLE_SECONDS, partial(self._tell_trouble, ""))

    def _tell_trouble(self, text: str) -> None:
        for frame in self._frames.values():
            frame.top.trouble = text

    def _frame(self, name: str, make: Callable[[], Frame]) -> Frame:
        """A screen as it is first wanted, told what the others were told before."""
        frame = self._frames[name] = make()
        frame.selected = self._selected
        frame.show_identity(self._identity, self._problem)
        first = self._frames[FIRST].top
        frame.top.notice, frame.top.all_areas, frame.top.unsaved = first.notice, first.all_areas, first.unsaved
        frame.top.trouble = first.trouble
        if self._served is not None:
            frame.show_served(self._served)
        return frame

    def _say(self, problem: Problem | None) -> None:
        if problem is not None:
            self.notify(f"{problem.sentence} {problem.next_step}", title=problem.title, severity="error")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002
    ) -> None:
        """Show a message for a while. Whatever it quotes is made safe, and is never markup."""
        super().notify(visible(message), title=visible_line(title), severity=severity, timeout=timeout, markup=False)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Where no colour is wanted, none at all."""
        if self.no_color:
            return (ON_DARK if self.current_theme.dark else ON_LIGHT,)
        return super().get_line_filters()

    # what every screen is told

    def _identify(self, workspace: Workspace) -> None:
        self._identifying.run(lambda _: iter([workspace.identity()]))

    def _show_identity(self, identity: Identity | Ambiguous | None, problem: Problem | None = None) -> None:
        self._identity, self._problem = identity, problem
        for frame in self._frames.values():
            frame.show_identity(identity, problem)
        self._recollect()

    def _not_identified(self, problem: Problem | None) -> None:
        if problem is not None:
            self._show_identity(None, problem)

    def _look_again(self) -> None:
        """What is served anew; while that is nobody, who could be."""
        somebody = isinstance(self._identity, Identity) and self._identity.grants
        if isinstance(self.opened, Workspace) and not somebody:
            self._identify(self.opened)
        else:
            self._recollect()

    def _recollect(self) -> None:
        workspace, identity = self.opened, self._identity
        if isinstance(workspace, Workspace) and isinstance(identity, Identity):
            self._serving.run(lambda _: iter([serve(workspace, identity)]))

    def _show_served(self, served: Served) -> None:
        self._served = served
        for frame in self._frames.values():
            frame.show_served(served)

    def _store_changed(self, keys: frozenset[str]) -> None:
        for frame in self._frames.values():
            frame.store_changed(keys)
        self._look_again()

    def on_frame_selected(self, event: Frame.Selected) -> None:
        """Tell the others what is selected in Browse."""
        self._selected = event.prefix
        for frame in self._frames.values():
            frame.selected = event.prefix

    def on_frame_act_as(self, event: Frame.ActAs) -> None:
        """Serve whom a person named."""
        self._show_identity(event.identity)

    def on_frame_recollect(self) -> None:
        """Read what is served anew."""
        self._look_again()

    def on_frame_touched(self, event: Frame.Touched) -> None:
        """Mark what was changed."""
        self._store_changed(event.keys)

    def on_frame_notice(self, event: Frame.Notice) -> None:
        """Say everywhere that changes wait."""
        for frame in self._all_frames():
            frame.top.notice = event.text

    def on_frame_curating(self, event: Frame.Curating) -> None:
        """Show on every screen how curating stands."""
        for frame in self._all_frames():
            frame.top.all_areas, frame.top.unsaved = event.all_areas, event.unsaved

    def _all_frames(self) -> Iterator[Frame]:
        yield from self._frames.values()
        yield from (screen for screen in self.screen_stack if isinstance(screen, Frame))

    def _remember(self, drafts: int) -> None:
        """Say that text of an earlier visit waits."""
        if drafts:
            self.on_frame_curating(Frame.Curating(all_areas=False, unsaved=True))
            what = (
                "A text that was not saved is kept." if drafts == 1 else f"{drafts} texts that were not saved are kept."
            )
            words = f"{what} Press 3 to go on with it."
            self.call_after_refresh(self.notify, words, title="Unsaved text")

    def on_frame_open_in_browse(self, event: Frame.OpenInBrowse) -> None:
        """Go to Browse, and there to the file."""
        self.switch_mode(FIRST)
        self._frames[FIRST].open_file(event.key)

    def on_frame_open_in_edit(self, event: Frame.OpenInEdit) -> None:
        """Go to Edit, and there to the file, or to a new one."""
        self.switch_mode(EDIT)
        if event.key is None:
            self._frames[EDIT].new_file()
        else:
            self._frames[EDIT].open_file(event.key)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed is a message, never the end."""
        if event.state is WorkerState.ERROR and isinstance(event.worker.error, Exception):
            self._say(describe(event.worker.error))

    # commands

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Going to a screen needs a store, and no text being typed."""
        command = by_action(action, Where.APP)
        met = {Need.STORE} if self.opened else set()
        if command is not None and unmet(command, met):
            return None
        if action == "go" and parameters[0] not in self._places:
            return None
        return super().check_action(action, parameters)

    def action_go(self, name: str) -> None:
        """Go to a screen."""
        if name in self._places and not self.screen.is_modal:
            self.switch_mode(name)

    def action_answer_waiting(self) -> None:
        """Answer the change that waits."""
        for frame in self._frames.values():
            frame.answer_waiting()

    def action_help(self) -> None:
        """What works here and now."""
        from wenchang_tui.screens.help import HelpScreen

        screen = self.screen
        if isinstance(screen, HelpScreen):
            return
        if isinstance(screen, Frame):
            parts = {Where.BROWSE: (Where.TREE,), Where.EDIT: (Where.WRITING,)}.get(screen.PLACE, ())
            places = (screen.PLACE, *parts, Where.LIST, Where.TEXT, Where.TYPING, Where.APP)
            self.push_screen(HelpScreen(places, screen.met_needs()))
        else:
            self.push_screen(HelpScreen((Where.WELCOME, Where.LIST, Where.APP), set()))

    def action_command_palette(self) -> None:
        """Every command of the screen."""
        from wenchang_tui.screens.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def search_themes(self) -> None:
        """Every theme."""
        from textual.theme import ThemeProvider

        from wenchang_tui.screens.palette import Palette

        self.push_screen(Palette(providers=[ThemeProvider], placeholder="Search for themes…"))


def _count_drafts(workspace: Workspace) -> int:
    from wenchang_tui.model.draft_keeper import drafts_of

    return len(drafts_of(state_path(), workspace).all())


def run(opened: Workspace | FlatFolder | None, *, recent: Sequence[str] = (), problem: Problem | None = None) -> int:
    """Show the app until it is left; return the exit status of the process.

    With nothing open it begins with the welcome screen, which offers `recent` places and says what `problem` kept
    the last one from opening.
    """
    app = WenchangApp(opened, recent, problem)
    ended = threading.Event()
    threading.Thread(target=_insist, args=(app, ended), daemon=True).start()
    theme = app.theme
    app.run()
    ended.set()
    if app.theme != theme:
        remember_theme(app.theme)
    return app.return_code or 0


def _insist(app: WenchangApp, ended: threading.Event) -> None:
    """End the process when a thread that hangs in a storage call would keep it; the terminal is restored by then."""
    app.stopping.wait()
    if not ended.wait(PATIENCE_SECONDS):
        os._exit(app.return_code or 0)

"""Play: a scripted agent goes through the walkthroughs, as a real client of a real server, at reading speed."""

from collections.abc import Iterable, Iterator
from threading import Thread
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from wenchang_tui.agent.history import History
from wenchang_tui.agent.playback import Performance, Played, reading_s
from wenchang_tui.agent.recorder import Recorder
from wenchang_tui.agent.scenarios import IDENTITIES, TIANLONG, WALKTHROUGHS
from wenchang_tui.model.problems import OpenError, Problem
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.agent_calls import CallsFrame
from wenchang_tui.screens.frame import identity_texts
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.narration import Narration
from wenchang_tui.widgets.status_line import StatusLine

_ENDING = "The end. ] goes on to the next walkthrough, r begins again, esc leaves."
_LAST_ENDING = "The end of the last walkthrough. r begins again, [ goes back, esc leaves."


class PlayScreen(CallsFrame):
    """What is said on one side, the calls and what they change on the other.

    `pace` is how long to wait between beats, as a multiple of the time it takes to read them.
    """

    PLACE = Where.PLAY
    NAME = "agent"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.PLAY)]
    DEFAULT_CSS = """
    PlayScreen {
        & #story { height: 9; }
        & #stage { height: 1fr; }
        & CallsPane { height: 5; min-height: 5; }
        &.-wide #panes { layout: horizontal; }
        &.-wide #story { width: 0.8fr; height: 1fr; border-right: vkey $panel-lighten-1; }
        &.-wide #stage { width: 1fr; }
        &.-wide CallsPane { height: 10; }
        &.-half #panes > *:focus-within { height: 3fr; }
        &.-half.-wide #panes > *:focus-within { height: 1fr; width: 3fr; }
        &.-full #panes > * { display: none; }
        &.-full #panes > *:focus-within { display: block; width: 1fr; height: 1fr; border: none; }
        &.-full #stage:focus-within > * { display: none; }
        &.-full #stage > *:focus-within { display: block; height: 1fr; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, empty="the first call is yet to come", by_caller=True)
        self.top.place, self.top.kind = "walkthrough", "demo"
        self.top.read_only = False
        self.top.identity = identity_texts(IDENTITIES[TIANLONG])
        self.number = 0
        self.is_playing = True
        self.pace = 1.0
        self.played: list[Played] = []
        self.story = Narration(id="narration")
        self.story_title = PaneTitle()
        self.status = StatusLine()
        self.performance: Performance | None = None
        self._recorder = Recorder()
        self._history = History()
        self._timer: Timer | None = None
        self._playing = Lane[Played](self, self._receive, self._end)

    def body(self) -> Iterable[Widget]:
        """Story and stage."""
        story = Vertical(self.story_title, self.story, self.status, id="story")
        detail = Vertical(self.view_title, self.view, id="detail")
        yield Vertical(story, Vertical(self.calls, detail, id="stage"), id="panes")

    def on_mount(self) -> None:
        """Begin with the first walkthrough."""
        self.set_focus(self.story)
        self.begin(0)

    def on_unmount(self) -> None:
        """Let the server go."""
        self._let_go()

    def hints(self) -> tuple[str, ...]:
        """What stands here before the first call."""
        return ("A real client calls a real server here, on a store of its own in memory.",)

    # playing

    def begin(self, number: int) -> None:
        """Raise the curtain on a walkthrough."""
        self._let_go()
        self._playing.cancel()
        self._recorder, self._history = Recorder(), History()
        self.number, self.played = number, []
        self.performance = Performance(WALKTHROUGHS[number], self._recorder.add)
        self.calls.show([])
        self.status.clear()
        self._report()
        self._play()

    def _let_go(self) -> None:
        """Stop the server of the walkthrough before, without waiting for it."""
        if self._timer is not None:
            self._timer.stop()
        if self.performance is not None:
            Thread(target=self.performance.close, daemon=True).start()

    def _play(self) -> None:
        performance = self.performance
        if performance is None or performance.is_over or self._playing.busy:
            return

        def work(_: IsCancelled) -> Iterator[Played]:
            if performance.url is None and (problem := performance.start()) is not None:
                raise OpenError(problem)
            played = performance.play_next()
            if played is not None:
                yield played

        self._playing.run(work)
        self._report()

    def _receive(self, played: Played) -> None:
        self.played.append(played)
        calls = self._recorder.drain()
        self._history.add(calls)
        if calls:
            self.calls.show(self._history.entries)
            self.calls.follow()
        self._report()

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self.is_playing = False
            self.status.show_problem(problem, "n tries again")
        elif self.is_playing and self.performance is not None and not self.performance.is_over:
            self._timer = self.set_timer(self.pace * reading_s(self.played[-1].beat), self._play)
        self._report()

    def _report(self) -> None:
        performance = self.performance
        if performance is None:
            return
        is_last = self.number == len(WALKTHROUGHS) - 1
        self.story.show_beats(self.played, (_LAST_ENDING if is_last else _ENDING) if performance.is_over else "")
        self.story_title.left = Content(f"{self.number + 1}/{len(WALKTHROUGHS)}  {performance.walkthrough.title}")
        state = "the end" if performance.is_over else "playing" if self.is_playing else "paused"
        waits = "starting…" if not self.played and self._playing.busy else state
        self.story_title.right = Content(f"{performance.position}/{len(performance.walkthrough.beats)} {waits}")

    # commands

    def action_pause(self) -> None:
        """Pause, or go on."""
        if self._timer is not None:
            self._timer.stop()
        self.is_playing = not self.is_playing
        if self.is_playing:
            self._play()
        self._report()

    def action_step(self) -> None:
        """The next beat, now; and then no further."""
        if self._timer is not None:
            self._timer.stop()
        self.is_playing = False
        self._play()
        self._report()

    def action_restart(self) -> None:
        """From the beginning."""
        self.is_playing = True
        self.begin(self.number)

    def action_go_on(self, step: int) -> None:
        """Another walkthrough."""
        self.is_playing = True
        self.begin((self.number + step) % len(WALKTHROUGHS))

    def action_step_back(self) -> None:
        """Close what is open, then this screen."""
        if not self.step_back():
            self.app.pop_screen()

"""Slow work for one pane, off the event loop: the latest request wins, and nothing it does can end the app.

The work runs in a thread and touches no widget; it yields values, each of which travels back as a message and is
handled in the loop. A value of an older request is dropped on arrival. An exception becomes a `Problem`.
"""

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Generic, TypeAlias, TypeVar

from textual.dom import DOMNode
from textual.worker import Worker

from wenchang_tui.model.problems import Problem, describe

T = TypeVar("T")

IsCancelled: TypeAlias = Callable[[], bool]
Work: TypeAlias = Callable[[IsCancelled], Iterable[T]]


class Lane(Generic[T]):
    """The requests of one pane. `on_value` and `on_end` run in the event loop, for the latest request only.

    `on_end` gets the problem that ended the work, or `None`; it is not called for work that was cancelled.
    `on_busy` is called whenever work begins or ends.
    """

    def __init__(
        self, owner: DOMNode, on_value: Callable[[T], None], on_end: Callable[[Problem | None], None] = lambda _: None
    ) -> None:
        self._owner = owner
        self._on_value = on_value
        self._on_end = on_end
        self._generation = 0
        self._worker: Worker[None] | None = None
        self._started: float | None = None
        self.on_busy: Callable[[], None] = lambda: None

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._started is not None

    @property
    def elapsed(self) -> float:
        """Seconds since the work under way began; 0.0 when there is none."""
        return 0.0 if self._started is None else monotonic() - self._started

    def run(self, work: Work[T]) -> None:
        """Begin `work`; whatever this lane was doing before is void from now on."""
        self.cancel()
        generation = self._generation
        self._started = monotonic()
        self._worker = self._owner.run_worker(
            lambda: self._in_thread(work, generation), thread=True, exit_on_error=False, group=f"lane-{id(self)}"
        )
        self.on_busy()

    def cancel(self) -> bool:
        """Make the work under way void; whether there was any."""
        was_busy = self.busy
        self._generation += 1
        self._started = None
        if self._worker is not None:
            self._worker.cancel()
        if was_busy:
            self.on_busy()
        return was_busy

    def _in_thread(self, work: Work[T], generation: int) -> None:
        problem = None
        try:
            for value in work(lambda: self._generation != generation):
                if self._generation != generation:
                    return
                self._owner.call_later(self._deliver, generation, value)
        except Exception as error:
            # Storage may raise anything at all; whatever it is, the pane shows it and the app goes on.
            problem = describe(error)
        self._owner.call_later(self._finish, generation, problem)

    def _deliver(self, generation: int, value: T) -> None:
        if generation == self._generation:
            self._on_value(value)

    def _finish(self, generation: int, problem: Problem | None) -> None:
        if generation == self._generation:
            self._started = None
            self.on_busy()
            self._on_end(problem)

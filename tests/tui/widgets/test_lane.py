import threading
from collections.abc import Iterator

from textual.app import App
from textual.screen import Screen
from textual.widgets import Label

from tests.tui.screens.drive import until
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.lane import IsCancelled, Lane


class LaneApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.values: list[str] = []
        self.ends: list[Problem | None] = []
        self.lane = Lane[str](self, self.values.append, self.ends.append)


async def test_values_arrive_in_order_and_then_the_end() -> None:
    app = LaneApp()
    async with app.run_test() as pilot:
        app.lane.run(lambda _: iter("abc"))
        assert app.lane.busy
        await until(pilot, lambda: bool(app.ends))
        assert app.values == ["a", "b", "c"]
        assert app.ends == [None]
        assert not app.lane.busy


async def test_what_an_older_request_finds_is_dropped() -> None:
    app = LaneApp()
    begun, gate = threading.Event(), threading.Event()

    def slow(is_cancelled: IsCancelled) -> Iterator[str]:
        begun.set()
        assert gate.wait(10)
        assert is_cancelled()
        yield "old"

    async with app.run_test() as pilot:
        app.lane.run(slow)
        await until(pilot, begun.is_set)
        app.lane.run(lambda _: iter(["new"]))
        gate.set()
        await until(pilot, lambda: bool(app.ends) and not any(worker.is_running for worker in app.workers))
        assert app.values == ["new"]
        assert app.ends == [None]


async def test_what_is_on_its_way_when_the_request_is_void_is_dropped() -> None:
    app = LaneApp()
    begun, gate, sent = threading.Event(), threading.Event(), threading.Event()

    def work(_: IsCancelled) -> Iterator[str]:
        begun.set()
        assert gate.wait(10)
        yield "old"
        sent.set()

    async with app.run_test() as pilot:
        app.lane.run(work)
        await until(pilot, begun.is_set)
        gate.set()
        assert sent.wait(10)  # while the loop stands still, and delivers nothing
        app.lane.cancel()
        await until(pilot, lambda: not any(worker.is_running for worker in app.workers))
        await pilot.pause()
        assert (app.values, app.ends) == ([], [])


async def test_an_exception_becomes_a_problem_and_the_app_goes_on() -> None:
    app = LaneApp()

    def broken(_: IsCancelled) -> Iterator[str]:
        yield "first"
        raise PermissionError(13, "no", "/x")

    async with app.run_test() as pilot:
        app.lane.run(broken)
        await until(pilot, lambda: bool(app.ends))
        assert app.values == ["first"]
        assert app.ends[0] is not None
        assert app.ends[0].title == "Permission denied"


async def test_cancelled_work_ends_silently() -> None:
    app = LaneApp()
    gate = threading.Event()

    def slow(_: IsCancelled) -> Iterator[str]:
        assert gate.wait(10)
        yield "late"

    async with app.run_test() as pilot:
        app.lane.run(slow)
        assert app.lane.cancel()
        assert not app.lane.cancel()
        gate.set()
        await until(pilot, lambda: not any(worker.is_running for worker in app.workers))
        await pilot.pause()
        assert (app.values, app.ends) == ([], [])


async def test_what_comes_for_a_screen_that_was_closed_does_no_harm() -> None:
    app = App[None]()
    begun, gate = threading.Event(), threading.Event()
    ends: list[Problem | None] = []

    def slow(_: IsCancelled) -> Iterator[str]:
        begun.set()
        assert gate.wait(10)
        yield "late"
        raise OSError(5, "late too")

    async with app.run_test() as pilot:
        screen = Screen[None]()
        await app.push_screen(screen)
        label = Label("shown")
        await screen.mount(label)
        Lane[str](screen, label.update, ends.append).run(slow)
        await until(pilot, begun.is_set)
        app.pop_screen()
        await pilot.pause()
        gate.set()
        await until(pilot, lambda: not any(worker.is_running for worker in app.workers))
        await pilot.pause()
        assert app.is_running
    assert ends == []

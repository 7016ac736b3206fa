from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from textual.pilot import Pilot

from tests.tui.screens.drive import demo_workspace, press, shown, until
from wenchang_tui.agent.scenarios import WALKTHROUGHS, Use
from wenchang_tui.app import WenchangApp
from wenchang_tui.screens.agent import AgentScreen
from wenchang_tui.screens.agent_play import PlayScreen


@asynccontextmanager
async def playing(*, size: tuple[int, int] = (140, 40), pace: float = 60.0) -> AsyncIterator[Pilot[None]]:
    """The first walkthrough has begun. With such a pace nothing goes on by itself for as long as a test runs."""
    app = WenchangApp(demo_workspace())
    async with app.run_test(size=size) as pilot:
        await press(pilot, "4")
        await press(pilot, "p")
        play(pilot).pace = pace
        await until(pilot, lambda: len(play(pilot).played) >= 1)
        yield pilot


def play(pilot: Pilot[None]) -> PlayScreen:
    return cast(PlayScreen, pilot.app.screen)


async def step(pilot: Pilot[None], times: int = 1) -> None:
    for _ in range(times):
        before = len(play(pilot).played)
        await press(pilot, "n")
        await until(pilot, lambda before=before: len(play(pilot).played) > before)  # type: ignore[misc]


async def test_steps_show_who_says_what_and_the_calls_with_what_they_change() -> None:
    async with playing() as pilot:
        await step(pilot, 4)
        screen = play(pilot)
        assert screen.played[-1].beat == WALKTHROUGHS[0].beats[4]
        await until(pilot, lambda: screen.call is not None and screen.call.tool == "write_file")
        text = shown(screen)
        assert "Please keep to that." in text.replace("\n", " ")
        assert "> 1.2" in text
        assert "+ - [stated] Writes in close third person, past tense." in text
        assert "a new file, version 1" in text
        assert "5/12 paused" in text


async def test_it_goes_on_by_itself_at_reading_speed_to_the_end() -> None:
    async with playing(pace=0.0005) as pilot:
        screen = play(pilot)
        screen.action_restart()
        await until(pilot, lambda: screen.performance is not None and screen.performance.is_over)
        await until(pilot, lambda: "The end." in shown(screen))
        assert "12/12 the end" in shown(screen)
        uses = [beat for beat in WALKTHROUGHS[0].beats if isinstance(beat, Use)]
        assert [entry.call.tool for entry in screen.calls.list.rows] == [use.tool for use in uses]


async def test_a_pause_holds_it_and_going_on_ends_the_pause() -> None:
    async with playing() as pilot:
        screen = play(pilot)
        await press(pilot, "space")
        screen.pace = 0.0005
        assert "paused" in shown(screen)
        held = len(screen.played)
        await pilot.pause()
        assert len(screen.played) == held
        await press(pilot, "space")
        await until(pilot, lambda: len(screen.played) > held + 1)


async def test_an_error_of_the_script_shows_its_category() -> None:
    async with playing() as pilot:
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: play(pilot).number == 1 and len(play(pilot).played) == 1)
        await step(pilot, 7)
        story = play(pilot).story
        told = " ".join(" ".join(story.render_line(y).text for y in range(story.size.height)).split())
        assert "recoverable, VersionConflictError" in told
        assert "Diya's agent calls append_line" in told


async def test_restarting_begins_on_a_fresh_store() -> None:
    async with playing() as pilot:
        screen = play(pilot)
        await step(pilot, 4)
        first = screen.performance
        await press(pilot, "f5")
        await until(pilot, lambda: len(screen.played) == 1)
        assert screen.performance is not first
        assert screen.calls.list.rows == []
        await step(pilot, 4)
        await until(pilot, lambda: screen.call is not None and screen.call.tool == "write_file")
        assert screen.call is not None
        assert screen.call.answer["version"] == "1"


async def test_brackets_go_around_all_six() -> None:
    async with playing() as pilot:
        await press(pilot, "left_square_bracket")
        await until(pilot, lambda: "6/6  An account number is not kept" in shown(play(pilot)))
        await press(pilot, "right_square_bracket")
        await until(pilot, lambda: "1/6  A preference outlasts its session" in shown(play(pilot)))


async def test_leaving_stops_the_server_and_shows_the_agent_screen_again() -> None:
    async with playing() as pilot:
        await step(pilot, 1)
        performance = play(pilot).performance
        assert performance is not None
        assert performance.url is not None
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, AgentScreen)
        await until(pilot, lambda: performance.url is None)


async def test_keys_that_play_are_letters_while_a_filter_is_typed() -> None:
    async with playing() as pilot:
        screen = play(pilot)
        before = len(screen.played)
        await press(pilot, "slash", *"n p")
        assert screen.calls.input.value == "n p"
        assert len(screen.played) == before

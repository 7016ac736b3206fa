"""A dialog closes once, and closes itself alone."""

import gc

import pytest
from textual._styles_cache import StylesCache
from textual.app import App
from textual.command import CommandList
from textual.screen import ModalScreen

from tests.tui.screens.drive import demo_workspace, settled, steps
from tests.tui.screens.editing import KEY, app_over, stored
from wenchang_tui.app import WenchangApp  # and with it all the screens
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.screens.edit import EditScreen
from wenchang_tui.screens.palette import Palette


class Room(App[None]):
    """Two dialogs, one over the other, and what was answered to either."""

    def on_mount(self) -> None:
        self.answers: list[tuple[str, str | None]] = []
        self.lower, self.upper = Dialog[str](), Dialog[str]()
        self.push_screen(self.lower, lambda answer: self.answers.append(("lower", answer)))
        self.push_screen(self.upper, lambda answer: self.answers.append(("upper", answer)))


async def test_of_two_quick_answers_the_first_counts_and_what_lies_below_stays() -> None:
    app = Room()
    async with app.run_test() as pilot:
        for answer in ("yes", "no"):
            app.upper.dismiss(answer)
        assert app.screen is app.lower
        await pilot.pause()
        assert app.answers == [("upper", "yes")]
        for dialog in (app.upper, app.lower, app.lower):
            dialog.dismiss("late")
        await pilot.pause()
        assert app.answers == [("upper", "yes"), ("lower", "late")]
        assert len(app.screen_stack) == 1


async def test_an_answer_from_below_closes_it_once_it_is_on_top() -> None:
    app = Room()
    async with app.run_test() as pilot:
        for answer in ("found", "too late"):
            app.lower.dismiss(answer)
        assert (app.answers, app.screen) == ([], app.upper)
        app.upper.dismiss("yes")
        await pilot.pause()
        assert app.answers == [("upper", "yes"), ("lower", "found")]
        assert len(app.screen_stack) == 1


async def test_a_page_of_a_palette_that_is_only_coming_up_is_no_fault() -> None:
    app = WenchangApp(demo_workspace())
    async with app.run_test() as pilot:
        palette = Palette()
        await app.push_screen(palette)
        commands = palette.query_one(CommandList)
        commands.add_option("x")
        commands.highlighted = 0
        palette._action_command_list("page_down")
        await pilot.pause()
        assert app.screen is palette


DIALOGS = {"1": ["c", "a", "question_mark"], "2": ["J"], "4": ["E", "i"], "3": ["f2", "f8"]}


async def test_a_terminal_may_change_its_size_under_any_dialog() -> None:
    seen = set[str]()
    async with app_over(stored()).run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await steps(pilot, "tab")
        for place, keys in DIALOGS.items():
            await steps(pilot, place)
            if isinstance(pilot.app.screen, EditScreen):
                pilot.app.screen.open_file(KEY)
                await settled(pilot)
            for key in keys:
                await steps(pilot, key)
                dialog = pilot.app.screen
                seen.add(type(dialog).__name__)
                for size in ((20, 5), (200, 40)):
                    await pilot.resize_terminal(*size)
                    assert pilot.app.screen is dialog
                await steps(pilot, "escape")
    assert seen == {"CopyDialog", "AsAgentDialog", "HelpScreen", "PayloadScreen", "PlaceDialog", "TypedDialog",
                    "NameDialog", "SetupScreen"}  # fmt: skip


async def test_of_a_closed_dialog_nothing_that_was_drawn_is_left() -> None:
    counts = []
    async with app_over(stored()).run_test() as pilot:
        await settled(pilot)
        for _ in range(4):
            await steps(pilot, "question_mark", "escape", "ctrl+p", "escape")
            gc.collect()
            counts.append(sum(type(held) is StylesCache for held in gc.get_objects()))
    assert counts[1:] == [counts[1]] * 3


OPENED_BY = {"1 question_mark": "HelpScreen", "1 ctrl+p": "Palette", "2 J": "PayloadScreen", "4 i": "SetupScreen",
             "4 E": "NameDialog", "1 tab c": "CopyDialog", "6 R": "NameDialog"}  # fmt: skip


@pytest.mark.parametrize(("keys", "dialog"), OPENED_BY.items())
async def test_ctrl_q_leaves_from_any_dialog_in_which_nothing_would_be_lost(keys: str, dialog: str) -> None:
    app = app_over(stored())
    async with app.run_test() as pilot:
        await settled(pilot)
        await steps(pilot, *keys.split())
        assert type(app.screen).__name__ == dialog
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_code == 0


def test_every_dialog_of_the_app_is_one() -> None:
    found = [kind for kind in all_below(ModalScreen) if kind.__module__.startswith("wenchang_tui.")]
    assert AskDialog in found
    assert [kind for kind in found if not issubclass(kind, Dialog)] == []


def all_below(kind: type[object]) -> list[type[object]]:
    return [found for below in kind.__subclasses__() for found in (below, *all_below(below))]

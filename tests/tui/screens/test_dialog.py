"""A dialog closes once, and closes itself alone."""

from textual.app import App
from textual.screen import ModalScreen

import wenchang_tui.app  # all the screens
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.dialog import Dialog

assert wenchang_tui.app


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


def test_every_dialog_of_the_app_is_one() -> None:
    found = [kind for kind in all_below(ModalScreen) if kind.__module__.startswith("wenchang_tui.")]
    assert AskDialog in found
    assert [kind for kind in found if not issubclass(kind, Dialog)] == []


def all_below(kind: type[object]) -> list[type[object]]:
    return [found for below in kind.__subclasses__() for found in (below, *all_below(below))]

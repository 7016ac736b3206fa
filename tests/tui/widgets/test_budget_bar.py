"""The bar of the index budget: what stands in its blocks, and what below them where room is short."""

from textual.app import App, ComposeResult

from tests.tui.screens.drive import demo_workspace
from wenchang_tui.model.budget import collect_entries, plan_budget
from wenchang_tui.model.demo import DEMO_IDENTITY
from wenchang_tui.widgets.budget_bar import BudgetBar


class BarApp(App[None]):
    def compose(self) -> ComposeResult:
        yield BudgetBar()


async def lines(width: int, limit: int) -> list[str]:
    entries = collect_entries(demo_workspace().storage, DEMO_IDENTITY.scope_map)
    app = BarApp()
    async with app.run_test(size=(width, 5)):
        bar = app.query_one(BudgetBar)
        bar.show(plan_budget(entries, limit, ()))
        return bar.render().plain.split("\n")


async def test_a_name_stands_whole_in_its_block_or_as_its_first_letter() -> None:
    _, wide, _ = await lines(250, 65_536)
    assert wide.split() == ["project", "user", "o", "free"]
    _, narrow, _ = await lines(80, 65_536)
    assert "".join(narrow.split()) == "projectuofree"


async def test_what_is_cut_is_said_in_full_or_as_a_sum() -> None:
    _, _, wide = await lines(120, 3_000)
    assert wide.count(" cut") == 3
    _, _, narrow = await lines(80, 3_000)
    assert narrow.count("+") == 3
    assert "cut" not in narrow

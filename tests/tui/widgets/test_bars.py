import pytest
from textual.app import App, ComposeResult

from wenchang_tui.widgets.bars import TopBar


class BarApp(App[None]):
    def __init__(self, **values: object) -> None:
        super().__init__()
        self.bar = TopBar()
        for name, value in values.items():
            setattr(self.bar, name, value)

    def compose(self) -> ComposeResult:
        yield self.bar

    def lines(self) -> tuple[str, str]:
        first, second = self.bar.render().plain.split("\n")
        return first, second


SOME = {"here": "browse", "kind": "folder", "place": "/srv/agents/inkwell/memory", "read_only": True}


async def test_a_wide_bar_says_everything() -> None:
    app = BarApp(**SOME, tabs=frozenset({"browse", "index"}))
    async with app.run_test(size=(100, 5)):
        first, _ = app.lines()
        assert first.startswith(" wenchang   1 Browse  2 Index ")
        assert first.rstrip().endswith("folder  /srv/agents/inkwell/memory  read-only")


async def test_a_place_that_names_its_kind_is_named_once() -> None:
    app = BarApp(here="browse", kind="filememory", place="filememory:~/notes")
    async with app.run_test(size=(120, 5)):
        assert app.lines()[0].split()[-2:] == ["Operate", "filememory:~/notes"]


async def test_where_room_is_short_the_screens_the_end_of_the_place_and_read_only_stay() -> None:
    app = BarApp(**SOME)
    async with app.run_test(size=(80, 5)):
        first, _ = app.lines()
        assert first.startswith(" 1 Browse  2 Index ")
        assert "memory  read-only" in first
        assert len(first) == 80


@pytest.mark.parametrize("width", [1, 5, 20, 40, 79])
async def test_any_width_is_survived(width: int) -> None:
    app = BarApp(**SOME, notice="2 changes wait", identity=("user=u",))
    async with app.run_test(size=(width, 5)):
        assert app.lines()


async def test_the_longest_wording_of_the_identity_that_fits_is_shown() -> None:
    app = BarApp(identity=("user=u-tianlong (owner)", "user=u-tianlong", "u"))
    async with app.run_test(size=(80, 5)) as pilot:
        assert app.lines()[1].strip() == "as user=u-tianlong (owner)"
        await pilot.resize_terminal(22, 5)
        assert app.lines()[1].strip() == "as user=u-tianlong"

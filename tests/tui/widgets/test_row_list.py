import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

COLUMNS = (Column("name", "name", 10), Column("text", "text"), Column("extra", "extra", 30, rank=1))


def look(row: str) -> Look:
    return Look({"name": Cell(row), "text": Cell("日本語" * 10)}, "!" if row == "5" else " ")


class ListApp(App[None]):
    def __init__(self, rows: list[str]) -> None:
        super().__init__()
        self.list = RowList[str](COLUMNS, str, look)
        self.first = rows
        self.said: list[str | None] = []

    def compose(self) -> ComposeResult:
        yield self.list

    def on_mount(self) -> None:
        self.list.set_rows(self.first)
        self.list.focus()

    @on(RowList.Highlighted)
    def say(self, event: RowList.Highlighted) -> None:
        self.said.append(event.key)


def rows(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def line(pilot: Pilot[None], y: int) -> str:
    assert isinstance(pilot.app, ListApp)
    return pilot.app.list.render_line(y).text


async def test_keys_move_the_cursor_within_the_rows() -> None:
    async with ListApp(rows(100)).run_test(size=(60, 11)) as pilot:
        for key, cursor in (("down", 1), ("j", 2), ("k", 1), ("up", 0), ("up", 0), ("pagedown", 9), ("G", 99),
                            ("down", 99), ("pageup", 90), ("home", 0)):  # fmt: skip
            await pilot.press(key)
            assert pilot.app.list.cursor == cursor  # type: ignore[attr-defined]


async def test_the_cursor_stays_in_sight_and_only_news_are_told() -> None:
    app = ListApp(rows(100))
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("end")
        assert app.list.scroll_offset.y == 90
        app.list.set_rows(rows(100))
        await pilot.pause()
        assert app.said == ["0", "99"]


async def test_replaced_rows_keep_cursor_and_line_by_key() -> None:
    app = ListApp(rows(100))
    async with app.run_test(size=(60, 11)) as pilot:
        app.list.cursor = 50
        await pilot.pause()
        before = app.list.cursor - app.list.scroll_offset.y
        app.list.set_rows(["a", "b", "c", *rows(100)])
        await pilot.pause()
        assert app.list.current_key == "50"
        assert app.list.cursor - app.list.scroll_offset.y == before


async def test_when_its_row_is_gone_the_cursor_stays_near() -> None:
    app = ListApp(rows(10))
    async with app.run_test(size=(60, 11)) as pilot:
        app.list.cursor = 9
        app.list.set_rows(rows(5))
        await pilot.pause()
        assert app.list.current_key == "4"
        app.list.set_rows([])
        await pilot.pause()
        assert app.list.current is None
        assert app.said[-1] is None
        assert "nothing here" in line(pilot, 1)


async def test_columns_go_when_room_is_short_and_texts_are_cut_by_cells() -> None:
    app = ListApp(rows(10))
    async with app.run_test(size=(80, 11)) as pilot:
        assert "extra" in line(pilot, 0)
        await pilot.resize_terminal(30, 11)
        assert "extra" not in line(pilot, 0)
        assert line(pilot, 1).rstrip().endswith("…")
        assert app.list.render_line(1).cell_length == 30


@pytest.mark.parametrize("width", [1, 2, 3, 5, 9, 12])
async def test_any_width_is_survived(width: int) -> None:
    app = ListApp(rows(10))
    async with app.run_test(size=(width, 4)):
        assert app.list.render_line(1).cell_length == app.list.scrollable_content_region.width


async def test_space_marks_and_a_mark_stays_with_its_row() -> None:
    app = ListApp(rows(10))
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("space", "down", "space")
        assert app.list.marked == {"0", "2"}
        assert line(pilot, 1).startswith("*")
        app.list.set_rows(["x", "2"])
        assert app.list.marked == {"2"}


async def test_a_hundred_thousand_rows_draw_only_what_is_in_sight() -> None:
    drawn: list[str] = []

    def counting(row: str) -> Look:
        drawn.append(row)
        return look(row)

    app = ListApp(rows(100_000))
    app.list._look = counting
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("end", "pageup", "home")
        assert len(drawn) < 500
        assert app.list.virtual_size.height == 100_001


async def test_the_flag_stands_in_the_gutter() -> None:
    async with ListApp(rows(10)).run_test(size=(60, 11)) as pilot:
        assert line(pilot, 6).startswith(" !5")


async def test_a_line_in_place_of_a_row_goes_on_to_the_edge() -> None:
    drawn = RowList[str](COLUMNS, str, lambda row: Look({}, line=f"{row} ─"), marks=False)

    class LineApp(App[None]):
        def compose(self) -> ComposeResult:
            yield drawn

    async with LineApp().run_test(size=(40, 5)):
        drawn.set_rows(["cut", "日本" * 20])
        assert drawn.render_line(1).text == " cut " + "─" * 35
        assert drawn.render_line(2).text.endswith("…")

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from tests.tui.screens.drive import until
from wenchang_tui.widgets.file_view import draw_line
from wenchang_tui.widgets.text_lines import LINE_LIMIT, WRAP_LIMIT, TextLine, TextLines, wrap_cells


class TextApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.text = TextLines()

    def compose(self) -> ComposeResult:
        yield self.text

    def lines(self, count: int) -> list[str]:
        return [self.text.render_line(y).text.strip() for y in range(count)]


@given(st.text(st.characters(exclude_characters="\n", exclude_categories=("Cc", "Cs"))), st.integers(2, 30))
def test_wrapping_loses_nothing_but_the_spaces_it_breaks_at(text: str, width: int) -> None:
    spans = list(wrap_cells(text, width))
    assert all(cell_len(text[start:end]) <= width for start, end in spans)
    gaps = [text[before[1] : after[0]] for before, after in itertools.pairwise(spans)]
    assert set(gaps) <= {"", " "}
    assert (spans[0][0], spans[-1][1]) == (0, len(text)) or text[spans[-1][1] :] == " "


@pytest.mark.parametrize(
    "text", ["aaaa \u0301bbbb", "aa \u200dbbb cc", "é aa \ufe0fbb", " \u0301", "é  \u0301  \u0301"]
)
@pytest.mark.parametrize("width", [2, 3, 5, 30])
def test_a_space_that_carries_a_mark_is_no_place_to_break(text: str, width: int) -> None:
    spans = list(itertools.islice(wrap_cells(text, width), len(text) + 1))
    assert len(spans) <= len(text)
    assert all(start < end or text[end : end + 1] == " " for start, end in spans)
    assert "".join(text[start:end] for start, end in spans).count("\u0301") == text.count("\u0301")
    assert not [span for span in spans if unicodedata.combining(text[span[0]])]


async def test_long_lines_wrap_below_their_text_and_facts_keep_their_label() -> None:
    app = TextApp()
    async with app.run_test(size=(31, 10)) as pilot:
        app.text.show([TextLine("head")], ["- [stated] one two three four five", "plain"], draw_line)
        await pilot.pause()
        assert app.lines(4) == ["head", "- [stated] one two three four", "five", "plain"]
        assert app.text.render_line(2).text.startswith(" " * 11 + "five")
        await pilot.resize_terminal(30, 10)  # where the row would end at the edge
        assert app.lines(3) == ["head", "- [stated] one two three", "four five"]


async def test_a_huge_text_is_drawn_line_by_line_until_wrapping_is_asked_for() -> None:
    app = TextApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.text.show([], ["x" * (WRAP_LIMIT + 1), "end"])
        await pilot.pause()
        assert not app.text.is_wrapped
        assert app.lines(2)[1] == "end"
        await pilot.press("tab", "w")
        assert app.text.is_wrapped
        assert app.text.virtual_size.height > WRAP_LIMIT // 40


async def test_what_is_cut_from_a_long_line_is_counted() -> None:
    app = TextApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.text.show([], ["y" * (WRAP_LIMIT + 1)])
        await pilot.pause()
        app.text.scroll_to(x=LINE_LIMIT - 10, animate=False, immediate=True)
        await pilot.pause()
        assert f"… {WRAP_LIMIT + 1 - LINE_LIMIT:,} more characters" in app.text.render_line(0).text


async def test_pointing_at_a_line_brings_it_in_sight_and_marks_it() -> None:
    app = TextApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.text.show([TextLine("head")], [f"- [stated] fact {number}" for number in range(100)], draw_line)
        app.text.point_at(51, 11, 15)
        await pilot.pause()
        row = 51 - app.text.scroll_offset.y
        assert 0 <= row < 10
        strip = app.text.render_line(row)
        assert "fact 50" in strip.text
        plain = {segment.style.bgcolor for segment in app.text.render_line(row + 1) if segment.style}
        assert [s.text for s in strip if s.style and s.style.bgcolor not in plain] == ["fact"]


async def test_what_was_pointed_at_keeps_its_place_in_another_size_unless_one_has_scrolled() -> None:
    app = TextApp()
    async with app.run_test(size=(60, 24)) as pilot:
        app.text.show([], [f"fact {number}" for number in range(100)])
        app.text.point_at(51, 0, 4)
        for height in (9, 24):
            await pilot.resize_terminal(60, height)
            await until(pilot, lambda: app.text.scroll_offset.y == 50 - height // 3)  # noqa: B023
        app.text.scroll_to(y=70, animate=False, immediate=True)
        await pilot.resize_terminal(60, 9)
        await until(pilot, lambda: app.text.size.height == 9)
        await pilot.pause()
        assert app.text.scroll_offset.y == 70


async def test_keys_scroll_by_lines_pages_and_to_the_ends() -> None:
    app = TextApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.text.show([], [str(number) for number in range(100)])
        await pilot.press("tab")
        for key, top in (("down", 1), ("j", 2), ("k", 1), ("pagedown", 10), ("G", 90), ("g", 0)):
            await pilot.press(key)
            assert app.text.scroll_offset.y == top


async def test_selected_text_is_what_is_drawn() -> None:
    app = TextApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.text.show([], ["- [stated] a fact", "second"], draw_line)
        await pilot.pause()
        await pilot.mouse_down(app.text, offset=(12, 0))
        await pilot.hover(app.text, offset=(4, 1))
        await pilot.mouse_up(app.text, offset=(4, 1))
        assert app.screen.get_selected_text() == "a fact\nseco"

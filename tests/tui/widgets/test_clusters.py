import pytest
from textual.app import App, ComposeResult

from wenchang_tui.model.line_text import line_text
from wenchang_tui.widgets.body_editor import BodyEditor
from wenchang_tui.widgets.clusters import cluster_after, cluster_before
from wenchang_tui.widgets.line_input import LineInput

FAMILY, FLAG, ACCENTED, HEART = "👨‍👩‍👧", "🇩🇪", "e\u0301", "❤️"


@pytest.mark.parametrize("cluster", [FAMILY, FLAG, ACCENTED, HEART, "日", "x"])
def test_a_visible_character_is_one_step(cluster: str) -> None:
    text = f"a{cluster}b"
    assert cluster_after(text, 1) == 1 + len(cluster)
    assert cluster_before(text, 1 + len(cluster)) == 1


def test_at_the_edges_one_stays() -> None:
    assert cluster_before("", 0) == cluster_before("日", 0) == 0
    assert cluster_after("日", 1) == 1
    assert cluster_before("\u0301a", 1) == 0


class Both(App[None]):
    def compose(self) -> ComposeResult:
        yield LineInput()
        yield BodyEditor()


async def test_deleting_takes_whole_characters() -> None:
    app = Both()
    async with app.run_test() as pilot:
        line, body = app.query_one(LineInput), app.query_one(BodyEditor)
        line.focus()
        line.value = f"a{FAMILY}{ACCENTED}"
        line.cursor_position = len(line.value)
        await pilot.press("left", "backspace")
        assert line.value == f"a{ACCENTED}"
        await pilot.press("delete")
        assert line.value == "a"
        text = f"a{FAMILY}{FLAG}\nb"
        body.load(line_text(text), text)
        body.focus()
        await pilot.press("right", "right", "delete")
        assert body.text == f"a{FAMILY}\nb"
        await pilot.press("backspace", "delete")
        assert body.text == "ab"

from textual.app import App, ComposeResult
from textual.events import Paste

from wenchang_tui.widgets.line_input import LineInput


class InputApp(App[None]):
    def compose(self) -> ComposeResult:
        yield LineInput()


async def test_lines_that_are_pasted_become_one_and_that_is_said() -> None:
    app = InputApp()
    async with app.run_test() as pilot:
        app.post_message(Paste("first\r\nsecond\u2028third\x1b\n"))
        await pilot.pause()
        assert app.query_one(LineInput).value == "first second third␛"
        assert [notice.message for notice in app._notifications] == ["The 3 lines that were pasted are one line now."]

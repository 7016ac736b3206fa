from textual.app import App

from wenchang_tui.screens.copy import CLIPBOARD_BYTES, copy_text


async def test_a_copy_is_said_to_be_sent_and_one_too_large_is_not_sent() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        copy_text(app, "Body", "é")
        assert app.clipboard == "é"
        copy_text(app, "Body", "x" * (CLIPBOARD_BYTES + 1))
        assert app.clipboard == "é"
        await pilot.pause()
        said = [(notice.title, notice.message) for notice in app._notifications]
    assert said == [
        ("Body sent", "2 bytes went to the terminal's clipboard, if it takes them."),
        (
            "Not copied",
            "74,995 bytes are more than the 74,994 that terminals take. Use the wenchang command instead.",
        ),
    ]

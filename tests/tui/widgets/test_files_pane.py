import threading

from textual.app import App, ComposeResult

from tests.tui.screens.drive import put, shown, until
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.catalog import Catalog, FilePage
from wenchang_tui.widgets.files_pane import FilesPane


class PaneApp(App[None]):
    def __init__(self, *names: str) -> None:
        super().__init__()
        storage = InMemoryStorage()
        for name in names:
            put(storage, f"user/u/notes/{name}.md", "x")
        self.pane = FilesPane(Catalog(storage))

    def compose(self) -> ComposeResult:
        yield self.pane


async def test_names_that_look_the_same_are_spelled_out_and_others_shown_as_they_are() -> None:
    app = PaneApp("café", "cafe\u0301", "rules\u200b", "rules\u202e", "alone\u200b")
    async with app.run_test() as pilot:
        app.pane.show("user/u/notes/")
        await until(pilot, lambda: len(app.pane.list.rows) == 5)
        drawn = [line[2:22].strip() for line in shown(app.pane).split("\n")[2:7]]
        app.pane.input.value = "rules"
        await until(pilot, lambda: len(app.pane.list.rows) == 2)
        narrowed = shown(app.pane)
    assert drawn == ["alone\ufffd", r"cafe\u0301", "café", r"rules\u200b", r"rules\u202e"]
    assert r"rules\u200b" in narrowed


class Slow(Catalog):
    """Lists nothing before the gate is open."""

    gate = threading.Event()

    def page(self, prefix: str, after: str | None = None, limit: int | None = None) -> FilePage:
        assert self.gate.wait(10)
        return super().page(prefix, after, limit)


async def test_what_was_not_read_is_not_said_to_be_empty() -> None:
    app = PaneApp()
    app.pane._catalog = Slow(InMemoryStorage())
    async with app.run_test() as pilot:
        app.pane.show("user/u/notes/")
        await until(pilot, lambda: "loading…" in shown(app.pane))
        assert app.pane.cancel()
        assert not app.pane.cancel()
        await until(pilot, lambda: "not read: f5 reads it" in shown(app.pane))
        Slow.gate.set()
        app.pane.reload()
        await until(pilot, lambda: "no files here" in shown(app.pane))

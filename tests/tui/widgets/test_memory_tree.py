import threading

from textual.app import App, ComposeResult

from tests.tui.screens.drive import keys_of, put, until
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.catalog import Catalog, Count, NamePage
from wenchang_tui.widgets.memory_tree import MemoryTree, parent_of


class Unsteady(Catalog):
    """Reads an entity's areas only when the gate is open, and fails when told to."""

    def __init__(self, storage: InMemoryStorage) -> None:
        super().__init__(storage)
        self.gate = threading.Event()
        self.gate.set()
        self.fails = False

    def names(self, prefix: str, after: str | None = None, limit: int = 2) -> NamePage:
        if prefix.count("/") == 2:
            assert self.gate.wait(10)
            if self.fails:
                raise BackendUnavailableError(TransientReason.UNAVAILABLE)
        return super().names(prefix, after, limit)


class TreeApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.storage = InMemoryStorage()
        for place in ("project/p/notes", "user/u/notes", "user/u/system", "user/v/notes"):
            put(self.storage, f"{place}/a.md", "x")
        self.catalog = Unsteady(self.storage)
        self.tree_list = MemoryTree(self.catalog, "store")

    def compose(self) -> ComposeResult:
        yield self.tree_list

    def on_mount(self) -> None:
        self.tree_list.focus()

    def text(self) -> str:
        return "\n".join(self.tree_list.render_line(y).text for y in range(12))


TOP = ["", "project/", "user/"]


async def test_a_place_deep_down_is_opened_on_the_way() -> None:
    app = TreeApp()
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/system/")
        await until(pilot, lambda: app.tree_list.place == "user/u/system/")
        assert keys_of(app.tree_list) == [*TOP, "user/u/", "user/u/system/", "user/u/notes/", "user/v/"]


async def test_a_place_that_is_not_there_is_given_up() -> None:
    app = TreeApp()
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/none/")
        await until(pilot, lambda: "system" in app.text())
        put(app.storage, "user/u/none/a.md", "x")
        app.tree_list.show_changed(["user/u/none/a.md"])
        await until(pilot, lambda: "none" in app.text())
        assert app.tree_list.place == ""


async def test_what_is_being_read_says_so_and_escape_takes_it_back() -> None:
    app = TreeApp()
    app.catalog.gate.clear()
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/")
        await until(pilot, lambda: app.tree_list.place == "user/u/")
        await pilot.press("right")
        assert "loading…" in app.text()
        assert app.tree_list.cancel()
        assert "loading…" not in app.text()
        app.catalog.gate.set()
        await pilot.press("right")
        await until(pilot, lambda: "system read-only" in app.text())


async def test_a_branch_that_failed_says_why_and_tries_again() -> None:
    app = TreeApp()
    app.catalog.fails = True
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/")
        await until(pilot, lambda: app.tree_list.place == "user/u/")
        await pilot.press("right")
        await until(pilot, lambda: "The storage backend is unavailable" in app.text())
        app.catalog.fails = False
        await pilot.press("down", "enter")
        await until(pilot, lambda: "system read-only" in app.text())


async def test_changes_are_marked_counted_and_leave_the_cursor_alone() -> None:
    app = TreeApp()
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/")
        await until(pilot, lambda: app.tree_list.place == "user/u/")
        put(app.storage, "aaa/e/notes/a.md", "x")
        put(app.storage, "user/v/notes/b.md", "x")
        app.tree_list.show_changed(["aaa/e/notes/a.md", "user/v/notes/b.md"])
        await until(pilot, lambda: "aaa/" in keys_of(app.tree_list))
        await until(pilot, lambda: app.tree_list._branches["user/v/"].count == Count(2, 0, 2, more=False))
        assert app.tree_list.place == "user/u/"
        marked = [line.lstrip("~ ▾▸").split()[0] for line in app.text().split("\n") if line.startswith("~")]
        assert marked == ["store", "aaa", "user", "v"]
        app.tree_list.seen("user/v/")
        assert not any(line.startswith("~") and " v " in line for line in app.text().split("\n"))


async def test_capped_areas_say_how_many_files_are_cut() -> None:
    app = TreeApp()
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/u/notes/")
        app.tree_list.show_capped({"user/u/notes/": 3})
        await until(pilot, lambda: "notes 3 cut" in app.text())


async def test_counts_are_whole_however_wide_they_are() -> None:
    app = TreeApp()
    for number in range(12):
        app.storage.put(f"user/u/notes/bad-{number}.md", b"", {})
    async with app.run_test() as pilot:
        await until(pilot, lambda: "!12 15" in app.text())


async def test_a_level_that_holds_many_is_shown_page_by_page() -> None:
    app = TreeApp()
    for number in range(5):
        put(app.storage, f"user/w{number}/notes/a.md", "x")
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/")
        await until(pilot, lambda: app.tree_list.place == "user/")
        await pilot.press("right")
        more = "user/\0more"
        await until(pilot, lambda: keys_of(app.tree_list) == [*TOP, "user/u/", "user/v/", more])
        await pilot.press("end", "enter")
        await until(pilot, lambda: keys_of(app.tree_list)[3:] == ["user/u/", "user/v/", "user/w0/", "user/w1/", more])
        assert app.tree_list.place == "user/w0/"
        app.tree_list.show_changed(["user/w0/notes/a.md"])
        await until(pilot, lambda: not app.tree_list._lanes["user/"].busy)
        assert keys_of(app.tree_list)[-3:] == ["user/w0/", "user/w1/", more], "as much as before is read again"


async def test_a_place_behind_what_is_shown_is_gone_to_past_the_gap() -> None:
    app = TreeApp()
    for number in range(5):
        put(app.storage, f"user/w{number}/notes/a.md", "x")
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/w3/notes/")
        await until(pilot, lambda: app.tree_list.place == "user/w3/notes/")
        shown = ["user/u/", "user/v/", "user/\0more", "user/w3/", "user/w3/notes/"]
        assert keys_of(app.tree_list)[3:] == shown
        app.tree_list.reveal("user/w9/notes/")
        await until(pilot, lambda: not app.tree_list._lanes["user/"].busy)
        assert keys_of(app.tree_list)[3:] == shown, "what is not there is not shown"
        app.tree_list.move_to_key("user/\0more")
        await pilot.press("enter")
        await until(pilot, lambda: app.tree_list.place == "user/w0/")
        assert keys_of(app.tree_list)[5:] == ["user/w0/", "user/w1/", "user/\0more", "user/w3/", "user/w3/notes/"]


async def test_a_far_place_is_counted_when_asked_to_be() -> None:
    app = TreeApp()
    app.catalog.is_far = True
    async with app.run_test() as pilot:
        app.tree_list.reveal("user/")
        await until(pilot, lambda: app.tree_list.place == "user/")
        assert app.text().split("\n")[2].split() == ["▸", "user"]
        await pilot.press("number_sign")
        await until(pilot, lambda: app.tree_list._branches["user/"].count == Count(3, 0, 3, more=False))
        assert app.text().split("\n")[2].split() == ["▸", "user", "3"]
        app.tree_list.show_changed(["user/u/notes/b.md"])
        assert app.text().split("\n")[2].split() == ["▸", "user"], "a count that may be wrong is not shown"


def test_the_parent_of_a_prefix_is_one_level_up() -> None:
    assert [parent_of(prefix) for prefix in ("a/b/c/", "a/b/", "a/", "")] == ["a/b/", "a/", "", ""]

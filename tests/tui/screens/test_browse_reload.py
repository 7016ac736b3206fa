"""Reading again what Browse shows: what is called changed, and what a storage that fails takes away."""

from tests.tui.screens.drive import browse, keys_of, press, put, settled, shown, workspace
from tests.tui.screens.test_browse import Failing
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.app import WenchangApp


async def test_a_reload_calls_only_changed_what_has_changed() -> None:
    storage = InMemoryStorage()
    put(storage, "user/u/a/one.md", "x")
    async with WenchangApp(workspace(storage)).run_test() as pilot:
        await settled(pilot)
        preview = browse(pilot.app).preview
        await press(pilot, "f5")
        assert preview.title.right.plain == ""
        put(storage, "user/u/a/one.md", "y")
        await press(pilot, "f5")
        assert preview.title.right.plain == "~ changed"
        await press(pilot, "f5")
        assert preview.title.right.plain == "~ changed", "until one has looked elsewhere"


async def test_a_reload_that_fails_takes_nothing_away() -> None:
    storage = Failing()
    put(storage, "user/u/a/one.md", "x")
    put(storage, "user/v/a/two.md", "x")
    async with WenchangApp(workspace(storage)).run_test() as pilot:
        await settled(pilot)
        screen = browse(pilot.app)
        screen.tree_list.reveal("user/v/")
        await settled(pilot)
        storage.error = BackendUnavailableError(TransientReason.UNAVAILABLE)
        await press(pilot, "f5")
        assert "Enter tries again" in shown(screen)
        assert "Storage unavailable" in shown(screen)
        assert (screen.tree_list.place, keys_of(screen.files.list)) == ("user/v/", ["user/v/a/two.md"])
        assert "1 file" in screen.files.title.right.plain
        storage.error = None
        await press(pilot, "f5")
        assert "tries again" not in shown(screen)
        assert (screen.tree_list.place, keys_of(screen.files.list)) == ("user/v/", ["user/v/a/two.md"])

"""Operate over a bucket: what a purge does not reach is said before and after it."""

from tests.tui.screens.drive import browse, grants, put, settled
from tests.tui.screens.test_operate import at_operate, typed, words
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.operations import FORMER_VERSIONS
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.versions import FormerVersions

KEY = "user/u/notes/n.md"


async def test_a_purge_says_that_former_versions_outlast_it(keeping_target: str) -> None:
    space = open_target(keeping_target, grants(user="u"))
    put(space.storage, KEY, "first")
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        browse(app).open_file(KEY)
        screen = await at_operate(pilot)
        await app.screen.run_action("purge")
        await settled(pilot)
        assert FORMER_VERSIONS in words(app)
        await typed(pilot, "user/u")
        receipt = screen.receipts.current
        assert receipt is not None
        assert receipt.result == f"Deleted 1 object. {FORMER_VERSIONS}"
    assert space.storage.get(KEY) is None
    history = FormerVersions.of(space)
    assert history is not None
    assert [row.replaced is not None for row in history.versions(KEY)] == [True]

"""A bucket of a hundred thousand objects: what it takes to open it, to go anywhere in it, and to check a part of it."""

import gc
from collections import Counter

from tests.gcs.held import HeldBucket
from tests.gcs.proxy import Proxy
from tests.tui.bucket.conftest import ENTITY_FILES
from tests.tui.screens.drive import browse, grants, press, settled, shown
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.targets import open_target
from wenchang_tui.widgets.files_pane import PAGE
from wenchang_tui.widgets.tree_lines import Branch


async def test_a_tour_costs_a_constant_number_of_requests_and_bounded_memory(
    hundred_thousand: HeldBucket, proxy: Proxy
) -> None:
    assert len(hundred_thousand.names) == 100_000
    assert len({name.split("/")[1] for name in hundred_thousand.names}) == 200
    proxy.held[hundred_thousand.name] = hundred_thousand
    listings: dict[str, int] = {}
    bodies: dict[str, int] = {}

    def note(what: str) -> None:
        kinds = Counter(proxy.kinds())
        listings[what], bodies[what] = kinds["list"], kinds["media"]
        proxy.seen.clear()

    app = WenchangApp(open_target(f"gs://{hundred_thousand.name}", grants(user="u000")))
    app.stopping.set()  # so that nothing is looked at again meanwhile
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        screen = browse(app)
        assert "998 files  more: m loads them" in shown(screen)
        note("open")
        for what, place in (("scope", "user/"), ("entity", "user/u150/"), ("area", "user/u150/system/")):
            screen.tree_list.reveal(place)
            await settled(pilot)
            assert screen.tree_list.place == screen.files.prefix == place
            note(what)
        await press(pilot, "tab", "down")
        assert f"- [stated] This is {screen.preview.key}." in shown(screen)
        note("file")
        await press(pilot, "2")
        assert f"{ENTITY_FILES} entries in" in shown(app.screen)
        note("index")
        await press(pilot, "1")
        screen.go_to("user/u000/")
        await settled(pilot)
        proxy.seen.clear()
        await press(pilot, "5", "f5")
        assert f"checked {ENTITY_FILES} objects" in shown(app.screen)
        note("health")
        await press(pilot, "6")
        assert f"holds {ENTITY_FILES} objects" in shown(app.screen)
        note("operate")
        held = Counter(type(thing) for thing in gc.get_objects() if isinstance(thing, FileRow | Branch))
    assert listings == {"open": 4, "scope": 1, "entity": 2, "area": 2, "file": 0, "index": 0, "health": 2, "operate": 3}
    assert bodies.pop("health") == ENTITY_FILES
    assert max(bodies.values()) <= 1, "the file that is shown"
    assert held[FileRow] <= 2 * PAGE

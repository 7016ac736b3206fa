"""The app over a bucket: what changes shows, what does not answer is said, and former versions come back."""

from functools import partial

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from tests.gcs.proxy import Fault, Proxy
from tests.tui.bucket.conftest import OpenBucket
from tests.tui.screens.drive import browse, grants, keys_of, press, put, settled, shown, steps, until
from wenchang.storage.gcs import GcsStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.polling import PollingWatcher
from wenchang_tui.model.targets import open_target
from wenchang_tui.screens.health import HealthScreen
from wenchang_tui.screens.versions import VersionsDialog

KEY = "user/u/system/rules.md"


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenchang_tui.model.polling.PollingWatcher", partial(PollingWatcher, interval=0.05))


async def at_rules(pilot: Pilot[None]) -> None:
    await settled(pilot)
    browse(pilot.app).open_file(KEY)
    await settled(pilot)


async def test_what_others_write_to_the_page_in_sight_shows_by_itself(
    storage: GcsStorage, open_bucket: OpenBucket
) -> None:
    put(storage, KEY, "- [stated] old\n")
    app = WenchangApp(open_bucket(grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        await at_rules(pilot)
        put(storage, KEY, "- [stated] newer\n")
        put(storage, "user/u/system/more.md", "x")
        await until(pilot, lambda: "user/u/system/more.md" in keys_of(browse(app).files.list))
        await until(pilot, lambda: "- [stated] newer" in shown(app.screen))
        assert browse(app).files.list.current_key == KEY


async def test_a_service_in_trouble_is_said_on_every_screen(
    storage: GcsStorage, open_bucket: OpenBucket, proxy: Proxy
) -> None:
    put(storage, KEY, "x")
    app = WenchangApp(open_bucket(grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        await at_rules(pilot)
        retries = app.opened.retries  # type: ignore[union-attr]
        assert retries is not None
        retries.note(TimeoutError())
        await until(pilot, lambda: "retrying: Cloud Storage does not answer, esc gives up" in top(app))
        await pilot.press("2")
        await until(pilot, lambda: "retrying" in top(app))


async def test_giving_up_on_a_request_that_is_sent_again_frees_the_pane_and_keeps_what_it_shows(
    storage: GcsStorage, open_bucket: OpenBucket, proxy: Proxy
) -> None:
    put(storage, KEY, "x")
    app = WenchangApp(open_bucket(grants(user="u")))
    app.stopping.set()  # so that nothing is looked at again meanwhile
    async with app.run_test(size=(120, 40)) as pilot:
        await at_rules(pilot)
        files = browse(app).files
        proxy.faults = [Fault("list", status=503)] * 500
        await pilot.press("f5")
        await until(pilot, lambda: "retrying: Cloud Storage answered 503, esc gives up" in top(app))
        assert "1 file  loading" in files.title.render().plain
        await pilot.press("escape")
        assert not files.cancel(), "nothing is being listed any more"
        assert (keys_of(files.list), files.title.right.plain) == ([KEY], "1 file")
        proxy.reset()
        put(storage, "user/u/system/more.md", "x")
        await press(pilot, "f5")
        assert keys_of(files.list) == ["user/u/system/more.md", KEY]


def top(app: App[None]) -> str:
    return shown(app.screen).split("\n")[1]


async def test_a_bucket_looks_different_and_is_not_checked_unasked(
    storage: GcsStorage, open_bucket: OpenBucket, proxy: Proxy
) -> None:
    put(storage, KEY, "x")
    storage.put("user/u/notes/bad.md", b"x", {})
    app = WenchangApp(open_bucket(grants(user="u")))
    async with app.run_test(size=(120, 40)) as pilot:
        await at_rules(pilot)
        assert browse(app).top.has_class("-bucket")
        proxy.seen.clear()
        await press(pilot, "5")
        screen = app.screen
        assert isinstance(screen, HealthScreen)
        assert "Nothing was checked yet." in shown(screen)
        assert "f5 checks user/u/" in shown(screen)
        await steps(pilot, "slash", "question_mark", "escape")
        assert "f5 checks all that is served" in shown(screen)
        await steps(pilot, "slash", "slash")
        assert "f5 checks user/u/" in shown(screen)
        assert not [seen for seen in proxy.seen if seen.kind == "media"]
        await press(pilot, "f5")
        assert [finding.key for finding in screen.findings.list.rows] == ["user/u/notes/bad.md"]
        await steps(pilot, "r", "y")
        assert screen.findings.list.rows == []
    assert storage.get("user/u/notes/bad.md").metadata["aliases"] == "[]"  # type: ignore[union-attr]


async def test_a_former_version_is_put_back(keeping_target: str) -> None:
    space = open_target(keeping_target, grants(user="u"))
    put(space.storage, KEY, "- [stated] old\n", "The rules of old")
    put(space.storage, KEY, "- [stated] new\n", "The rules")
    app = WenchangApp(space)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_rules(pilot)
        await steps(pilot, "v", "down")
        assert isinstance(app.screen, VersionsDialog)
        assert "- - [stated] old" in shown(app.screen)
        await steps(pilot, "R", "down", "enter")
        assert len(app.screen.list.rows) == 3
    file = space.store.read_file(KEY)
    assert (file.content, file.metadata.description) == ("- [stated] old\n", "The rules of old")


async def test_a_bucket_is_opened_from_the_welcome_screen(storage: GcsStorage, target: str) -> None:
    put(storage, KEY, "- [stated] old\n")
    app = WenchangApp(None)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        for text, outcome in (("s3://x", "stores of the kind s3 cannot be opened"), (target, "1 file")):
            await pilot.press("f", "ctrl+u")
            for character in text:
                app.post_message(events.Key(character, character))
            await pilot.press("enter")
            await until(pilot, lambda: outcome in " ".join(shown(app.screen).split()))  # noqa: B023
        await settled(pilot)
        assert browse(app).top.place == target

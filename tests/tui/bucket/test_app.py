"""The app over a bucket: the same screens."""

from tests.gcs.proxy import Proxy
from tests.tui.bucket.conftest import OpenBucket
from tests.tui.screens.drive import DEMO_SETTINGS, press, settled, shown
from wenchang.storage.gcs import GcsStorage
from wenchang_tui.app import WenchangApp
from wenchang_tui.model.demo import build_demo


async def test_a_bucket_is_browsed_like_a_folder(storage: GcsStorage, open_bucket: OpenBucket, proxy: Proxy) -> None:
    build_demo(storage)
    app = WenchangApp(open_bucket(DEMO_SETTINGS))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        seen = shown(app.screen)
        for scope in ("organization", "project", "user"):
            assert scope in seen
        await press(pilot, "2")
        assert "bytes" in shown(app.screen)
    assert {seen.kind for seen in proxy.seen} <= {"list", "metadata", "media"}

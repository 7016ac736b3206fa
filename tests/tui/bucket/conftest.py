"""Buckets on the stand-in of the storage's own tests, opened as a person opens them."""

from collections.abc import Callable

import pytest
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]

from tests.gcs.conftest import bucket, client, emulator, proxy, storage, strict_proxy
from tests.gcs.proxy import Proxy
from tests.tui.cli.conftest import cli
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.workspace import Workspace

__all__ = ["bucket", "cli", "client", "emulator", "proxy", "storage", "strict_proxy"]

OpenBucket = Callable[..., Workspace]


@pytest.fixture(autouse=True)
def _emulated(_own_home: None, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", proxy.url)
    monkeypatch.delenv("GOOGLE_CLOUD_QUOTA_PROJECT", raising=False)


@pytest.fixture
def target(bucket: Bucket) -> str:
    return f"gs://{bucket.name}"


@pytest.fixture
def open_bucket(target: str, proxy: Proxy) -> OpenBucket:
    """Opens the bucket of this test; what that asked for is forgotten."""

    def call(settings: Settings | None = None) -> Workspace:
        workspace = open_target(target, settings or Settings())
        proxy.seen.clear()
        return workspace

    return call


@pytest.fixture
def keeping_target(client: Client, bucket: Bucket) -> str:
    """A bucket that keeps former versions."""
    kept = client.bucket(f"{bucket.name}-kept")
    kept.versioning_enabled = True
    return f"gs://{client.create_bucket(kept).name}"

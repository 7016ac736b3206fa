"""Buckets on the stand-in of the storage's own tests, opened as a person opens them."""

from collections.abc import Callable

import pytest
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]

from tests.gcs.conftest import bucket, client, emulator, proxy, storage, strict_proxy
from tests.gcs.held import HeldBucket
from tests.gcs.proxy import Proxy
from tests.tui.cli.conftest import cli
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.workspace import Workspace

__all__ = ["bucket", "cli", "client", "emulator", "proxy", "storage", "strict_proxy"]

OpenBucket = Callable[..., Workspace]

LARGE_ENTITIES = 2_500
LARGE_FILES = 1_500

ENTITY_FILES = 100
"""Files of the entity `user/u000` in the bucket of 100,000 objects."""


@pytest.fixture
def large(proxy: Proxy) -> Proxy:
    """A service with a bucket `large`: a scope of many entities, and one of an entity with many files and areas."""
    names = [f"user/u{number:05}/notes/n.md" for number in range(LARGE_ENTITIES)]
    names += [f"project/p/notes/{number:05}.md" for number in range(LARGE_FILES)]
    names += [f"project/p/{area}/n.md" for area in ("zeta", "system", "alpha")]
    proxy.held["large"] = HeldBucket("large", names)
    return proxy


@pytest.fixture(scope="session")
def hundred_thousand() -> HeldBucket:
    """A bucket of 100,000 objects in 200 entities, each with four areas; the first is smaller than the others."""
    areas = ("notes", "people", "places", "system")
    names = [f"user/u000/{areas[number % 4]}/{number:03}.md" for number in range(ENTITY_FILES)]
    for number in range(100_000 - ENTITY_FILES):
        row, entity = divmod(number, 199)
        names.append(f"user/u{entity + 1:03}/{areas[row % 4]}/{row:03}.md")
    return HeldBucket("hundred-thousand", names)


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

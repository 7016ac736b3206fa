"""Buckets on the stand-in of the storage's own tests, opened as a person opens them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]

from tests.gcs.conftest import bucket, client, emulator, proxy, storage, strict_proxy
from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import Proxy, running_proxy
from tests.tui.cli.conftest import cli
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.workspace import Workspace

__all__ = ["bucket", "cli", "client", "emulator", "proxy", "storage", "strict_proxy"]

OpenBucket = Callable[..., Workspace]

LARGE_ENTITIES = 2_500
LARGE_FILES = 1_500


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A service with a bucket `large`: a scope of many entities, and one of an entity with many files and areas."""
    seed = tmp_path_factory.mktemp("seed")
    for number in range(LARGE_ENTITIES):
        _touch(seed, f"user/u{number:05}/notes/n.md")
    for number in range(LARGE_FILES):
        _touch(seed, f"project/p/notes/{number:05}.md")
    for area in ("zeta", "system", "alpha"):
        _touch(seed, f"project/p/{area}/n.md")
    with running_emulator(seed) as port, running_proxy(port) as proxy:
        yield proxy


def _touch(seed: Path, key: str) -> None:
    path = seed / "large" / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


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

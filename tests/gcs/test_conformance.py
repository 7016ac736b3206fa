"""`GcsStorage` keeps the contract of every storage, on a stand-in that is known to enforce preconditions."""

from google.cloud.storage import Client  # type: ignore[import-untyped]

from tests.gcs.conftest import client_of
from tests.gcs.self_check import ignored_preconditions
from wenchang.testing import StorageConformance


class TestGcsStorage(StorageConformance):
    """With the fixture `storage` of this folder."""


def test_a_stand_in_that_ignores_preconditions_is_noticed(emulator: int) -> None:
    bare: Client = client_of(f"http://127.0.0.1:{emulator}")
    assert ignored_preconditions(bare.create_bucket("bare-emulator")) == ["metadata", "media", "delete"]

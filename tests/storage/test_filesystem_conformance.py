"""`FilesystemStorage` keeps the contract of every storage: durable or not, and without remembering anything."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from wenchang.storage import ListedObject, Storage, StoredObject
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.testing import StorageConformance
from wenchang.version_token import VersionToken


class OpenedAnew:
    """A folder opened afresh for every call, as by programs that run one after the other."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _storage(self) -> FilesystemStorage:
        return FilesystemStorage(self._root, durable=False)

    def get(self, key: str) -> StoredObject | None:
        return self._storage().get(key)

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        return self._storage().put(key, data, metadata)

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        return self._storage().put_if_version(key, data, metadata, expected)

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self._storage().delete_if_version(key, expected)

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        return self._storage().list_page(prefix, start_after, limit)


class TestDurable(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Storage:
        return FilesystemStorage(tmp_path / "memory")


class TestNotDurable(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Storage:
        return FilesystemStorage(tmp_path / "memory", durable=False)


class TestOpenedAnew(StorageConformance):
    @pytest.fixture
    def storage(self, tmp_path: Path) -> Storage:
        return OpenedAnew(tmp_path / "memory")

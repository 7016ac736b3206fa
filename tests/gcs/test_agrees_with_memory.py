"""`GcsStorage` does what `InMemoryStorage` does, through random histories."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest
from google.cloud.storage import Client  # type: ignore[import-untyped]
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from wenchang.storage import PreconditionFailedError, Storage
from wenchang.storage.gcs import GcsStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken

KEYS = st.sampled_from(("a", "a-b", "a/b", "a/b/c", "a/", "A", "%61", "é", "\uff5a", "😀", "a\x00"))
PREFIXES = st.sampled_from(("", "a", "a/", "a/b", "é", "%", "b"))
TEXTS = st.text(st.sampled_from("a%é\n\x00\u2028 "), max_size=5)
MAPS = st.dictionaries(st.sampled_from(("description", "last-updated", "é")), TEXTS, max_size=2)
BODIES = st.binary(max_size=8)
NUMBERS = count()

# Which earlier write, of any key, gave the version that a caller names; -1 for a version that no write gave.
WRITES = st.integers(-1, 30)


class StoragesAgree(RuleBasedStateMachine):
    client: Client

    def __init__(self) -> None:
        super().__init__()
        bucket = self.client.create_bucket(f"history-{next(NUMBERS)}")
        self.storages: tuple[Storage, ...] = (GcsStorage(bucket), InMemoryStorage())
        self.writes: list[tuple[VersionToken, ...]] = []

    def do(self, act: Callable[[Storage, int], VersionToken]) -> None:
        """Write alike to both: with the same success, and a version that is new in each."""
        versions: list[VersionToken] = []
        for index, storage in enumerate(self.storages):
            with suppress(PreconditionFailedError):
                versions.append(act(storage, index))
        assert len(versions) in (0, len(self.storages))
        if versions:
            assert not [write for write in self.writes if write[0] == versions[0] or write[1] == versions[1]]
            self.writes.append(tuple(versions))

    def named(self, write: int, index: int) -> VersionToken:
        return self.writes[write][index] if 0 <= write < len(self.writes) else VersionToken("99")

    def write_of(self, index: int, version: VersionToken) -> int:
        return [write[index] for write in self.writes].index(version)

    @rule(key=KEYS, data=BODIES, metadata=MAPS)
    def put(self, key: str, data: bytes, metadata: dict[str, str]) -> None:
        self.do(lambda storage, _: storage.put(key, data, metadata))

    @rule(key=KEYS, data=BODIES, metadata=MAPS)
    def create(self, key: str, data: bytes, metadata: dict[str, str]) -> None:
        self.do(lambda storage, _: storage.put_if_version(key, data, metadata, None))

    @rule(key=KEYS, data=BODIES, metadata=MAPS, write=WRITES)
    def replace(self, key: str, data: bytes, metadata: dict[str, str], write: int) -> None:
        self.do(lambda storage, index: storage.put_if_version(key, data, metadata, self.named(write, index)))

    @rule(key=KEYS, data=BODIES)
    def update(self, key: str, data: bytes) -> None:
        if self.storages[0].get(key) is not None:
            self.do(lambda storage, _: storage.put_if_version(key, data, {}, current(storage, key)))

    @rule(key=KEYS, write=WRITES)
    def delete(self, key: str, write: int) -> None:
        outcomes = []
        for index, storage in enumerate(self.storages):
            with suppress(PreconditionFailedError):
                storage.delete_if_version(key, self.named(write, index))
                outcomes.append(index)
        assert outcomes in ([], [0, 1])

    @rule(key=KEYS)
    def get(self, key: str) -> None:
        read = [storage.get(key) for storage in self.storages]
        told = [
            found and (found.data, dict(found.metadata), self.write_of(index, found.version))
            for index, found in enumerate(read)
        ]
        assert told[0] == told[1]

    @rule(prefix=PREFIXES, after=st.none() | KEYS | PREFIXES, limit=st.integers(1, 4))
    def list_page(self, prefix: str, after: str | None, limit: int) -> None:
        told = [
            [(row.key, dict(row.metadata), self.write_of(index, row.version), row.size) for row in page]
            for index, page in enumerate(storage.list_page(prefix, after, limit) for storage in self.storages)
        ]
        assert told[0] == told[1]


def current(storage: Storage, key: str) -> VersionToken:
    found = storage.get(key)
    assert found is not None
    return found.version


def test_storages_agree(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoragesAgree, "client", client, raising=False)
    run_state_machine_as_test(
        StoragesAgree, settings=settings(max_examples=25, stateful_step_count=25, deadline=None, database=None)
    )

"""The storages do the same thing as a plain dictionary, and so as one another, through long random histories."""

import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from wenchang.storage import PreconditionFailedError, Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken

SEGMENTS = ("a", "a-b", "ab", "A", "a.", "con", "%", "%61", "é", "😀", ".", "..", "", "\ud800", "a\nb")
FEW = ("a", "a-b", "a/b", "a/b/c", "A", "a.", "con", "%", "é", ".", "", "\ud800")
KEYS = st.sampled_from(FEW) | st.sampled_from(["/".join(pair) for pair in product(SEGMENTS, SEGMENTS)])
PREFIXES = st.sampled_from(("", "a", "a/", "a-", "a/b", "/", ".", "%", "\ud800")) | KEYS
TEXTS = st.text(st.sampled_from("a%é\n\x00\u2028"), max_size=5)
BODIES = st.binary(max_size=8) | st.sampled_from((b"\r\n", b"same", b"x" * 70_000))
MAPS = st.dictionaries(st.sampled_from(("description", "last-updated", "é")), TEXTS)

# How a caller comes by the version it names: it knows of no object, read the current one, kept one of some earlier
# write to any key, or made it up.
NAMED = st.sampled_from(("current", "made up")) | st.integers(0, 60)
VERSIONS = st.just("none") | NAMED


@dataclass(frozen=True, slots=True)
class Kept:
    """An object of the model; `write` numbers the write that made it."""

    data: bytes
    metadata: dict[str, str]
    write: int


@dataclass(slots=True)
class Watched:
    """A storage, with what it called each write."""

    storage: Storage
    tokens: dict[int, VersionToken] = field(default_factory=dict)

    def note(self, write: int, token: VersionToken) -> None:
        assert token not in self.tokens.values(), "a version came back"
        self.tokens[write] = token

    def number(self, token: VersionToken) -> int:
        return next(write for write, known in self.tokens.items() if known == token)

    def listed(self, prefix: str, after: str | None, limit: int) -> list[tuple[str, dict[str, str], int, int | None]]:
        page = self.storage.list_page(prefix, after, limit)
        return [(row.key, dict(row.metadata), self.number(row.version), row.size) for row in page]


class StoragesAgree(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.disk = Watched(FilesystemStorage(self.root / "memory", durable=False))
        self.all = (Watched(InMemoryStorage()), self.disk)
        self.model: dict[str, Kept] = {}
        self.writes = count()

    def teardown(self) -> None:
        self.page("", None, 1000)
        for key in list(self.model):
            self.delete(key, "current")
        files = [path.name for path in self.root.rglob("*") if path.is_file()]
        shutil.rmtree(self.root)
        assert not [name for name in files if not name.endswith("%lock")], "what is deleted leaves no file"

    @rule()
    def reopen(self) -> None:
        self.disk.storage = FilesystemStorage(self.root / "memory", durable=False)

    @rule(key=KEYS, data=BODIES, metadata=MAPS)
    def put(self, key: str, data: bytes, metadata: dict[str, str]) -> None:
        self.model[key] = Kept(data, metadata, next(self.writes))
        for watched in self.all:
            watched.note(self.model[key].write, watched.storage.put(key, data, metadata))

    @rule(key=KEYS, data=BODIES, metadata=MAPS, version=VERSIONS)
    def put_if_version(self, key: str, data: bytes, metadata: dict[str, str], version: str | int) -> None:
        accepted = self.matches(key, version)
        write = next(self.writes)
        for watched in self.all:
            expected = self.token(watched, key, version)
            token = None
            with suppress(PreconditionFailedError):
                token = watched.storage.put_if_version(key, data, metadata, expected)
                watched.note(write, token)
            assert (token is not None) == accepted
        if accepted:
            self.model[key] = Kept(data, metadata, write)

    @rule(key=KEYS, version=NAMED)
    def delete(self, key: str, version: str | int) -> None:
        accepted = self.matches(key, version)
        for watched in self.all:
            expected = self.token(watched, key, version) or VersionToken("")
            done = False
            with suppress(PreconditionFailedError):
                watched.storage.delete_if_version(key, expected)
                done = True
            assert done == accepted
        if accepted:
            del self.model[key]

    @rule(key=KEYS)
    def get(self, key: str) -> None:
        kept = self.model.get(key)
        for watched in self.all:
            found = watched.storage.get(key)
            assert (found and Kept(found.data, dict(found.metadata), watched.number(found.version))) == kept

    @rule(prefix=PREFIXES, after=st.none() | KEYS, limit=st.sampled_from((1, 2, 3, 1000)))
    def page(self, prefix: str, after: str | None, limit: int) -> None:
        keys = sorted(key for key in self.model if key.startswith(prefix) and (after is None or key > after))
        kept = [(key, self.model[key]) for key in keys[:limit]]
        expected = [(key, it.metadata, it.write, len(it.data)) for key, it in kept]
        for watched in self.all:
            assert watched.listed(prefix, after, limit) == expected

    @rule(prefix=PREFIXES, limit=st.integers(1, 3))
    def drain(self, prefix: str, limit: int) -> None:
        for watched in self.all:
            drained: list[str] = []
            while page := watched.storage.list_page(prefix, drained[-1] if drained else None, limit):
                drained += [row.key for row in page]
            assert drained == sorted(key for key in self.model if key.startswith(prefix))

    def matches(self, key: str, version: str | int) -> bool:
        """Whether the object at `key` is where a caller that names `version` believes it to be."""
        kept = self.model.get(key)
        if version == "none" or (version == "current" and kept is None):
            return kept is None and version == "none"
        return kept is not None and version in ("current", kept.write)

    def token(self, watched: Watched, key: str, version: str | int) -> VersionToken | None:
        """How `watched` spells `version`."""
        if version == "none":
            return None
        kept = self.model.get(key)
        if version == "current" and kept is not None:
            return watched.tokens[kept.write]
        known = watched.tokens.get(version) if isinstance(version, int) else None
        return known or VersionToken("made up")


TestStoragesAgree = StoragesAgree.TestCase
TestStoragesAgree.settings = settings(max_examples=120, stateful_step_count=50, deadline=None)

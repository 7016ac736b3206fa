"""Where everybody works: one fresh memory, in a folder or in a bucket, and who may use it."""

import http.client
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import Proxy, running_proxy
from wenchang.identity import Identity, ScopeGrant
from wenchang.paths import build_path
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage

IDENTITY = Identity({"user": ScopeGrant("me", "owner"), "team": ScopeGrant("us", "owner")})
GRANTS = ("--grant=user=me", "--grant=team=us")
PLACES = (("user", "notes", "a"), ("user", "notes", "b"), ("user", "diary", "a"), ("team", "notes", "a"))
CURATED = ("user", "system", "rules")
"""Written by people alone: elsewhere an agent is always faster."""


@dataclass(frozen=True, slots=True)
class Site:
    """One memory: in a folder, or in a bucket of the emulator, whose address stands in the environment."""

    scratch: Path
    seed: int
    target: str

    @property
    def journals(self) -> Path:
        return self.scratch / "journals"

    @property
    def is_folder(self) -> bool:
        """Whether a refusal is certain: of a bucket, an answer may have been lost and the question asked again."""
        return not self.target.startswith("gs://")

    def open(self) -> Storage:
        if self.is_folder:
            return FilesystemStorage(self.target)
        from wenchang.storage.gcs import GcsStorage, open_bucket

        return GcsStorage(open_bucket(self.target.removeprefix("gs://")))

    def final(self) -> dict[str, str]:
        """What stands in each place."""
        storage = self.open()
        found = {
            "/".join(p): storage.get(build_path(p[0], IDENTITY.entity_id(p[0]), *p[1:])) for p in (*PLACES, CURATED)
        }
        return {place: standing.data.decode() for place, standing in found.items() if standing}


@contextmanager
def site_of(seed: int, *, bucket: bool) -> Iterator[tuple[Site, Proxy | None]]:
    """A fresh memory, with a home for its programs that holds nothing of the user's."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wenchang-soak-")))
        (scratch / "journals").mkdir()
        homes = {name: str(scratch) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        stack.enter_context(patch.dict(os.environ, homes))
        if not bucket:
            (scratch / "memory").mkdir()
            yield Site(scratch, seed, str(scratch / "memory")), None
            return
        proxy = stack.enter_context(running_proxy(stack.enter_context(running_emulator())))
        os.environ["STORAGE_EMULATOR_HOST"] = proxy.url
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port)
        connection.request(
            "POST", "/storage/v1/b?project=soak", '{"name": "soak"}', {"Content-Type": "application/json"}
        )
        assert connection.getresponse().status == 200
        connection.close()
        yield Site(scratch, seed, "gs://soak"), proxy

"""A server with a store behind it and clients in front of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from wenchang.core import MemoryStore
from wenchang.gate import Gate
from wenchang.identity import Identity, ScopeGrant
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.agent.callers import Caller, new_token
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.recorder import Recorder
from wenchang_tui.agent.server import Server
from wenchang_tui.agent.service import Service
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace

TIANLONG = Identity({"user": ScopeGrant("u-tianlong", "owner")})
INK = {"scope": "user", "area": "notes", "name": "ink"}
INK_PATH = "user/u-tianlong/notes/ink.md"
NEW_INK = {**INK, "content": "- [stated] Black.\n", "description": "Ink", "aliases": ["墨"], "expected_version": None}
LIMIT_S = 30
"""How long a test waits for what must come: a bound on hanging, not on slowness."""


def workspace_over(storage: Storage | None = None, store: MemoryStore | None = None, **settings: Any) -> Workspace:
    storage = storage or InMemoryStorage()
    return Workspace("test", "folder", storage, store or MemoryStore(storage), Settings(**settings), None)


class Site:
    """One server for one store, its callers, its records and its gate."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        identities: Sequence[Identity] = (TIANLONG,),
        *,
        callers: Sequence[Caller] = (),
        report: Callable[[Call], object] | None = None,
        port: int = 0,
        allowed_hosts: Sequence[str] = (),
    ) -> None:
        self.workspace = workspace or workspace_over()
        self.recorder = Recorder()
        self.gate = Gate()
        made = [Caller(f"caller {n}", identity, new_token()) for n, identity in enumerate(identities)]
        self.callers = list(callers) or made
        service = Service(self.workspace, report=report or self.recorder.add, gate=self.gate)
        self.server = Server(service, self.callers, port=port, allowed_hosts=allowed_hosts)

    @property
    def store(self) -> MemoryStore:
        return self.workspace.store

    def client(self, caller: int = 0, *, mode: Any = "auto") -> Client:
        assert self.server.url is not None
        headers = {"Authorization": f"Bearer {self.callers[caller].token}"}
        http = create_mcp_http_client(headers=headers)
        return Client(streamable_http_client(self.server.url, http_client=http), mode=mode)


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    problem = site.server.start()
    assert problem is None, problem
    try:
        yield site
    finally:
        site.server.stop()

"""Rows of other memory servers, those that are installed, doing the same over MCP: write, list all, read.

The floor is the peer: below 1 the product is faster, though it flushes what it writes to the disk and they do not.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from anyio.from_thread import start_blocking_portal

from tests.benchmarks.agents import Client
from tests.benchmarks.measuring import Benchmark, LeftOutError, Pair, Place, seconds

_MEMORIES = 500
_BODY = "\n".join(f"- [stated] line {number} of a memory about deploy and review on monday" for number in range(13))

Step = tuple[str, dict[str, Any]]
"""A tool and its arguments, in which `{root}`, `{name}` and `{body}` stand for what they say."""


@dataclass(frozen=True, slots=True)
class Server:
    """A memory server: how it is started, and its calls for the work of each row."""

    command: Sequence[str]
    write: Step
    index: Step
    read: Step
    environment: Mapping[str, str]


_NAMED = {"scope": "user", "area": "facts", "name": "{name}"}
_OURS = Server(
    command=(sys.executable, "-m", "wenchang_tui", "serve", "{root}", "--create", "--grant", "user=alice"),
    write=(
        "write_file",
        {**_NAMED, "content": "{body}", "description": "about monday", "aliases": [], "expected_version": None},
    ),
    index=("get_memory_index", {}),
    read=("read_file", _NAMED),
    environment={},
)
_PEERS = {
    "basic-memory": Server(
        command=("basic-memory", "mcp"),
        write=("write_note", {"title": "{name}", "directory": "facts", "content": "{body}"}),
        index=("list_directory", {"dir_name": "/", "depth": 5}),
        read=("read_note", {"identifier": "facts/{name}"}),
        environment={"HOME": "{root}", "BASIC_MEMORY_HOME": "{root}/notes", "FASTMCP_CHECK_FOR_UPDATES": "off"},
    ),
    "server-memory": Server(
        command=("mcp-server-memory",),
        write=(
            "create_entities",
            {"entities": [{"name": "{name}", "entityType": "fact", "observations": ["{body}"]}]},
        ),
        index=("read_graph", {}),
        read=("open_nodes", {"names": ["{name}"]}),
        environment={"MEMORY_FILE_PATH": "{root}/memory.jsonl"},
    ),
    "server-filesystem": Server(
        command=("mcp-server-filesystem", "{root}"),
        write=("write_file", {"path": "{root}/{name}.md", "content": "{body}"}),
        index=("directory_tree", {"path": "{root}"}),
        read=("read_text_file", {"path": "{root}/{name}.md"}),
        environment={},
    ),
}


class Running:
    """A server with a number of memories in it."""

    def __init__(self, server: Server, name: str, place: Place, memories: int) -> None:
        root = place.folder / name
        root.mkdir()
        self._texts = {"root": str(root), "body": _BODY, "name": ""}
        self._numbers = count()
        self._server = server
        portal = place.cleanup.enter_context(start_blocking_portal())
        environment = {**os.environ, **self._filled(dict(server.environment))}
        self._client = Client(portal, place.cleanup, self._filled(list(server.command)), environment)
        for _ in range(memories):
            self.write()

    def write(self) -> None:
        self._texts["name"] = f"memory-{next(self._numbers):06}"
        self._call(self._server.write)

    def index(self) -> None:
        self._call(self._server.index)

    def read(self) -> None:
        self._call(self._server.read)

    def _call(self, step: Step) -> None:
        self._client.call(*self._filled(step))

    def _filled(self, value: Any) -> Any:
        text = json.dumps(value)
        for name, filling in self._texts.items():
            text = text.replace(f"{{{name}}}", json.dumps(filling)[1:-1])
        return json.loads(text)


def beside(peer: str, work: str, place: Place) -> Pair:
    server = _PEERS[peer]
    if shutil.which(server.command[0]) is None:
        raise LeftOutError(f"{server.command[0]} is not installed")
    memories = place.size(_MEMORIES - 100, 2)
    sides = (Running(_OURS, "ours", place, memories), Running(server, "theirs", place, memories))
    return Pair(*(seconds(getattr(side, work)) for side in sides))


ROWS = tuple(
    Benchmark(f"peer-{peer}-{work}", 1.0, partial(beside, peer, work), runs=15)
    for peer in _PEERS
    for work in ("write", "index", "read")
)

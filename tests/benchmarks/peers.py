"""Rows of other memory servers, those that are installed, doing the same over MCP: write, list all, read, append.

The floor is the peer: below 1 the product is faster, though it flushes what it writes to the disk and they do not. With
two writers the cost is what a line takes that is still there at the end, so a peer that loses lines pays for them.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp.types import CallToolResult

from tests.benchmarks.agents import Client
from tests.benchmarks.measuring import Benchmark, LeftOutError, Pair, Place, seconds

_MEMORIES = 500
_LINES = 50
_BODY = "".join(f"- [stated] line {number} of a memory about deploy and review on monday\n" for number in range(13))

Step = tuple[str, dict[str, Any]]
"""A tool and its arguments, in which `{root}`, `{name}`, `{body}`, `{line}` and `{version}` stand for what they say."""


@dataclass(frozen=True, slots=True)
class Server:
    """A memory server: how it is started, and its calls for the work of each row."""

    command: Sequence[str]
    write: Step
    index: Step
    read: Step
    append: Sequence[Step]  # all that an agent calls that has not read the memory before
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
    append=(
        ("read_file", _NAMED),
        ("append_line", {**_NAMED, "line": "- [stated] {line}", "expected_version": "{version}"}),
    ),
    environment={},
)
_PEERS = {
    "basic-memory": Server(
        command=("basic-memory", "mcp"),
        write=("write_note", {"title": "{name}", "directory": "facts", "content": "{body}"}),
        index=("list_directory", {"dir_name": "/", "depth": 5}),
        read=("read_note", {"identifier": "facts/{name}"}),
        append=(("edit_note", {"identifier": "facts/{name}", "operation": "append", "content": "\n{line}"}),),
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
        append=(("add_observations", {"observations": [{"entityName": "{name}", "contents": ["{line}"]}]}),),
        environment={"MEMORY_FILE_PATH": "{root}/memory.jsonl"},
    ),
    "server-filesystem": Server(
        command=("mcp-server-filesystem", "{root}"),
        write=("write_file", {"path": "{root}/{name}.md", "content": "{body}(end)\n"}),
        index=("directory_tree", {"path": "{root}"}),
        read=("read_text_file", {"path": "{root}/{name}.md"}),
        append=(
            (
                "edit_file",
                {"path": "{root}/{name}.md", "edits": [{"oldText": "(end)", "newText": "{line}\n(end)"}]},
            ),
        ),
        environment={},
    ),
}


class Running:
    """A server on a folder, and what an agent does with it."""

    def __init__(self, server: Server, root: Path, place: Place) -> None:
        root.mkdir(exist_ok=True)
        self._texts = {"root": str(root), "body": _BODY}
        self._numbers = count()
        self._server = server
        portal = place.cleanup.enter_context(start_blocking_portal())
        environment = {**os.environ, **self._filled(dict(server.environment))}
        self._client = Client(portal, place.cleanup, self._filled(list(server.command)), environment)

    def write(self) -> None:
        self._texts["name"] = f"memory-{next(self._numbers):06}"
        self._client.call(*self._filled(self._server.write))

    def index(self) -> None:
        self._client.call(*self._filled(self._server.index))

    def read(self) -> str:
        """The text of the memory written last."""
        return _text(self._client.call(*self._filled(self._server.read)))

    def append(self) -> None:
        self.append_to(self._texts["name"], f"line {next(self._numbers)} of what was added")

    def append_to(self, name: str, line: str) -> None:
        """Add a line to a memory, again and again until the server takes it."""
        self._texts.update(name=name, line=line)
        while not all(self._is_taken(step) for step in self._server.append):
            pass

    def _is_taken(self, step: Step) -> bool:
        answer = self._client.ask(*self._filled(step))
        self._texts["version"] = str((answer.structured_content or {}).get("version"))
        return not answer.is_error

    def _filled(self, value: Any) -> Any:
        text = json.dumps(value)
        for name, filling in self._texts.items():
            text = text.replace(f"{{{name}}}", json.dumps(filling)[1:-1])
        return json.loads(text)


def _text(answer: CallToolResult) -> str:
    return "".join(getattr(block, "text", "") for block in answer.content)


def _sides(peer: str) -> Iterator[tuple[Server, str]]:
    server = _PEERS[peer]
    if shutil.which(server.command[0]) is None:
        raise LeftOutError(f"{server.command[0]} is not installed")
    yield _OURS, "ours"
    yield server, "theirs"


def beside(peer: str, work: str, place: Place) -> Pair:
    """Both do the same with a number of memories in them."""
    running = [Running(server, place.folder / name, place) for server, name in _sides(peer)]
    for side in running:
        for _ in range(place.size(_MEMORIES - 100, 2)):
            side.write()
    return Pair(*(seconds(getattr(side, work)) for side in running))


def two_writers(peer: str, place: Place) -> Pair:
    """Two processes append to one memory at once: the seconds for each line that is kept."""
    pairs = [[Running(server, place.folder / name, place) for _ in range(2)] for server, name in _sides(peer)]
    return Pair(*(partial(_race, pair, place.size(_LINES, 3)) for pair in pairs))


def _race(writers: Sequence[Running], lines: int) -> float:
    first = writers[0]
    first.write()
    name = first._texts["name"]
    said = [[f"writer {number} says {line:04}" for line in range(lines)] for number in range(len(writers))]

    def work(writer: Running, own: Sequence[str]) -> None:
        for line in own:
            writer.append_to(name, line)

    began = time.perf_counter()
    with ThreadPoolExecutor(len(writers)) as pool:
        list(pool.map(work, writers, said))
    took = time.perf_counter() - began
    text = first.read()
    kept = sum(line in text for own in said for line in own)
    told = f"{Path(first._server.command[0]).name} kept {kept} of {len(writers) * lines} lines"
    print(told, file=sys.stderr)  # noqa: T201
    return took / kept


ROWS = tuple(
    row
    for peer in _PEERS
    for row in (
        *(
            Benchmark(f"peer-{peer}-{work}", 1.0, partial(beside, peer, work), runs=15)
            for work in ("write", "index", "read", "append")
        ),
        Benchmark(f"peer-{peer}-two-writers", 1.0, partial(two_writers, peer), runs=3),
    )
)

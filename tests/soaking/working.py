"""Agents and programs at work: each reads a file, changes it in one way or another, and keeps account of it."""

import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from tests.soaking.histories import Change, Journal, marks_in
from tests.soaking.site import IDENTITY, PLACES, Site
from wenchang.core import MemoryStore
from wenchang.scope import ScopePolicy
from wenchang.storage import Storage
from wenchang.tools import MemoryTools, render_error, render_result
from wenchang.transport import InProcessClient

TOKEN = "soak-token-of-this-run"
LARGE = 6_000
"""From so many characters on a file is shortened by whoever comes by."""
CUT_OFF = 0.02
"""How often an agent hangs up before the answer."""

Place: TypeAlias = tuple[str, str, str]
Answer: TypeAlias = dict[str, Any]
Call: TypeAlias = Callable[[str, Mapping[str, Any]], Answer]


class CutOffError(Exception):
    """No answer came; whether the call was carried out is unknown."""


class Worker:
    """Reads a file, changes it in one way or another, and keeps account; one step at a time."""

    def __init__(self, site: Site, name: str, call: Call, life: int = 0) -> None:
        self._name, self._call, self._mark = name, call, life * 1_000_000
        self._dice = random.Random(f"{site.seed} {name} {life}")
        self._journal = Journal(site.journals / f"{name}-{life}.jsonl")
        self._certain = site.is_folder

    def step(self) -> None:
        """One reading and, mostly, one change."""
        place = self._dice.choice(PLACES)
        with suppress(CutOffError):
            if self._dice.random() < 0.1:
                self._ask(self._dice.choice(["get_memory_index", "list_prefix"]), place)
            seen = self._ask("read_file", place)
            if "error" not in seen:
                self._change(place, seen)
            elif seen["error"] == "NotFoundError":
                self._write(place, None, [], [])

    def _change(self, place: Place, seen: Answer) -> None:
        lines = str(seen["content"]).splitlines()
        chance = self._dice.random()
        if len(seen["content"]) > LARGE:
            self._write(place, seen, lines[-10:], lines[:-10])
        elif chance < 0.03:
            self._do("delete_file", place, seen, [], marks_in(seen["content"]))
        elif chance < 0.3 and lines:
            gone = self._dice.randrange(len(lines))
            self._write(place, seen, lines[:gone] + lines[gone + 1 :], lines[gone : gone + 1])
        elif chance < 0.5 and (found := marks_in(seen["content"])):
            old, new = self._dice.choice(found), self._new_mark()
            self._do("replace_fact", place, seen, [new], [old], old_string=f"{old}\n", new_string=f"{new}\n",
                     description=f"Changed by {new}")  # fmt: skip
        else:
            mark = self._new_mark()
            self._do("append_line", place, seen, [mark], [], line=f"- [stated] {mark}",
                     description=f"Changed by {mark}")  # fmt: skip

    def _write(self, place: Place, seen: Answer | None, kept: Sequence[str], dropped: Sequence[str]) -> None:
        mark = self._new_mark()
        content = "".join(f"{line}\n" for line in [*kept, f"- [stated] {mark}"])
        self._do("write_file", place, seen, [mark], marks_in("\n".join(dropped)), content=content,
                 description=f"Changed by {mark}", aliases=[self._name])  # fmt: skip

    def _new_mark(self) -> str:
        self._mark += 1
        return f"<{self._name}-{self._mark}>"

    def _do(
        self,
        tool: str,
        place: Place,
        seen: Answer | None,
        adds: list[str],
        removes: list[str],
        **more: Any,
    ) -> None:
        expected = seen["version"] if seen else None
        base = expected if self._stands_on(tool) else None
        number = self._journal.begin(Change(tool, "/".join(place), base, adds, removes))
        answer = self._ask(tool, place, expected_version=expected, **more)
        if "error" not in answer:
            self._journal.end(number, "done", answer.get("version"))
        elif answer["category"] == "recoverable" and self._certain:
            self._journal.end(number, "refused")

    def _stands_on(self, tool: str) -> bool:
        """Whether a success proves that the version expected was there. A deletion that may have been asked for twice
        is one that finds nothing the second time.
        """
        return tool != "replace_fact" and (self._certain or tool != "delete_file")

    def _ask(self, tool: str, place: Place, **more: Any) -> Answer:
        names = {"get_memory_index": (), "list_prefix": ("scope", "area")}.get(tool, ("scope", "area", "name"))
        answer = self._call(tool, {**dict(zip(names, place, strict=False)), **more})
        if answer.get("category") not in (None, "recoverable", "transient"):
            self._journal.broken(f"{tool} was answered with {answer}")
        if "content" in answer and "sources" in answer:
            self._look(place, answer)
        return answer

    def _look(self, place: Place, file: Answer) -> None:
        parts = [file[part] for part in ("content", "description", "aliases", "sources", "last_updated")]
        standing = Counter(marks_in(file["content"]))
        fits = standing.keys() >= set(marks_in(file["description"]))
        self._journal.saw("/".join(place), file["version"], *parts, fits=fits)
        if any(times > 1 for times in standing.values()):
            self._journal.broken(f"doubled: {standing.most_common(1)} in {place} at {file['version']}")


class Agent:
    """Calls tools over HTTP, and sometimes hangs up before the answer."""

    def __init__(self, port: int, dice: random.Random) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._dice = dice
        self.hung_up = 0

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        try:
            self._connection.request("POST", "/mcp", body, headers)
            if self._dice.random() < CUT_OFF:
                self.hung_up += 1
                raise ConnectionAbortedError
            answer = json.loads(self._connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._connection.close()
            if isinstance(error, ConnectionRefusedError):
                time.sleep(0.2)
            raise CutOffError from error
        if "result" not in answer:  # the server is stopping
            raise CutOffError
        return dict(answer["result"]["structuredContent"])


def program(storage: Storage) -> Call:
    """Calls of a program that uses the library."""
    tools = MemoryTools(InProcessClient(MemoryStore(storage)), IDENTITY, ScopePolicy({}), source="program").tools()

    def call(tool: str, arguments: Mapping[str, Any]) -> Answer:
        try:
            return render_result(tools[tool](**arguments))
        except Exception as error:
            return render_error(error)

    return call

"""Two callers of one store never reach each other's memory, whatever they pass."""

import itertools
import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from tests.tools.support import QIAO, ZHOU, make_store, make_tools
from wenchang.core import MemoryStore
from wenchang.errors import WenchangError
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import TOOL_NAMES, MemoryTools, render_error, render_result

SECRET = "- [stated] Zhou keeps a secret.\n"
FOREIGN = ("user/u-zhou/", "project/p-2/", "user/p-1/", "u-zhou/")


def everything(storage: InMemoryStorage) -> dict[str, tuple[bytes, str]]:
    found = {}
    for row in storage.list_page("", None, 10_000):
        item = storage.get(row.key)
        assert item is not None
        found[row.key] = (item.data, str(item.version))
    return found


def world() -> tuple[InMemoryStorage, MemoryStore, MemoryTools]:
    """A store with Zhou's memory in it, and Qiao's tools."""
    storage, store = make_store(list_page_size=2)
    zhou = make_tools(store, ZHOU)
    for name in ("secret", "diary", "letters"):
        zhou.write_file("user", "notes", name, SECRET, f"Zhou's {name}", ["hidden"], None)
    storage.put("project/p-2/notes/secret.md", SECRET.encode(), {"description": "other project"})
    return storage, store, make_tools(store, QIAO)


SCOPES = (
    "user",
    "project",
    "User",
    "user ",
    "user/u-zhou",
    "../user",
    "user/u-zhou/notes",
    "user\\u-zhou",
    "u-zhou",
    "*",
    "",
    ".",
    "..",
    "\u202euser",
    "ｕser",
    "user\x00",
)
AREAS = ("notes", "../u-zhou/notes", "u-zhou/notes", "..", ".", "", "notes/", "/", "*", "../../user/u-zhou/notes")
NAMES = (
    "secret",
    "../../u-zhou/notes/secret",
    "../secret",
    "..",
    ".",
    "",
    "secret.md",
    "/user/u-zhou/notes/secret",
    "..\\..\\u-zhou\\notes\\secret",
    "%2e%2e%2fsecret",
    "secret\x00",
    "secret\n",
    "*",
)
REST: dict[str, Any] = {
    "content": "overwritten\n",
    "description": "d",
    "aliases": [],
    "line": "- [stated] overwritten",
    "old_string": "- [stated]",
    "new_string": "overwritten",
}


def attempts(version: Any) -> Any:
    """Every tool with every trick in its place."""
    for scope, area, name in itertools.product(SCOPES, AREAS, NAMES):
        place = (scope, area, name)
        yield "read_file", place
        yield "write_file", (*place, REST["content"], "d", [], version)
        yield "write_file", (*place, REST["content"], "d", [], None)
        yield "append_line", (*place, REST["line"], version)
        yield "replace_fact", (*place, REST["old_string"], REST["new_string"], version)
        yield "delete_file", (*place, version)


def answer(tools: MemoryTools, tool: str, arguments: tuple[Any, ...]) -> str:
    try:
        return json.dumps(render_result(getattr(tools, tool)(*arguments)))
    except (WenchangError, MetadataFormatError) as error:
        return json.dumps(render_error(error))


def test_no_place_an_agent_can_name_is_anothers() -> None:
    storage, store, qiao = world()
    before = everything(storage)
    version = store.read_file("user/u-zhou/notes/secret.md").version
    for tool, arguments in attempts(version):
        said = answer(qiao, tool, arguments)
        assert "Zhou" not in said, (tool, arguments)
        assert '"u-zhou"' not in said.replace("'u-zhou'", ""), (tool, arguments)
    after = everything(storage)
    own = ("user/u-qiao/", "project/p-1/", "press/o-1/")
    assert {key: item for key, item in after.items() if not key.startswith(own)} == before
    assert any(key.startswith("user/u-qiao/") for key in after)


def test_no_listing_shows_what_is_anothers() -> None:
    _, store, qiao = world()
    cursors: list[str | None] = [
        make_tools(store, ZHOU).list_prefix("user", area).next_cursor for area in ("notes", None)
    ]
    cursors += [urlsafe_b64encode(f"{prefix}notes/a.md".encode()).decode() for prefix in FOREIGN]
    cursors += ["user/u-zhou/notes/", "..", None]
    for scope, area, cursor in itertools.product(SCOPES, (None, *AREAS), cursors):
        said = answer(qiao, "list_prefix", (scope, area, cursor))
        assert "Zhou" not in said, (scope, area, cursor)
        assert "u-zhou/" not in said.replace(repr(scope), "").replace(repr(area), ""), (scope, area, cursor)
    assert json.loads(answer(qiao, "get_memory_index", ())) == {"entries": [], "capped": []}


def test_a_cursor_behind_ones_own_memory_shows_nothing_of_the_next() -> None:
    _, _, qiao = world()
    last = urlsafe_b64encode(b"user/u-qiao/\xf4\x8f\xbf\xbf").decode()
    assert json.loads(answer(qiao, "list_prefix", ("user", None, last))) == {"entries": [], "next_cursor": None}


def test_a_shared_scope_is_shared_and_its_gate_holds_for_each() -> None:
    storage, store, qiao = world()
    zhou = make_tools(store, ZHOU)
    zhou.write_file("press", "notes", "house", "x\n", "d", [], None)
    assert qiao.read_file("press", "notes", "house").content == "x\n"
    before = everything(storage)
    for tool, arguments in attempts("5"):
        if tool != "read_file":
            answer(qiao, tool, ("press", *arguments[1:]))
    assert everything(storage) == before


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_nobody_reaches_the_system_area_to_write(tool: str) -> None:
    storage, store, qiao = world()
    metadata = FileMetadata("d", (), frozenset(), store.read_file("user/u-zhou/notes/diary.md").metadata.last_updated)
    for scope, entity in (("user", "u-qiao"), ("press", "o-1")):
        store.write_file(f"{scope}/{entity}/system/rules.md", "- [system] x\n", metadata, None, source="seed")
    before = everything(storage)
    rest: dict[str, tuple[Any, ...]] = {
        "write_file": ("y", "d", [], "1"),
        "append_line": ("- [stated] y", "1"),
        "replace_fact": ("x", "y", "1"),
        "delete_file": ("1",),
    }
    for tools, scope in ((qiao, "user"), (qiao, "press"), (make_tools(store, ZHOU), "press")):
        if tool in rest:
            assert '"system_read_only"' in answer(tools, tool, (scope, "system", "rules", *rest[tool]))
    assert everything(storage) == before

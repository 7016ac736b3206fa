"""Whatever comes in from outside is read, or refused in the way that is documented; nothing else ever comes out.

`WENCHANG_FUZZ` says how many examples each target gets (5); 18000 make a million in all.
"""

import http.client
import inspect
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile import bodies, cut_or_spoilt, damaged, json_values, lines, segments, texts
from tests.tui.agent.raw_http import Probe, message
from tests.tui.agent.samples import append
from tests.tui.agent.support import Site, serving
from wenchang.core import MemoryStore
from wenchang.core.cursor import ListCursor, decode_cursor
from wenchang.errors import NameTooLongError, PermanentError, RecoverableError
from wenchang.file_format import MetadataFormatError, metadata_from_map, parse_body, serialize_body
from wenchang.filememory import TOOL_NAMES as FLAT_TOOLS
from wenchang.filememory import FileMemoryProvider
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.names import checked_name, folder_segments
from wenchang.filememory.patterns import name_matcher
from wenchang.filememory.text import on_one_line, quoted, well_formed
from wenchang.identity import Identity, ScopeGrant
from wenchang.index_cache import IndexCache
from wenchang.paths import build_path, build_prefix, is_valid_path, parse_path
from wenchang.scope import ScopePolicy
from wenchang.storage._names import decode_segment, encode_segment, key_of_parts
from wenchang.storage._sidecar import Sidecar, parse_sidecar, render_sidecar
from wenchang.storage.gcs.names import check_name as check_bucket_name
from wenchang.storage.gcs.names import offset_for
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import TOOL_NAMES, MemoryTools, render_error, render_result, tool_schemas
from wenchang.transport import InProcessClient
from wenchang.version_token import VersionToken
from wenchang_tui.agent.call_log import CallLogReader
from wenchang_tui.agent.calls import call_from_json, call_to_json
from wenchang_tui.agent.recorder import load_session, save_session
from wenchang_tui.agent.registration import Registrations
from wenchang_tui.config import ConfigError, load_config, remembered_targets
from wenchang_tui.model.alias_line import aliases_from_line, aliases_to_line
from wenchang_tui.model.archive import ArchiveError, write_archive
from wenchang_tui.model.archive_reading import open_archive
from wenchang_tui.model.content import Content
from wenchang_tui.model.linting import lint
from wenchang_tui.model.merging import merge_contents
from wenchang_tui.model.problems import OpenError
from wenchang_tui.model.safe import spelled, visible, visible_line
from wenchang_tui.model.seeding import SeedError, parse_seed
from wenchang_tui.model.settings import Settings, parse_grants, parse_priority, parse_restrictions
from wenchang_tui.model.targets import UnknownTargetError, open_any

EXAMPLES = int(os.environ.get("WENCHANG_FUZZ", "5"))
STORED = {
    "description": "Ink",
    "aliases": '["a", "墨"]',
    "sources": '["t"]',
    "last-updated": "2026-01-01T00:00:00Z",
}
SEED = b"---\ndescription: House style\naliases: [style, 'x']\n---\n- [system] one\n"
CONFIG = """[profiles.a]
target = "~/memory"
grants = ["user=u:owner"]
restrict = ["team=admin,lead"]
priority = ["team", "user"]
index_bytes = 1000
max_files = "none"
read_only = true
[profiles.a.prompt]
purpose = "x"
"""


def fuzz(strategy: st.SearchStrategy[Any], check: Callable[[Any], object]) -> None:
    """Try `check` on so many values. Whatever it raises is a fault."""

    def tried(value: Any) -> None:
        check(value)

    quick = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    quick(given(strategy)(tried))()


def read_or_refused(read: Callable[[Any], object], *refusals: type[Exception]) -> Callable[[Any], None]:
    """Reading a value is allowed to end in one of these ways, and each says something."""

    def check(value: Any) -> None:
        try:
            read(value)
        except refusals as refusal:
            said = str(refusal).strip()
        else:
            return
        assert said

    return check


# Values and grammars


def check_body(body: str) -> None:
    assert serialize_body(parse_body(body)) == body


def check_name(name: str) -> None:
    assert decode_segment(encode_segment(name)) == name


def check_in_bucket(key: str) -> None:
    offset_for(key)
    check_bucket_name(key)


def check_path(path: str) -> None:
    if is_valid_path(path):
        parts = parse_path(path)
        assert build_path(parts.scope, parts.entity_id, parts.area, parts.name) == path
    else:
        with pytest.raises(ValueError, match="invalid path"):
            parse_path(path)


def check_shown(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert visible(shown) == shown
    assert "\n" not in visible_line(text)
    assert visible_line(spelled(text)) == spelled(text)


def check_merge(three: tuple[Content, Content, Content]) -> None:
    base, theirs, mine = three
    assert merge_contents(base, base, mine).content() == mine
    merge_contents(base, theirs, mine)


def check_aliases(aliases: list[str]) -> None:
    assert aliases_from_line(aliases_to_line(aliases)) == tuple(aliases)


def check_sidecar(raw: bytes) -> None:
    found = parse_sidecar(raw)
    if found.size is not None:
        assert parse_sidecar(render_sidecar(found)) == found


CONTENTS = st.builds(Content, bodies(), lines(), st.lists(texts(), max_size=3).map(tuple))
SIDECAR = render_sidecar(Sidecar(VersionToken("1"), STORED, 5, 7, "0" * 64))

TARGETS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], object]]] = {
    "bodies": (bodies(), check_body),
    "metadata": (
        st.fixed_dictionaries({}, optional={key: st.just(value) | texts() for key, value in STORED.items()}),
        read_or_refused(metadata_from_map, MetadataFormatError),
    ),
    "paths": (st.lists(segments(), max_size=5).map("/".join), check_path),
    "places": (
        st.tuples(segments(), segments(), segments(), segments()),
        read_or_refused(lambda names: (build_path(*names), build_prefix(*names[:3])), ValueError),
    ),
    "names in a folder": (segments().filter(lambda name: "/" not in name), check_name),
    "file names in a folder": (st.tuples(texts(), texts().map("{}%obj".format)), key_of_parts),
    "sidecars": (cut_or_spoilt(SIDECAR), check_sidecar),
    "sidecars of another form": (
        damaged(json.loads(SIDECAR)).map(lambda document: json.dumps(document).encode()),
        check_sidecar,
    ),
    "names in a bucket": (
        texts(),
        read_or_refused(check_in_bucket, ValueError, NameTooLongError),
    ),
    "cursors": (texts(), read_or_refused(lambda text: decode_cursor(ListCursor(text), "user/u/"), ValueError)),
    "what is shown": (texts(), check_shown),
    "aliases typed in a line": (st.lists(texts(), max_size=4), check_aliases),
    "a line of aliases": (texts(), aliases_from_line),
    "remarks": (CONTENTS, lambda content: lint("user/u/system/a.md", content, ["t"], 1000)),
    "merges": (st.tuples(CONTENTS, CONTENTS, CONTENTS), check_merge),
    "names in a file memory": (texts().map(well_formed), read_or_refused(checked_name, FileMemoryError)),
    "folders in a file memory": (texts(), read_or_refused(folder_segments, FileMemoryError)),
    "patterns in a file memory": (st.tuples(texts(), texts()), lambda both: name_matcher(both[0])(both[1])),
    "text in a file memory": (texts(), lambda text: (on_one_line(text), quoted(text), well_formed(text))),
    "seeds": (cut_or_spoilt(SEED), read_or_refused(partial(parse_seed, "n"), SeedError)),
    "front matter": (
        texts(80).map(lambda text: b"---\n" + text.encode("utf-8", "surrogatepass") + b"\n---\nx"),
        read_or_refused(partial(parse_seed, "n"), SeedError),
    ),
    "grants": (st.lists(st.builds("{}={}:{}".format, segments(), segments(), texts()) | texts(), max_size=3),
               read_or_refused(parse_grants, ValueError)),
    "restrictions": (st.lists(st.builds("{}={}".format, segments(), texts()) | texts(), max_size=3),
                     read_or_refused(parse_restrictions, ValueError)),
    "priorities": (st.lists(segments(), max_size=3), read_or_refused(parse_priority, ValueError)),
    "calls": (
        damaged(call_to_json(append(1))),
        read_or_refused(call_from_json, ValueError),
    ),
    "listings in a cache": (
        damaged({"token": "t", "files": [["user/u/notes/a.md", *STORED.values(), "1"]]}).map(json.dumps) | texts(),
        lambda text: MemoryStore(InMemoryStorage(), index_cache=cache_of(text)).get_memory_index({"user": "u"}),
    ),
}  # fmt: skip


def cache_of(text: str) -> IndexCache:
    return IndexCache(get=lambda key: "t" if "token" in key else text, set=lambda key, value, ttl: None)


@pytest.mark.parametrize("target", TARGETS)
def test_whatever_it_is_given_it_reads_or_refuses(target: str) -> None:
    fuzz(*TARGETS[target])


# Files that the app finds


def check_file(path: Path, read: Callable[[], object], *refusals: type[Exception]) -> Callable[[bytes], None]:
    """A file of any content, as something the app comes upon."""
    check = read_or_refused(lambda _: read(), *refusals)

    def written(data: bytes) -> None:
        path.write_bytes(data)
        check(data)

    return written


def test_any_configuration_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    check = check_file(path, lambda: load_config(str(path)), ConfigError)
    fuzz(cut_or_spoilt(CONFIG.encode()), check)
    values = st.sampled_from(["[" * 4000, "{a=" * 4000, "1" * 5000, "1979-05-27", "nan", "0x", '"\\uD800"'])
    fuzz(values.map(lambda value: f"[profiles.a]\ntarget = {value}".encode()), check)


def test_any_session_is_opened_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    save_session(path, "memory", [append(1)])
    sound = path.read_bytes()
    check = check_file(path, lambda: load_session(path), ValueError)
    fuzz(cut_or_spoilt(sound), check)
    fuzz(damaged(json.loads(sound)).map(lambda document: json.dumps(document).encode()), check)


def test_any_call_log_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    line = json.dumps(call_to_json(append(1))).encode()

    def follow() -> None:
        reader = CallLogReader(path, from_start=True)
        assert len(reader.read_new()) + reader.skipped == path.read_bytes().count(b"\n")
        reader.close()

    pieces = st.lists(cut_or_spoilt(line) | st.just(line), max_size=4)
    fuzz(pieces.map(lambda found: b"\n".join([*found, b""])), check_file(path, follow))


def test_any_registration_is_taken_or_replaced(tmp_path: Path) -> None:
    registrations = Registrations(tmp_path)
    kept = registrations.of("here")
    (path,) = (tmp_path / "agent").iterdir()

    def take() -> None:
        found = registrations.of("here")
        assert found.token.isascii()
        assert registrations.of("here") == found

    document = {"target": "here", "token": kept.token, "port": 1}
    fuzz(damaged(document).map(lambda found: json.dumps(found).encode()), check_file(path, take))
    fuzz(cut_or_spoilt(path.read_bytes()), check_file(path, take))


def test_any_list_of_recent_targets_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    path = tmp_path / "wenchang" / "recent.json"
    path.parent.mkdir()
    fuzz(damaged(["a", "b"]).map(lambda found: json.dumps(found).encode()), check_file(path, remembered_targets))


def test_any_archive_is_restored_or_refused(tmp_path: Path) -> None:
    store, path = MemoryStore(InMemoryStorage()), tmp_path / "u.zip"
    storage = store._storage
    for name in ("a", "b"):
        storage.put(f"user/u/notes/{name}.md", b"- [stated] x\n", STORED)
    with path.open("wb") as file:
        write_archive(file, store.export("user", "u"))
    sound = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = [json.loads(line) for line in members["manifest.jsonl"].splitlines()]

    def read_all() -> None:
        with open_archive(path, 1000) as archive:
            for found in archive.contents.objects:
                archive.read(found)

    def zipped(documents: Any) -> bytes:
        rows = documents if isinstance(documents, list) else [documents]
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            for name, data in {**members, "manifest.jsonl": "\n".join(map(json.dumps, rows)).encode()}.items():
                archive.writestr(name, data)
        return held.getvalue()

    check = check_file(path, read_all, ArchiveError)
    fuzz(cut_or_spoilt(sound), check)
    fuzz(damaged(manifest).map(zipped), check)


def test_any_target_is_opened_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    check = read_or_refused(lambda text: open_any(text, Settings()), UnknownTargetError, OpenError)
    prefixes = st.sampled_from(["", "~/", "filememory:", "file://", "s3://", "./"])
    fuzz(st.builds("{}{}".format, prefixes, texts()), check)
    impossible = texts().filter(lambda name: not name.isascii() or len(name) < 3)
    fuzz(impossible.map("gs://{}/x".format), check)


# Tools


def arguments_of(properties: Collection[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a tool, each of which may be what it should be, or anything, or left out."""
    likely: dict[str, st.SearchStrategy[Any]] = {
        "scope": st.just("user"),
        "area": st.just("notes"),
        "name": segments(),
        "aliases": st.lists(texts(), max_size=3),
        "line": lines().map("- [stated] {}".format),
        "expected_version": st.none() | st.sampled_from("123"),
    }
    return st.fixed_dictionaries({}, optional={name: likely.get(name, texts()) | json_values() for name in properties})


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_a_tool_answers_any_arguments_or_refuses_them_as_documented(tool: str) -> None:
    client = InProcessClient(MemoryStore(InMemoryStorage()))
    identity = Identity({"user": ScopeGrant("u", "owner")})
    call = MemoryTools(client, identity, ScopePolicy({}), source="fuzz").tools()[tool]
    given = inspect.signature(call)

    def check(arguments: dict[str, Any]) -> None:
        try:
            answer = render_result(call(**dict.fromkeys(given.parameters) | arguments))
        except (RecoverableError, PermanentError) as error:
            answer = render_error(error)
        json.dumps(answer)

    fuzz(arguments_of(given.parameters), check)


@pytest.mark.parametrize("tool", FLAT_TOOLS)
def test_a_tool_of_a_file_memory_answers_or_refuses(tool: str, tmp_path: Path) -> None:
    provider = FileMemoryProvider(tmp_path)
    (spec,) = [found for found in provider.invoking().tools if found.name == tool]
    check = read_or_refused(lambda arguments: provider.call(tool, arguments), FileMemoryError)
    fuzz(arguments_of(spec.input_schema["properties"]) | json_values(), check)


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_a_server_answers_any_call_and_goes_on(tool: str) -> None:
    """Over HTTP, as text: what no client library would let through."""
    with serving(Site()) as site:
        assert site.server.address is not None
        connection = http.client.HTTPConnection(*site.server.address)
        probe = Probe(site.server.address, site.callers[0].token)
        usual = {"Mcp-Method": "tools/call", "Mcp-Name": tool, "Connection": "keep-alive"}
        headers = {name: value for name, value in probe.headers(usual).items() if value is not None}

        def check(arguments: Any) -> None:
            connection.request("POST", "/mcp", message("tools/call", name=tool, arguments=arguments), headers)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status in (200, 400)
            told = json.dumps(arguments)  # which an answer may quote
            assert all(
                word in told for word in re.findall(r"Traceback|internal|wenchang[/.]|u-tianlong", text.decode())
            )
            document = json.loads(text)
            assert "error" in document or isinstance(document["result"]["isError"], bool)

        fuzz(arguments_of(tool_schemas()[tool]["properties"]) | json_values(), check)
        assert probe.send().status == 200

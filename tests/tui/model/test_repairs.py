import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.model.curation import NOW, Interrupted, agent_writes, body_of, workspace
from wenchang.core import MemoryStore
from wenchang.file_format import metadata_from_map, metadata_to_map
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.curation_log import CurationLog, Done, Stopped
from wenchang_tui.model.health import Checkup, Finding, Kind
from wenchang_tui.model.metadata_repair import repaired_metadata
from wenchang_tui.model.repairs import Proposal, apply, propose, propose_describing, propose_moving
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace

KEY = "user/u/notes/a.md"
GOOD = {"description": "Salt roads", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}


@pytest.fixture
def storage() -> Interrupted:
    return Interrupted()


@pytest.fixture
def here(storage: Interrupted) -> Workspace:
    return workspace(storage, Settings(source="person", max_file_bytes=40))


def findings(here: Workspace) -> list[Finding]:
    return list(Checkup(here).findings())


def proposals(here: Workspace) -> tuple[Proposal, ...]:
    (finding,) = findings(here)
    return propose(here, finding, lambda: NOW)


def make(here: Workspace, proposal: Proposal) -> Done:
    outcome = apply(here, CurationLog(here.storage, here.store), proposal)
    assert isinstance(outcome, Done)
    return outcome


def metadata_of(here: Workspace, key: str = KEY) -> Mapping[str, str]:
    found = here.storage.get(key)
    assert found is not None
    return found.metadata


@pytest.mark.parametrize(
    "stored",
    [{}, {"description": "kept"}, {**GOOD, "aliases": "no"}, {**GOOD, "last-updated": "0001-01-01T00:00:00+05:00"}],
)
def test_malformed_metadata_is_set_right_and_the_index_works_again(
    storage: Interrupted, here: Workspace, stored: dict[str, str]
) -> None:
    storage.put(KEY, b"plain\n- [stated] Salt pays.\n", {**stored, "color": "red"})
    with pytest.raises(ValueError, match=r".+"):
        here.store.get_memory_index({"user": "u"})
    best, delete = proposals(here)
    assert not best.deletes
    assert delete.deletes
    (move,) = best.moves
    assert move.before is not None
    assert move.before.metadata == {**stored, "color": "red"}
    assert storage.get(KEY) == move.before
    make(here, best)
    assert len(here.store.get_memory_index({"user": "u"}).entries) == 1
    assert findings(here) == []
    assert metadata_of(here)["color"] == "red"
    assert metadata_of(here)["description"] == stored.get("description", "Salt pays.")
    assert json.loads(metadata_of(here)["sources"]) == ["person"]
    assert body_of(storage, KEY) == b"plain\n- [stated] Salt pays.\n"


@given(
    st.dictionaries(
        st.sampled_from(["description", "aliases", "sources", "last-updated", "other"]),
        st.text(max_size=8)
        | st.sampled_from(['["a", 1]', '"a"', "[[]]", '["\\ud800"]', "2026-01-01T00:00:00+02:00", "9" * 5_000]),
    ),
    st.text(max_size=20),
)
def test_any_metadata_can_be_repaired(stored: dict[str, str], body: str) -> None:
    repaired = repaired_metadata(stored, body, "salt-roads", "me", NOW)
    metadata = metadata_from_map(repaired)
    metadata_to_map(metadata)
    assert "me" in metadata.sources
    assert metadata.description or stored.get("description") == ""
    assert repaired == repaired_metadata(repaired, body, "salt-roads", "me", NOW)


def test_a_repair_is_refused_when_the_object_changed_after_the_preview(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"a", {})
    for proposal in proposals(here):
        storage.put(KEY, b"b", {"new": "yes"})
        assert isinstance(apply(here, CurationLog(storage, here.store), proposal), Stopped)
        assert body_of(storage, KEY) == b"b"


def test_a_repair_can_be_undone(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"a", {"description": "half"})
    log = CurationLog(storage, here.store)
    done = apply(here, log, proposals(here)[0])
    assert isinstance(done, Done)
    assert isinstance(log.undo(done.change), Done)
    assert metadata_of(here) == {"description": "half"}


@pytest.mark.parametrize(
    ("key", "suggested"),
    [
        ("user/u/a.md", "user/u/imported/a.md"),
        ("user/u/notes/deep/a.md", "user/u/notes/deep-a.md"),
        ("user/u/notes/a.txt", "user/u/notes/a.txt.md"),
        ("user/u/My Notes/a.md", "user/u/my-notes/a.md"),
        ("user/u/notes/a\u200bb.md", "user/u/notes/ab.md"),
    ],
)
def test_what_lies_in_the_wrong_place_is_moved(storage: Interrupted, here: Workspace, key: str, suggested: str) -> None:
    storage.put(key, b"x", {"description": "kept"} if key == "user/u/a.md" else GOOD)
    move, delete = proposals(here)
    assert [step.key for step in move.moves] == [suggested, key]
    assert not move.deletes
    assert delete.deletes
    make(here, move)
    assert storage.get(key) is None
    assert here.store.read_file(suggested).content == "x"
    assert findings(here) == []


def test_moving_never_replaces_what_stands_there(storage: Interrupted, here: Workspace) -> None:
    storage.put("user/u/a.md", b"x", GOOD)
    storage.put("user/u/imported/a.md", b"y", GOOD)
    move = proposals(here)[0]
    assert move.moves[0].key == "user/u/imported/a-2.md"
    storage.meanwhile(lambda: storage.put("user/u/imported/a-2.md", b"z", GOOD))
    assert isinstance(apply(here, CurationLog(storage, here.store), move), Stopped)
    assert body_of(storage, "user/u/a.md") == b"x"


def test_moving_to_a_place_of_ones_own_choice(storage: Interrupted, here: Workspace) -> None:
    storage.put("stray", b"x", {})
    assert len(proposals(here)) == 1
    move = propose_moving(here, "stray", KEY)
    assert move is not None
    make(here, move)
    assert here.store.read_file(KEY).content == "x"
    assert propose_moving(here, "stray", KEY) is None
    with pytest.raises(ValueError, match="invalid path"):
        propose_moving(here, "stray", "no path")


def test_a_body_in_another_encoding_is_read_as_such(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"caf\xe9 \x93x\x94", GOOD)
    make(here, proposals(here)[0])
    assert here.store.read_file(KEY).content == "café “x”"
    storage.put(KEY, b"\x81", GOOD)
    make(here, proposals(here)[0])
    assert here.store.read_file(KEY).content == "\x81"


def test_a_file_that_is_too_large_is_split_at_line_ends(storage: Interrupted, here: Workspace) -> None:
    lines = [f"- [stated] {number} {'x' * 10}\r\n" for number in range(4)]
    storage.put(KEY, "".join(lines).encode(), GOOD)
    storage.put("user/u/notes/a-2.md", b"", GOOD)
    split = proposals(here)[0]
    others = [f"user/u/notes/a-{number}.md" for number in (3, 4, 5)]
    assert [move.key for move in split.moves] == [*others, KEY]
    make(here, split)
    parts = [body_of(storage, key).decode() for key in (KEY, *others)]
    assert parts == lines
    assert metadata_of(here, "user/u/notes/a-4.md")["description"] == "Salt roads (part 3)"
    assert findings(here) == []


def test_a_single_line_that_is_too_long_is_for_a_person_to_shorten(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"x" * 41, GOOD)
    assert [proposal.deletes for proposal in proposals(here)] == [True]


def test_metadata_is_made_to_fit(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"", {**GOOD, "aliases": json.dumps([f"alias {number}" for number in range(900)])})
    make(here, proposals(here)[0])
    aliases = json.loads(metadata_of(here)["aliases"])
    assert aliases == [f"alias {number}" for number in range(len(aliases))]
    assert 100 < len(aliases) < 900
    storage.put(KEY, b"", {**GOOD, "description": "long " * 2_000})
    make(here, proposals(here)[0])
    assert metadata_of(here)["description"].startswith("long long")
    assert findings(here) == []


def test_aliases_and_descriptions_are_bettered(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"- [stated] Salt pays.", {**GOOD, "aliases": '["salt", "Salt", "x"]'})
    make(here, proposals(here)[0])
    assert json.loads(metadata_of(here)["aliases"]) == ["salt", "x"]
    storage.put("user/u/notes/b.md", b"", {**GOOD, "aliases": '["SALT", "y"]'})
    make(here, proposals(here)[0])
    assert json.loads(metadata_of(here, "user/u/notes/b.md")["aliases"]) == ["y"]
    storage.put(KEY, b"- [stated] Salt pays.", {**GOOD, "description": "TODO"})
    make(here, proposals(here)[0])
    assert metadata_of(here)["description"] == "Salt pays."
    assert findings(here) == []


def test_two_names_that_look_the_same_are_told_apart(storage: Interrupted, here: Workspace) -> None:
    storage.put(KEY, b"1", GOOD)
    storage.put("user/u/notes/A.md", b"2", GOOD)
    make(here, proposals(here)[0])
    assert findings(here) == []
    assert {body_of(storage, row.key) for row in storage.list_page("", None, 9)} == {b"1", b"2"}


def test_what_is_gone_needs_no_repair(storage: Interrupted, here: Workspace) -> None:
    version = storage.put(KEY, b"", {})
    (finding,) = findings(here)
    storage.delete_if_version(KEY, version)
    assert propose(here, finding) == ()


def test_a_full_entity_is_for_a_person_to_clear() -> None:
    storage = InMemoryStorage()
    agent_writes(storage, "", KEY, "Salt roads")
    here = workspace(storage, Settings(max_files=1))
    (finding,) = findings(here)
    assert finding.kind is Kind.FILE_CAP
    assert propose(here, finding) == ()
    assert isinstance(here.store, MemoryStore)


def test_a_description_of_a_persons_own_is_written(storage: Interrupted, here: Workspace) -> None:
    agent_writes(storage, "- [stated] a\n", KEY, "notes", ("salt",))
    proposal = propose_describing(here, KEY, "Salt roads", lambda: NOW)
    assert proposal is not None
    make(here, proposal)
    metadata = metadata_from_map(metadata_of(here))
    assert (metadata.description, metadata.aliases, metadata.last_updated) == ("Salt roads", ("salt",), NOW)
    assert metadata.sources == {"agent", "person"}
    assert body_of(storage, KEY) == b"- [stated] a\n"


def test_what_is_gone_or_malformed_is_not_described(storage: Interrupted, here: Workspace) -> None:
    assert propose_describing(here, KEY, "Salt roads") is None
    storage.put(KEY, b"x", {})
    assert propose_describing(here, KEY, "Salt roads") is None

"""Results and errors as an agent sees them: fixed keys in a fixed order, and nothing that breaks them."""

import json
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.core import CappedPrefix, FileEntry, ListCursor, ListPage, MemoryFile, MemoryIndex
from wenchang.errors import (
    BackendUnavailableError,
    ErrorCategory,
    InvalidArgumentError,
    NameTooLongError,
    NotFoundError,
    NotFoundReason,
    OversizeMetadataError,
    OversizeWriteError,
    RecoverableError,
    ReplaceFactMatchError,
    ResolverFailureError,
    RestrictedScopeError,
    RestrictionReason,
    TransientReason,
    WenchangError,
)
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.tools import render_error, render_result
from wenchang.version_token import VersionToken

PATH = "user/u-secret/notes/n.md"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
METADATA = FileMetadata("d", ("b", "a", "b"), frozenset({"z", "y"}), NOON)
V = VersionToken("7")


def spelt(payload: Any) -> str:
    return json.dumps(payload)


# Results

ENTRY = (
    '{"scope": "user", "area": "notes", "name": "n", "version": "7", "description": "d", "aliases": ["b", "a", "b"],'
    ' "sources": ["y", "z"], "last_updated": "2026-01-01T12:00:00Z"}'
)


def test_a_file_renders_with_its_content() -> None:
    assert spelt(render_result(MemoryFile(PATH, "", METADATA, V))) == (
        '{"scope": "user", "area": "notes", "name": "n", "content": "", "version": "7", "description": "d",'
        ' "aliases": ["b", "a", "b"], "sources": ["y", "z"], "last_updated": "2026-01-01T12:00:00Z"}'
    )


def test_pages_and_indexes_render_their_entries() -> None:
    entry = FileEntry(PATH, METADATA, V)
    assert spelt(render_result(entry)) == ENTRY
    assert spelt(render_result(ListPage((entry,), None))) == f'{{"entries": [{ENTRY}], "next_cursor": null}}'
    assert spelt(render_result(ListPage((), ListCursor("abc")))) == '{"entries": [], "next_cursor": "abc"}'
    index = MemoryIndex((entry,), (CappedPrefix("user/u-secret/notes/", 2), CappedPrefix("user/u-secret/", 1)))
    assert spelt(render_result(index)) == (
        f'{{"entries": [{ENTRY}], "capped": [{{"scope": "user", "area": "notes", "omitted": 2}},'
        ' {"scope": "user", "area": null, "omitted": 1}]}'
    )
    assert render_result(MemoryIndex((), (CappedPrefix("user/", 1),)))["capped"] == [
        {"scope": "user", "area": None, "omitted": 1}
    ]


def test_nothing_renders_as_done() -> None:
    assert render_result(None) == {"ok": True}


@pytest.mark.parametrize("value", [1, {}, "text", MemoryFile, (FileEntry(PATH, METADATA, V),)])
def test_what_no_tool_returns_is_not_rendered(value: Any) -> None:
    with pytest.raises(TypeError, match=f"cannot render a {type(value).__name__}"):
        render_result(value)


@pytest.mark.parametrize(
    ("moment", "rendered"),
    [
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2025-12-31T23:00:00Z"),
        (NOON.replace(microsecond=402913), "2026-01-01T12:00:00.402913Z"),
    ],
)
def test_times_render_in_utc(moment: datetime, rendered: str) -> None:
    metadata = FileMetadata("d", (), frozenset(), moment)
    assert render_result(FileEntry(PATH, metadata, V))["last_updated"] == rendered


def forged(kind: type, **fields: Any) -> Any:
    """A value whose fields were never checked."""
    value: Any = object.__new__(kind)
    for name, content in fields.items():
        object.__setattr__(value, name, content)
    return value


def file(**changed: Any) -> Any:
    return forged(MemoryFile, **{"path": PATH, "content": "x", "metadata": METADATA, "version": V, **changed})


def with_metadata(**changed: Any) -> Any:
    fields = {"description": "d", "aliases": (), "sources": frozenset(), "last_updated": NOON}
    return file(metadata=forged(FileMetadata, **{**fields, **changed}))


class BrokenZone(tzinfo):
    def utcoffset(self, _: Any) -> Any:
        raise RuntimeError("no offset")

    tzname = dst = utcoffset


def breaking() -> Any:
    yield "a"
    raise RuntimeError("no more")


KEYS = ["scope", "area", "name", "content", "version", "description", "aliases", "sources", "last_updated"]


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        (file(path=None), {"scope", "area", "name"}),
        (file(path=b"x"), {"scope", "area", "name"}),
        (file(content=None), {"content"}),
        (file(version=7), {"version"}),
        (file(metadata=None), {"description", "aliases", "sources", "last_updated"}),
        (with_metadata(description=None), {"description"}),
        (with_metadata(aliases=None), {"aliases"}),
        (with_metadata(aliases=breaking()), {"aliases"}),
        (with_metadata(sources=1), {"sources"}),
        (with_metadata(last_updated=None), {"last_updated"}),
        (with_metadata(last_updated="2026-01-01T00:00:00Z"), {"last_updated"}),
        (with_metadata(last_updated=datetime(2026, 1, 1)), {"last_updated"}),
        (with_metadata(last_updated=datetime(2026, 1, 1, tzinfo=BrokenZone())), {"last_updated"}),
        (with_metadata(last_updated=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))), {"last_updated"}),
    ],
)
def test_what_is_not_of_its_type_is_left_out(value: Any, missing: set[str]) -> None:
    assert list(render_result(value)) == [key for key in KEYS if key not in missing]


def test_a_malformed_path_renders_as_no_place() -> None:
    assert spelt(render_result(file(path="user/u-secret/x")))[:48] == '{"scope": null, "area": null, "name": null, "con'


def test_odd_members_are_dropped() -> None:
    rendered = render_result(with_metadata(aliases=["b", 1, None, "a"], sources={"z", 2, "y"}))
    assert (rendered["aliases"], rendered["sources"]) == (["b", "a"], ["y", "z"])
    entry = FileEntry(PATH, METADATA, V)
    page = render_result(forged(ListPage, entries=[entry, None, "x"], next_cursor=5))
    assert spelt(page) == f'{{"entries": [{ENTRY}]}}'
    rows = [
        forged(CappedPrefix, prefix=None, omitted=1),
        forged(CappedPrefix, prefix="user/", omitted=True),
        forged(CappedPrefix, prefix="user/", omitted="1"),
        forged(CappedPrefix, prefix="no prefix", omitted=3),
        "row",
    ]
    index = render_result(forged(MemoryIndex, entries=None, capped=rows))
    assert index == {"entries": [], "capped": [{"scope": None, "area": None, "omitted": 3}]}
    assert render_result(forged(MemoryIndex, entries=1, capped=1)) == {"entries": [], "capped": []}


class Loud(str):
    def __str__(self) -> str:
        return "lie"


def test_subclasses_of_str_render_as_what_they_hold() -> None:
    rendered = render_result(file(path=Loud(PATH), content=Loud("x"), version=Loud("7")))
    assert (rendered["name"], rendered["content"], rendered["version"]) == ("n", "x", "7")
    assert {type(rendered[key]) for key in ("name", "content", "version")} == {str}


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.floats(), st.lists(st.text()), st.datetimes()
)


@given(path=anything, content=anything, version=anything, description=anything, aliases=anything, moment=anything)
def test_rendering_is_total_and_gives_json(
    path: Any, content: Any, version: Any, description: Any, aliases: Any, moment: Any
) -> None:
    metadata = forged(FileMetadata, description=description, aliases=aliases, sources=aliases, last_updated=moment)
    value = forged(MemoryFile, path=path, content=content, metadata=metadata, version=version)
    keys = list(render_result(value))
    json.dumps(render_result(value))
    assert keys == [key for key in KEYS if key in keys]


# Errors

RECOVERABLE = RecoverableError.guidance


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (
            ReplaceFactMatchError(PATH, "", V, 0),
            {"scope": "user", "area": "notes", "name": "n", "content": "", "version": "7", "match_count": 0},
        ),
        (OversizeWriteError(PATH, 5, 0), {"scope": "user", "area": "notes", "name": "n", "size": 5, "limit": 0}),
        (NameTooLongError(PATH, 300, 255), {"scope": "user", "area": "notes", "name": "n", "size": 300, "limit": 255}),
        (
            OversizeMetadataError(PATH, 9000, 8192),
            {"scope": "user", "area": "notes", "name": "n", "size": 9000, "limit": 8192},
        ),
        (
            RestrictedScopeError(PATH, "user", RestrictionReason.ROLE_REQUIRED, frozenset({"b", "a"})),
            {
                "scope": "user",
                "area": "notes",
                "name": "n",
                "reason": "role_required",
                "required_roles": ["a", "b"],
            },
        ),
        (
            RestrictedScopeError(PATH, "user", RestrictionReason.NOT_GRANTED),
            {"scope": "user", "area": "notes", "name": "n", "reason": "not_granted"},
        ),
        (NotFoundError("bad", NotFoundReason.INVALID_PATH), {"reason": "invalid_path"}),
        (InvalidArgumentError("line", "no fact"), {"argument": "line"}),
        (BackendUnavailableError(TransientReason.TIMEOUT), {"reason": "timeout"}),
        (ResolverFailureError("The session is over."), {}),
    ],
)
def test_an_error_renders_with_what_the_agent_needs(error: WenchangError, fields: dict[str, Any]) -> None:
    expected = {"error": type(error).__name__, "category": error.category.value, "message": str(error), **fields}
    assert spelt(render_error(error)) == spelt(expected)
    if error.__class__ is not NotFoundError:
        assert "u-secret" not in spelt(render_error(error))


def test_damaged_data_is_told_in_its_own_words() -> None:
    assert spelt(render_error(MetadataFormatError("aliases", "must be a JSON array"))) == (
        '{"error": "MetadataFormatError", "category": "internal", "message": "aliases: must be a JSON array"}'
    )
    undecodable = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert render_error(undecodable)["message"] == str(undecodable)


@pytest.mark.parametrize("error", [ValueError("/srv/secret"), KeyError("token"), PermissionError(13, "no", "/srv")])
def test_any_other_error_shows_its_type_alone(error: Exception) -> None:
    assert render_error(error) == {
        "error": type(error).__name__,
        "category": "internal",
        "message": "internal error",
    }


def test_a_broken_taxonomy_error_is_internal() -> None:
    class NoCategoryError(WenchangError):
        category = "recoverable"  # type: ignore[assignment]

    class RaisingError(WenchangError):
        @property
        def category(self) -> ErrorCategory:  # type: ignore[override]
            raise RuntimeError

    for error in (WenchangError("secret"), NoCategoryError("secret"), RaisingError("secret")):
        assert render_error(error)["category"] == "internal"
        assert render_error(error)["message"] == "internal error"


class Colour(Enum):
    RED = "red"
    OBJECT = object()


class OddError(RecoverableError):
    """Carries fields of every kind."""

    path = PATH

    def __init__(self, **fields: Any) -> None:
        super().__init__("odd")
        vars(self).update(fields)

    @property
    def limit(self) -> int:
        raise RuntimeError("unreadable")


@pytest.mark.parametrize(
    ("value", "rendered"),
    [
        ("text", "text"),
        (Loud("text"), "text"),
        (0, 0),
        (Colour.RED, "red"),
        (frozenset({"b", "a"}), ["a", "b"]),
        (frozenset(), []),
        (frozenset({"a", 1}), None),
        (Colour.OBJECT, None),
        (True, None),
        (1.5, None),
        (["a"], None),
        ({"a"}, None),
        (None, None),
    ],
)
def test_only_plain_values_are_fields(value: Any, rendered: Any) -> None:
    payload = render_error(OddError(argument=value, detail="odd", other="unlisted"))
    assert payload.get("argument") == rendered
    assert list(payload) == ["error", "category", "message"] + (["argument"] if rendered is not None else [])


def test_an_error_that_cannot_be_read_still_renders() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise RuntimeError

    class UnreadableError(RecoverableError):
        def __str__(self) -> str:
            raise RuntimeError

    class UnnamedError(Exception, metaclass=Meta):
        pass

    assert render_error(UnreadableError("x"))["message"] == "<unreadable>"
    assert render_error(UnnamedError()) == {"error": "<unnamed>", "category": "internal", "message": "internal error"}

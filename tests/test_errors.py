"""What every error says and carries, sentence by sentence. Core, section 4."""

import copy
import pickle
import re
from collections.abc import Iterator
from typing import Any

import pytest

from wenchang.errors import (
    ApprovalTimeoutError,
    BackendUnavailableError,
    ChangeRefusedError,
    ErrorCategory,
    FileError,
    FileQuotaExceededError,
    InvalidArgumentError,
    NameTooLongError,
    NotFoundError,
    NotFoundReason,
    OversizeMetadataError,
    OversizeWriteError,
    PermanentError,
    RecoverableError,
    ReplaceFactMatchError,
    ResolverFailureError,
    RestrictedScopeError,
    RestrictionReason,
    TransientError,
    TransientReason,
    VersionConflictError,
    WenchangError,
)
from wenchang.version_token import VersionToken

PATH = "user/u_42/prefs/editor v1.md"
PLACE = "scope user, area prefs, name editor v1"
V7 = VersionToken("7")
ROLES = frozenset({"writer", "admin"})

GUIDANCE = {
    RecoverableError: "This is normal coordination, not an error the user needs to know about. Use the details above "
    "to correct the call and retry in the same turn, without asking the user.",
    PermanentError: "Do not retry: retrying will not succeed.",
    TransientError: "This is temporary: retry later. Repeating a write is safe, because a write that already landed "
    "comes back as a version conflict instead of being applied twice.",
}

ALL: list[tuple[WenchangError, type[WenchangError], str, dict[str, Any]]] = [
    (
        VersionConflictError(PATH, "- [stated] a\n", V7),
        RecoverableError,
        f"The file at {PLACE} changed since it was read; the current content and version are attached; merge your "
        "change into the current content and retry with the current version.",
        {"content": "- [stated] a\n", "version": "7"},
    ),
    (
        OversizeWriteError(PATH, 16385, 16384),
        RecoverableError,
        f"The write to {PLACE} is 16385 bytes, over the 16384-byte limit; split the content across multiple files.",
        {"size": 16385, "limit": 16384},
    ),
    (
        OversizeMetadataError(PATH, 8193, 8192),
        RecoverableError,
        f"The description and aliases of the file at {PLACE} are too large: its metadata is 8193 bytes, over the "
        "8192-byte limit; shorten them.",
        {"size": 8193, "limit": 8192},
    ),
    (
        NameTooLongError(PATH, 300, 255),
        RecoverableError,
        f"The name of the file at {PLACE} is too long for this store: 300 bytes as stored, over the 255-byte limit; "
        "choose a shorter name.",
        {"size": 300, "limit": 255},
    ),
    (
        ReplaceFactMatchError(PATH, "body", V7, 0),
        RecoverableError,
        f"old_string matched 0 spans in {PLACE}; widen or correct old_string using the attached current content so it "
        "matches.",
        {"content": "body", "version": "7", "match_count": 0},
    ),
    (
        ReplaceFactMatchError(PATH, "", V7, 2),
        RecoverableError,
        f"old_string matched 2 spans in {PLACE}; narrow old_string (include surrounding text) so it matches exactly "
        "one span.",
        {"content": "", "version": "7", "match_count": 2},
    ),
    (
        NotFoundError(PATH, NotFoundReason.FILE_ABSENT),
        RecoverableError,
        f"No file exists at {PLACE} yet; you may create it.",
        {"reason": NotFoundReason.FILE_ABSENT},
    ),
    (
        NotFoundError(PATH, NotFoundReason.INVALID_PATH),
        RecoverableError,
        f"{PATH} is not a valid memory location; correct the path.",
        {"reason": NotFoundReason.INVALID_PATH},
    ),
    (
        FileQuotaExceededError(PATH, 500),
        RecoverableError,
        f"Cannot create a new file at {PLACE}: memory in scope user is at its limit of 500 files (system/ files not "
        "counted). Add this content to an existing file instead (append_line, replace_fact, or write_file with that "
        "file's version), or merge related files into one and delete the merged ones with delete_file, then retry.",
        {"limit": 500},
    ),
    (
        InvalidArgumentError("aliases", "must be a list of strings."),
        RecoverableError,
        "Argument aliases is invalid: must be a list of strings.",
        {"argument": "aliases"},
    ),
    (
        RestrictedScopeError(PATH, "user", RestrictionReason.SYSTEM_READ_ONLY),
        PermanentError,
        f"The file at {PLACE} cannot be written: the system/ area of scope user is read-only (curated content).",
        {"reason": RestrictionReason.SYSTEM_READ_ONLY, "required_roles": None},
    ),
    (
        RestrictedScopeError(PATH, "user", RestrictionReason.ROLE_REQUIRED, ROLES),
        PermanentError,
        f"The file at {PLACE} cannot be written: scope user is role-gated and the caller lacks a permitted role "
        "(admin, writer).",
        {"reason": RestrictionReason.ROLE_REQUIRED, "required_roles": ROLES},
    ),
    (
        RestrictedScopeError(PATH, "user", RestrictionReason.NOT_GRANTED),
        PermanentError,
        f"The file at {PLACE} cannot be written: the caller's identity does not include this entity in scope user.",
        {"reason": RestrictionReason.NOT_GRANTED, "required_roles": None},
    ),
    (
        ChangeRefusedError(PATH),
        PermanentError,
        f"A person refused this change to the file at {PLACE}; it was not made.",
        {"reason": ""},
    ),
    (
        ChangeRefusedError(PATH, "Not before the launch"),
        PermanentError,
        f"A person refused this change to the file at {PLACE}; it was not made. "
        'The reason given: "Not before the launch".',
        {"reason": "Not before the launch"},
    ),
    (
        ApprovalTimeoutError(PATH),
        TransientError,
        f"The change to the file at {PLACE} waits for a person's approval, and nobody answered in time; it was not "
        "made.",
        {},
    ),
    (
        ResolverFailureError(),
        PermanentError,
        "Identity could not be resolved; memory is unavailable for this session; continue working without memory.",
        {},
    ),
    (
        ResolverFailureError("The token has ended."),
        PermanentError,
        "The token has ended. Identity could not be resolved; memory is unavailable for this session; continue working "
        "without memory.",
        {},
    ),
    (
        BackendUnavailableError(TransientReason.TIMEOUT),
        TransientError,
        "The storage backend timed out.",
        {"reason": TransientReason.TIMEOUT},
    ),
    (
        BackendUnavailableError(TransientReason.UNAVAILABLE, "Three reads met three writes."),
        TransientError,
        "Three reads met three writes. The storage backend is unavailable.",
        {"reason": TransientReason.UNAVAILABLE},
    ),
]
IDS = [f"{type(error).__name__}-{number}" for number, (error, *_) in enumerate(ALL)]

every_error = pytest.mark.parametrize(("error", "base", "detail", "attributes"), ALL, ids=IDS)


class Shout(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "SHOUTED"

    def __len__(self) -> int:
        return 0


class Roles(frozenset[str]):
    def __iter__(self) -> Iterator[str]:
        return iter(["owner"])


@every_error
def test_an_error_says_what_happened_and_what_to_do(
    error: WenchangError, base: type[WenchangError], detail: str, attributes: dict[str, Any]
) -> None:
    assert error.detail == detail
    assert error.guidance == GUIDANCE[base]
    assert str(error) == error.message == f"{detail} {GUIDANCE[base]}"
    assert isinstance(error, base)
    for name, value in attributes.items():
        assert getattr(error, name) == value


@every_error
def test_an_error_is_copied_whole(
    error: WenchangError, base: type[WenchangError], detail: str, attributes: dict[str, Any]
) -> None:
    for again in (copy.copy(error), *(pickle.loads(pickle.dumps(error, protocol)) for protocol in (0, 2, 5))):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_every_error_is_tried_here() -> None:
    bases = {WenchangError, FileError, RecoverableError, PermanentError, TransientError}

    def below(kind: type[WenchangError]) -> set[type[WenchangError]]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    ours = {kind for kind in below(WenchangError) if kind.__module__ == "wenchang.errors"}
    assert {type(error) for error, *_ in ALL} == ours - bases


@pytest.mark.parametrize(
    ("base", "category"),
    [(RecoverableError, "recoverable"), (PermanentError, "permanent"), (TransientError, "transient")],
)
def test_the_categories_are_siblings(base: type[WenchangError], category: str) -> None:
    assert base.__bases__ == (WenchangError,)
    assert base.category == ErrorCategory(category)
    error = base("Something happened.")
    assert (error.detail, str(error)) == ("Something happened.", f"Something happened. {GUIDANCE[base]}")


def test_the_words_on_the_wire() -> None:
    assert [*ErrorCategory] == ["recoverable", "permanent", "transient"]
    assert [*NotFoundReason] == ["invalid_path", "file_absent"]
    assert [*RestrictionReason] == ["system_read_only", "role_required", "not_granted"]
    assert [*TransientReason] == ["timeout", "unavailable"]


@every_error
def test_an_error_is_put_in_the_right_tone(
    error: WenchangError, base: type[WenchangError], detail: str, attributes: dict[str, Any]
) -> None:
    if base is RecoverableError:
        assert "fail" not in str(error).lower()
    if base is PermanentError:
        assert not re.search(r"correct|then retry|and retry|retry with|retry later", str(error))
    elsewhere = str(error).replace(PATH, "") if error.detail.startswith(PATH) else str(error)
    assert "u_42" not in elsewhere, "only a path that is called malformed is repeated"


# Where


@every_error
def test_a_file_is_told_by_its_parts(
    error: WenchangError, base: type[WenchangError], detail: str, attributes: dict[str, Any]
) -> None:
    if isinstance(error, FileError):
        assert (error.path, error.scope, error.area, error.name) == (PATH, "user", "prefs", "editor v1")


@pytest.mark.parametrize("path", ["", "user/u/", "user/u/a/b.txt", "../../etc/passwd"])
def test_a_malformed_path_is_its_own_place(path: str) -> None:
    errors: list[tuple[FileError, str]] = [
        (VersionConflictError(path, "", V7), f"The file at {path} changed since"),
        (OversizeWriteError(path, 2, 1), f"The write to {path} is 2 bytes"),
        (NameTooLongError(path, 2, 1), f"The name of the file at {path} is too long"),
        (ReplaceFactMatchError(path, "", V7, 0), f"old_string matched 0 spans in {path}; widen"),
        (NotFoundError(path, NotFoundReason.FILE_ABSENT), f"No file exists at {path} yet;"),
        (NotFoundError(path, NotFoundReason.INVALID_PATH), f"{path} is not a valid memory location;"),
    ]
    for error, start in errors:
        assert error.detail.startswith(start)
        assert (error.path, error.scope, error.area, error.name) == (path, None, None, None)


def test_a_restriction_keeps_the_scope_it_is_about() -> None:
    error = RestrictedScopeError("nonsense", "user", RestrictionReason.NOT_GRANTED)
    assert (error.path, error.scope, error.area, error.name) == ("nonsense", "user", None, None)


# Arguments


@pytest.mark.parametrize("kind", [OversizeWriteError, OversizeMetadataError, NameTooLongError])
def test_sizes_are_not_negative(kind: type[OversizeWriteError]) -> None:
    assert (kind(PATH, 0, 0).size, kind(PATH, 0, 0).limit) == (0, 0)
    for size, limit in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="must not be negative"):
            kind(PATH, size, limit)


@pytest.mark.parametrize("count", [1, -1])
def test_one_match_is_no_error(count: int) -> None:
    with pytest.raises(ValueError, match="match_count"):
        ReplaceFactMatchError(PATH, "", V7, count)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_quota_is_positive(limit: int) -> None:
    with pytest.raises(ValueError, match="limit must be positive"):
        FileQuotaExceededError(PATH, limit)


def test_an_invalid_argument_has_a_name() -> None:
    with pytest.raises(TypeError, match=r"^argument must be a str, not bytes$"):
        InvalidArgumentError(b"name", "is bad")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="non-empty"):
        InvalidArgumentError("", "is bad")
    error = InvalidArgumentError(Shout("name"), "is bad")
    assert type(error.argument) is str
    assert error.detail == "Argument name is invalid: is bad"


def test_required_roles_are_copied_exactly() -> None:
    roles: frozenset[str] = Roles({Shout("writer")})
    error = RestrictedScopeError(PATH, "user", RestrictionReason.ROLE_REQUIRED, roles)
    assert error.required_roles is not None
    assert [(type(role), role) for role in error.required_roles] == [(str, "writer")]
    assert type(error.required_roles) is frozenset
    assert error.detail.endswith("lacks a permitted role (writer).")


@pytest.mark.parametrize("roles", [{"a"}, ["a"], ("a",), "a", frozenset({1}), frozenset({"a", None})])
@pytest.mark.parametrize("reason", RestrictionReason)
def test_wrong_types_of_roles_are_told_before_wrong_values(reason: RestrictionReason, roles: Any) -> None:
    with pytest.raises(TypeError, match=r"^required_roles "):
        RestrictedScopeError(PATH, "user", reason, roles)


@pytest.mark.parametrize(
    ("reason", "roles"),
    [
        (RestrictionReason.ROLE_REQUIRED, None),
        (RestrictionReason.ROLE_REQUIRED, frozenset()),
        (RestrictionReason.NOT_GRANTED, ROLES),
        (RestrictionReason.NOT_GRANTED, frozenset()),
        (RestrictionReason.SYSTEM_READ_ONLY, ROLES),
    ],
)
def test_roles_go_with_a_required_role_and_only_with_it(
    reason: RestrictionReason, roles: frozenset[str] | None
) -> None:
    with pytest.raises(ValueError, match="required_roles"):
        RestrictedScopeError(PATH, "user", reason, roles)

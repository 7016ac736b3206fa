"""The errors an agent or its host can meet, sorted by what to do next: correct the call, give up, or wait.

Every sentence an agent reads is written here, once. Messages name a file by scope, area and name, never by its storage
path or entity ID. Core, section 4.
"""

from enum import StrEnum
from typing import ClassVar

from wenchang._types import exact_str, really, type_name
from wenchang.paths import is_valid_path, parse_path
from wenchang.version_token import VersionToken


class ErrorCategory(StrEnum):
    """What the caller of a refused operation can do about it."""

    RECOVERABLE = "recoverable"
    PERMANENT = "permanent"
    TRANSIENT = "transient"


class NotFoundReason(StrEnum):
    """Why a file was not found."""

    INVALID_PATH = "invalid_path"
    FILE_ABSENT = "file_absent"


class RestrictionReason(StrEnum):
    """Why a write was not allowed."""

    SYSTEM_READ_ONLY = "system_read_only"
    ROLE_REQUIRED = "role_required"
    NOT_GRANTED = "not_granted"


class TransientReason(StrEnum):
    """How the storage back end could not answer."""

    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"


class WenchangError(Exception):
    """Any error of the taxonomy: `detail` says what happened, `guidance` what to do next."""

    category: ClassVar[ErrorCategory]
    guidance: ClassVar[str]

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    @property
    def message(self) -> str:
        """Detail and guidance in one sentence group; the same as `str(error)`."""
        return f"{self.detail} {self.guidance}"

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        # By default an exception is copied by calling its class with `args`, which no subclass here takes. A copy has
        # to come out whole all the same: pools of processes send what they raise.
        return _copied, (type(self), self.args), self.__dict__


def _copied(kind: type[WenchangError], arguments: tuple[object, ...]) -> WenchangError:
    return kind.__new__(kind, *arguments)


class RecoverableError(WenchangError):
    """The call can be corrected and repeated at once."""

    category = ErrorCategory.RECOVERABLE
    guidance = (
        "This is normal coordination, not an error the user needs to know about. Use the details above to correct "
        "the call and retry in the same turn, without asking the user."
    )


class PermanentError(WenchangError):
    """The call will never succeed."""

    category = ErrorCategory.PERMANENT
    guidance = "Do not retry: retrying will not succeed."


class TransientError(WenchangError):
    """The call may succeed later."""

    category = ErrorCategory.TRANSIENT
    guidance = (
        "This is temporary: retry later. Repeating a write is safe, because a write that already landed comes back "
        "as a version conflict instead of being applied twice."
    )


class FileError(WenchangError):
    """An error about one file: `path` as given, and `scope`, `area`, `name`, `None` where it is malformed."""

    path: str
    scope: str | None = None
    area: str | None = None
    name: str | None = None

    def _locate(self, path: str) -> str:
        """Note which file this is about; return the phrase that names it in a message."""
        self.path = path
        if not is_valid_path(path):
            return path
        parts = parse_path(path)
        self.scope, self.area, self.name = parts.scope, parts.area, parts.name
        return f"scope {parts.scope}, area {parts.area}, name {parts.name}"


def _check_not_negative(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 0:
            raise ValueError(f"{name} must not be negative")


class VersionConflictError(FileError, RecoverableError):
    """The file is not at the version the caller read; what stands there now is attached."""

    def __init__(self, path: str, content: str, version: VersionToken) -> None:
        super().__init__(
            f"The file at {self._locate(path)} changed since it was read; the current content and version are "
            "attached; merge your change into the current content and retry with the current version."
        )
        self.content = content
        self.version = version


class OversizeWriteError(FileError, RecoverableError):
    """The body would be larger than a file may be. Sizes in UTF-8 bytes."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        _check_not_negative(size=size, limit=limit)
        super().__init__(
            f"The write to {self._locate(path)} is {size} bytes, over the {limit}-byte limit; split the content "
            "across multiple files."
        )
        self.size = size
        self.limit = limit


class OversizeMetadataError(FileError, RecoverableError):
    """Description, aliases and sources together are larger than a store accepts. Sizes in UTF-8 bytes."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        _check_not_negative(size=size, limit=limit)
        super().__init__(
            f"The description and aliases of the file at {self._locate(path)} are too large: its metadata is {size} "
            f"bytes, over the {limit}-byte limit; shorten them."
        )
        self.size = size
        self.limit = limit


class NameTooLongError(FileError, RecoverableError):
    """The name, as this store spells it, is longer than the store accepts. Sizes in bytes as stored."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        _check_not_negative(size=size, limit=limit)
        super().__init__(
            f"The name of the file at {self._locate(path)} is too long for this store: {size} bytes as stored, over "
            f"the {limit}-byte limit; choose a shorter name."
        )
        self.size = size
        self.limit = limit


class ReplaceFactMatchError(FileError, RecoverableError):
    """The text to replace does not occur exactly once; the current content is attached."""

    def __init__(self, path: str, content: str, version: VersionToken, match_count: int) -> None:
        if match_count == 1 or match_count < 0:
            raise ValueError("match_count must be 0 or at least 2")
        found = f"old_string matched {match_count} spans in {self._locate(path)}; "
        super().__init__(
            found
            + (
                "narrow old_string (include surrounding text) so it matches exactly one span."
                if match_count
                else "widen or correct old_string using the attached current content so it matches."
            )
        )
        self.content = content
        self.version = version
        self.match_count = match_count


class NotFoundError(FileError, RecoverableError):
    """There is no such file, or the path is none of a memory file."""

    def __init__(self, path: str, reason: NotFoundReason) -> None:
        place = self._locate(path)
        super().__init__(
            f"No file exists at {place} yet; you may create it."
            if reason is NotFoundReason.FILE_ABSENT
            else f"{path} is not a valid memory location; correct the path."
        )
        self.reason = reason


class FileQuotaExceededError(FileError, RecoverableError):
    """The entity holds as many files as it may, `system/` not counted."""

    def __init__(self, path: str, limit: int) -> None:
        if limit <= 0:
            raise ValueError("limit must be positive")
        place = self._locate(path)
        super().__init__(
            f"Cannot create a new file at {place}: memory in scope {self.scope} is at its limit of {limit} files "
            "(system/ files not counted). Add this content to an existing file instead (append_line, replace_fact, "
            "or write_file with that file's version), or merge related files into one and delete the merged ones "
            "with delete_file, then retry."
        )
        self.limit = limit


class InvalidArgumentError(RecoverableError):
    """An argument that an agent sent is not acceptable. Raised by the tool layer alone."""

    def __init__(self, argument: str, detail: str) -> None:
        if not really(argument, str):
            raise TypeError(f"argument must be a str, not {type_name(argument)}")
        self.argument = exact_str(argument)
        if not self.argument:
            raise ValueError("argument must be non-empty")
        super().__init__(f"Argument {self.argument} is invalid: {detail}")


class RestrictedScopeError(FileError, PermanentError):
    """The caller may not write there. Tells neither the caller's entity nor role."""

    def __init__(
        self,
        path: str,
        scope: str,
        reason: RestrictionReason,
        required_roles: frozenset[str] | None = None,
    ) -> None:
        roles = _exact_roles(required_roles)
        if reason is RestrictionReason.ROLE_REQUIRED and not roles:
            raise ValueError("required_roles must be non-empty when a role is required")
        if reason is not RestrictionReason.ROLE_REQUIRED and roles is not None:
            raise ValueError("required_roles goes only with a required role")
        permitted = ", ".join(sorted(roles or ()))
        why = {
            RestrictionReason.SYSTEM_READ_ONLY: f"the system/ area of scope {scope} is read-only (curated content).",
            RestrictionReason.ROLE_REQUIRED: (
                f"scope {scope} is role-gated and the caller lacks a permitted role ({permitted})."
            ),
            RestrictionReason.NOT_GRANTED: f"the caller's identity does not include this entity in scope {scope}.",
        }[reason]
        super().__init__(f"The file at {self._locate(path)} cannot be written: {why}")
        self.scope = scope
        self.reason = reason
        self.required_roles = roles


def _exact_roles(roles: frozenset[str] | None) -> frozenset[str] | None:
    if roles is None:
        return None
    if not really(roles, frozenset):
        raise TypeError(f"required_roles must be a frozenset or None, not {type_name(roles)}")
    members = list(frozenset.__iter__(roles))
    for role in members:
        if not really(role, str):
            raise TypeError(f"required_roles member must be a str, not {type_name(role)}")
    return frozenset(exact_str(role) for role in members)


class ChangeRefusedError(FileError, PermanentError):
    """A person was asked and refused the change; `reason` is what they said, perhaps nothing."""

    def __init__(self, path: str, reason: str = "") -> None:
        said = f' The reason given: "{reason}".' if reason else ""
        super().__init__(f"A person refused this change to the file at {self._locate(path)}; it was not made.{said}")
        self.reason = reason


class ApprovalTimeoutError(FileError, TransientError):
    """A person was asked and did not answer in time; the change was not made."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The change to the file at {self._locate(path)} waits for a person's approval, and nobody answered in "
            "time; it was not made."
        )


class ResolverFailureError(PermanentError):
    """The caller could not be identified; there is no memory in this session."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(
            _prefixed(
                detail,
                "Identity could not be resolved; memory is unavailable for this session; continue working without "
                "memory.",
            )
        )


class BackendUnavailableError(TransientError):
    """The storage back end did not answer in time, or could not be reached."""

    def __init__(self, reason: TransientReason, detail: str = "") -> None:
        said = {
            TransientReason.TIMEOUT: "The storage backend timed out.",
            TransientReason.UNAVAILABLE: "The storage backend is unavailable.",
        }[reason]
        super().__init__(_prefixed(detail, said))
        self.reason = reason


def _prefixed(detail: str, sentence: str) -> str:
    return f"{detail} {sentence}" if detail else sentence

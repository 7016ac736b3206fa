"""Errors as a person reads them: what happened, to what, and what to do next. Values, never tracebacks."""

from dataclasses import dataclass

from wenchang.errors import BackendUnavailableError, ErrorCategory, VersionConflictError, WenchangError
from wenchang.file_format import MetadataFormatError
from wenchang.storage import PreconditionFailedError


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as a value: a short title, one sentence of what happened, and the next step."""

    title: str
    sentence: str
    next_step: str


class OpenError(Exception):
    """A target cannot be opened; `problem` says why and what to do."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.title}: {problem.sentence} {problem.next_step}")
        self.problem = problem


def describe(error: Exception) -> Problem:
    """What a person should read about any error that storage or the library raises."""
    match error:
        case OpenError():
            return error.problem
        case WenchangError():
            return _taxonomy(error)
        case PreconditionFailedError():
            return Problem("Changed meanwhile", f"{error.key} is not at the expected version.", "Reload and try again.")
        case MetadataFormatError():
            return Problem("Malformed metadata", f"{error}.", "Repair the object's metadata; its body is intact.")
        case UnicodeDecodeError():
            return Problem(
                "Not UTF-8",
                f"The body holds a byte that is no UTF-8 text, at offset {error.start}.",
                "It can be looked at, and replaced as a whole.",
            )
        case OSError():
            return _operating_system(error)
    if type(error).__module__.startswith("google."):
        return _cloud(error)
    if type(error).__module__ == "wenchang.filememory.errors":
        return _file_memory(error)
    return Problem(
        "Unexpected error", f"{type(error).__name__}: {error}", "Run with --debug to see where it comes from."
    )


def _taxonomy(error: WenchangError) -> Problem:
    if isinstance(error, VersionConflictError):
        return Problem("Changed meanwhile", error.detail, "Compare both versions and save again.")
    if isinstance(error, BackendUnavailableError):
        return Problem("Storage unavailable", error.detail, "Check the connection and try again.")
    title, next_step = {
        ErrorCategory.RECOVERABLE: ("Refused", "Correct it and try again."),
        ErrorCategory.PERMANENT: ("Not allowed", "Trying again will not help."),
        ErrorCategory.TRANSIENT: ("Storage unavailable", "Try again later."),
    }[error.category]
    return Problem(title, error.detail, next_step)


def _file_memory(error: Exception) -> Problem:
    """What a file memory refuses, told apart without its types, which need an extra."""
    if type(error).__name__ == "FileChangedError":
        return Problem("Changed meanwhile", f"{error}.", "Nothing was changed.")
    return Problem("Refused", f"{error}.", "Correct it and try again.")


_BY_STATUS: dict[int | None, Problem] = {
    401: Problem("No permission", "Cloud Storage does not accept these credentials.", "Log in again."),
    403: Problem(
        "No permission",
        "These credentials may not do that in this bucket.",
        "Ask its owner for the role 'Storage Object User' (roles/storage.objectUser).",
    ),
    404: Problem("No such bucket", "The bucket is not there any more.", "Check its name, or create it again."),
}


def _cloud(error: Exception) -> Problem:
    """What Google's client raised beyond trouble that passes, told apart without its types, which load for long."""
    if type(error).__module__.startswith("google.auth"):
        return Problem(
            "No Google Cloud credentials",
            "They have expired, or cannot be used.",
            "Run 'gcloud auth application-default login', then try again.",
        )
    status = getattr(error, "code", None)
    refusal = Problem("Refused by Cloud Storage", f"It answered {status or type(error).__name__}.", "Try again later.")
    return _BY_STATUS.get(status, refusal)


_BY_KIND: tuple[tuple[type[OSError], str, str, str], ...] = (
    (FileNotFoundError, "Not found", "does not exist", "Check the path."),
    (FileExistsError, "Already there", "exists already", "Choose another name."),
    (NotADirectoryError, "Not a folder", "leads through a file as if that were a folder", "Check the path."),
    (IsADirectoryError, "Not a file", "is a folder", "Name a file."),
    (PermissionError, "Permission denied", "may not be accessed", "Check who may read and write it."),
    (TimeoutError, "Timed out", "did not answer in time", "Try again."),
)


def _operating_system(error: OSError) -> Problem:
    what = str(error.filename) if error.filename is not None else "The store"
    for kind, title, happened, next_step in _BY_KIND:
        if isinstance(error, kind):
            return Problem(title, f"{what} {happened}.", next_step)
    reason = error.strerror or str(error) or type(error).__name__
    return Problem("Storage error", f"{what}: {reason}.", "Check the disk, then try again.")

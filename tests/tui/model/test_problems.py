import errno

import pytest

from wenchang.errors import (
    BackendUnavailableError,
    NotFoundError,
    NotFoundReason,
    TransientReason,
    VersionConflictError,
)
from wenchang.file_format import MetadataFormatError
from wenchang.storage import PreconditionFailedError
from wenchang.version_token import VersionToken
from wenchang_tui.model.problems import OpenError, Problem, describe
from wenchang_tui.model.read_only import ReadOnlyError


@pytest.mark.parametrize(
    ("error", "title", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "x", "/store"), "Not found", "/store"),
        (PermissionError(errno.EACCES, "x", "/store"), "Permission denied", "/store"),
        (NotADirectoryError(errno.ENOTDIR, "x", "/a/b"), "Not a folder", "/a/b leads through a file"),
        (OSError(errno.ENOSPC, "No space left on device"), "Storage error", "No space left on device"),
        (BackendUnavailableError(TransientReason.TIMEOUT), "Storage unavailable", "timed out"),
        (MetadataFormatError("aliases", "missing required key"), "Malformed metadata", "aliases: missing required key"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "Not UTF-8", "offset 0"),
        (VersionConflictError("s/e/a/n.md", "", VersionToken("2")), "Changed meanwhile", "name n"),
        (PreconditionFailedError("s/e/a/n.md"), "Changed meanwhile", "s/e/a/n.md"),
        (NotFoundError("s/e/a/n.md", NotFoundReason.FILE_ABSENT), "Refused", "name n"),
        (ReadOnlyError(), "Not allowed", "read-only"),
        (OpenError(Problem("Not found", "there is no x.", "Check.")), "Not found", "no x"),
        (RuntimeError("boom"), "Unexpected error", "RuntimeError: boom"),
    ],
)
def test_every_error_is_told_in_a_sentence_with_a_next_step(error: Exception, title: str, words: str) -> None:
    problem = describe(error)
    assert problem.title == title
    assert words in problem.sentence
    assert problem.next_step.endswith(".")
    assert "without asking the user" not in problem.sentence
    assert "Nothing was changed" not in problem.next_step

"""Which errors of the client become which of the storage. Core, section 5.4."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import google.api_core.exceptions as api
import pytest
import requests

from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import ListedObject, PreconditionFailedError
from wenchang.storage.gcs import GcsStorage
from wenchang.storage.gcs.faults import TORN
from wenchang.version_token import VersionToken


def api_error(kind: Callable[..., Exception], *cause: Exception) -> Exception:
    return kind("as the client words it", *cause)


def coded(code: int) -> Exception:
    error = api_error(api.GoogleAPICallError)
    error.code = code  # type: ignore[attr-defined]
    return error


TIMEOUT = (
    api_error(api.DeadlineExceeded),
    api_error(api.GatewayTimeout),
    requests.exceptions.Timeout(),
    requests.exceptions.ReadTimeout(),
    requests.exceptions.ConnectTimeout(),
    api_error(api.RetryError, api_error(api.ServiceUnavailable)),
    api_error(api.RetryError, requests.exceptions.ConnectionError()),
    coded(408),
    TimeoutError(),
)
UNAVAILABLE = (
    api_error(api.TooManyRequests),
    api_error(api.InternalServerError),
    api_error(api.BadGateway),
    api_error(api.ServiceUnavailable),
    requests.exceptions.ConnectionError(),
    ConnectionResetError(),
)
UNCHANGED = (api_error(api.Forbidden), api_error(api.BadRequest), coded(418), ValueError("x"), KeyError("x"))


class FailingBucket:
    """A bucket of the client in which every call raises `error`; listings do so when they are read."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.generation = 1

    def blob(self, name: str) -> Any:
        return self

    def fail(self, *arguments: object, **options: object) -> NoReturn:
        raise self._error

    upload_from_string = delete = download_as_bytes = fail

    def get_blob(self, name: str, **options: object) -> Any:
        self.fail()

    def list_blobs(self, **options: object) -> Any:
        return SimpleNamespace(pages=(self.fail() for _ in range(1)))


OPERATIONS = {
    "get": lambda storage: storage.get("k"),
    "put": lambda storage: storage.put("k", b"", {}),
    "put_if_version": lambda storage: storage.put_if_version("k", b"", {}, None),
    "delete_if_version": lambda storage: storage.delete_if_version("k", VersionToken("1")),
    "list_page": lambda storage: storage.list_page("", None, 10),
    "get_body": lambda storage: storage.get_body(ListedObject("k", {}, VersionToken("1"))),
}


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest) -> Any:
    return OPERATIONS[request.param]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(error, TransientReason.TIMEOUT) for error in TIMEOUT]
    + [(error, TransientReason.UNAVAILABLE) for error in UNAVAILABLE],
    ids=lambda value: type(value).__name__,
)
def test_passing_errors_are_mapped(operation: Any, error: Exception, reason: TransientReason) -> None:
    with pytest.raises(BackendUnavailableError) as failure:
        operation(GcsStorage(FailingBucket(error)))
    assert failure.value.reason is reason
    assert failure.value.__cause__ is error


@pytest.mark.parametrize("error", UNCHANGED, ids=lambda value: type(value).__name__)
def test_other_errors_are_passed_on(operation: Any, error: Exception) -> None:
    with pytest.raises(type(error)) as failure:
        operation(GcsStorage(FailingBucket(error)))
    assert failure.value is error


@pytest.mark.parametrize("name", ["put_if_version", "delete_if_version"])
def test_a_failed_precondition_is_a_mismatch(name: str) -> None:
    error = api_error(api.PreconditionFailed)
    with pytest.raises(PreconditionFailedError) as failure:
        OPERATIONS[name](GcsStorage(FailingBucket(error)))
    assert failure.value.key == "k"
    assert failure.value.__cause__ is error


def test_deleting_nothing_is_a_mismatch() -> None:
    error = api_error(api.NotFound)
    with pytest.raises(PreconditionFailedError):
        OPERATIONS["delete_if_version"](GcsStorage(FailingBucket(error)))


@pytest.mark.parametrize("name", ["list_page", "put", "put_if_version"])
def test_a_missing_bucket_is_neither_an_empty_listing_nor_a_conflict(name: str) -> None:
    with pytest.raises(api.NotFound):
        OPERATIONS[name](GcsStorage(FailingBucket(api_error(api.NotFound))))


def test_a_body_that_was_damaged_on_the_way_is_unavailable() -> None:
    error = TORN(None, "the checksum differs")
    with pytest.raises(BackendUnavailableError) as failure:
        OPERATIONS["get_body"](GcsStorage(FailingBucket(error)))
    assert failure.value.reason is TransientReason.UNAVAILABLE
    assert failure.value.__cause__ is error


class RestlessBucket(FailingBucket):
    """A bucket whose object is there whenever asked for, and another whenever read."""

    def __init__(self) -> None:
        super().__init__(api_error(api.PreconditionFailed))
        self.metadata = {"a": "b"}

    def get_blob(self, name: str, **options: object) -> Any:
        return self


def test_an_object_that_never_holds_still_is_unavailable() -> None:
    with pytest.raises(BackendUnavailableError) as failure:
        GcsStorage(RestlessBucket()).get("secret-key")
    assert failure.value.reason is TransientReason.UNAVAILABLE
    assert "secret-key" not in str(failure.value)

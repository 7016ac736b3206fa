"""Which failures of the service pass by themselves, and what a caller sees of those that do not pass in time."""

from collections.abc import Iterator
from contextlib import contextmanager

import requests
import urllib3
from google.api_core.exceptions import (
    BadGateway,
    GatewayTimeout,
    GoogleAPICallError,
    InternalServerError,
    RetryError,
    ServiceUnavailable,
    TooManyRequests,
)
from google.auth.exceptions import TransportError

try:
    from google.cloud.storage.exceptions import DataCorruption  # type: ignore[import-untyped]
except ImportError:  # before the client's version 3
    from google.resumable_media.common import DataCorruption

from wenchang.errors import BackendUnavailableError, TransientReason

TORN: type[Exception] = DataCorruption
"""What the client raises for a body that does not have the checksum that it came with."""

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_DROPPED = (
    ConnectionError,
    TimeoutError,
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
    urllib3.exceptions.HTTPError,
)
_TIMEOUTS = (GatewayTimeout, RetryError, requests.Timeout, TimeoutError)
_FAILURES = (
    TooManyRequests,
    InternalServerError,
    BadGateway,
    ServiceUnavailable,
    requests.ConnectionError,
    ConnectionError,
    TORN,
)


class TooManyChangesError(BackendUnavailableError):
    """The service kept asking to slow down: it takes about one change a second to one object."""

    def __init__(self) -> None:
        super().__init__(
            TransientReason.UNAVAILABLE,
            "Too many changes at once: Cloud Storage takes about one change a second to one file.",
        )


def status_of(error: object) -> int | None:
    """The HTTP status that `error` reports, whether the client has made an API error of it or not yet."""
    source = error if isinstance(error, GoogleAPICallError) else getattr(error, "response", None)
    status: int | None = getattr(source, "code", None) or getattr(source, "status_code", None)
    return status


def is_passing(error: object) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, TransportError):  # no connection while asking for a token; the cause is an argument
        return any(map(is_passing, error.args))
    return status_of(error) in _PASSING or isinstance(error, _DROPPED)


def _reason(error: Exception) -> TransientReason | None:
    """The table of core, section 5.4. Time-outs first: `ConnectTimeout` is both a time-out and a connection error."""
    if isinstance(error, _TIMEOUTS) or (isinstance(error, GoogleAPICallError) and error.code == 408):
        return TransientReason.TIMEOUT
    return TransientReason.UNAVAILABLE if isinstance(error, _FAILURES) else None


def _unavailable(error: Exception) -> BackendUnavailableError | None:
    last = error.cause if isinstance(error, RetryError) else error
    if status_of(last) == 429:
        return TooManyChangesError()
    reason = _reason(error)
    if reason is None:
        return None
    unreached = isinstance(error, RetryError) and status_of(last) is None
    return BackendUnavailableError(reason, "Cloud Storage could not be reached." if unreached else "")


@contextmanager
def mapped_errors() -> Iterator[None]:
    """Raise `BackendUnavailableError` for the failures of the table; let every other error through."""
    try:
        yield
    except Exception as error:
        unavailable = _unavailable(error)
        if unavailable is None:
            raise
        raise unavailable from error

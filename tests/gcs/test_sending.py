"""Which failures a request is sent again for, and which end it at once."""

import random
from collections.abc import Callable
from typing import Any

import google.api_core.exceptions as api
import pytest
import requests
import urllib3
from google.auth.exceptions import RefreshError, TransportError

from wenchang.storage.gcs.sending import Request


def answered(status: int) -> Exception:
    """A failure as uploads and downloads report it, before it is an API error."""
    response = requests.Response()
    response.status_code = status
    return requests.HTTPError("as answered", response=response)


PASSING = (
    *map(answered, (408, 429, 500, 502, 503, 504)),
    requests.ConnectionError(),
    requests.exceptions.SSLError(),
    requests.ReadTimeout(),
    requests.exceptions.ChunkedEncodingError(),
    urllib3.exceptions.ProtocolError(),
    ConnectionResetError(),
    TimeoutError(),
    TransportError(requests.ConnectionError()),  # type: ignore[no-untyped-call]
)
LASTING = (
    *map(answered, (400, 401, 403, 404, 412, 501)),
    api.Forbidden("x"),  # type: ignore[no-untyped-call]
    api.PreconditionFailed("x"),  # type: ignore[no-untyped-call]
    RefreshError("the key was revoked"),  # type: ignore[no-untyped-call]
    TransportError("no such proxy"),  # type: ignore[no-untyped-call]
    ValueError(),
)


def named(value: object) -> str:
    status = getattr(getattr(value, "response", None), "status_code", "")
    return f"{type(value).__name__}{status}"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "uniform", lambda least, most: 0.0)


class Once:
    """A call of the client that fails the first time it is made."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.made = 0

    def __call__(self, retry: Callable[..., Any], timeout: object) -> Any:
        return retry(self._attempt)()

    def _attempt(self) -> str:
        self.made += 1
        if self.made == 1:
            raise self.error
        return "done"


@pytest.mark.parametrize("error", PASSING, ids=named)
def test_what_may_pass_is_tried_again(error: Exception) -> None:
    request, call = Request(None), Once(error)
    assert request.ask(call) == "done"
    assert (call.made, request.repeated) == (2, True)


@pytest.mark.parametrize("error", LASTING, ids=named)
def test_what_will_not_pass_is_not_tried_again(error: Exception) -> None:
    request, call = Request(None), Once(error)
    with pytest.raises(type(error)) as failure:
        request.ask(call)
    assert failure.value is error
    assert (call.made, request.repeated) == (1, False)

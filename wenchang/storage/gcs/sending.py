"""How requests are sent: again while the service is in passing trouble, and in bounded time."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from google.api_core.retry import Retry

from wenchang.storage.gcs.faults import is_passing, mapped_errors
from wenchang.storage.gcs.waiting import start

PATIENCE_SECONDS = 10.0
"""How long a caller waits for one request at most, its repetitions included."""

SOCKET_SECONDS = (3.0, 6.0)
"""How long to wait for a connection, and for each piece of an answer."""

_RETRY_SECONDS = 7.0


class Request:
    """One request, sent again while the service is in passing trouble; `repeated` tells whether it may have been."""

    def __init__(self, on_retry: Callable[[Exception], None] | None) -> None:
        self.repeated = False
        self._on_retry = on_retry

    def settings(self) -> dict[str, Any]:
        """How the client is to send it."""
        again = Retry(
            predicate=is_passing, initial=0.2, maximum=2.0, multiplier=2.0, timeout=_RETRY_SECONDS, on_error=self._note
        )
        return {"timeout": SOCKET_SECONDS, "retry": again}

    def start(self, call: Callable[..., Any], *arguments: object, **options: object) -> Future[Any]:
        """Begin a call of the client."""
        return start(partial(call, *arguments, **options, **self.settings()))

    def ask(self, call: Callable[..., Any], *arguments: object, **options: object) -> Any:
        """The outcome of a call of the client."""
        with mapped_errors():
            return self.start(call, *arguments, **options).result(PATIENCE_SECONDS)

    def _note(self, error: Exception) -> None:
        self.repeated = True
        if self._on_retry is not None:
            self._on_retry(error)

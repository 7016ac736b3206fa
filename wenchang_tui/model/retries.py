"""Requests that a storage far away did not answer at first, as sentences for whoever waits for them."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Full, Queue

_KEPT = 16
_LOOK_SECONDS = 0.25


class Retries:
    """Told of every request that is sent again, from the thread of that request, and tells one who watches."""

    def __init__(self) -> None:
        self._notices: Queue[str] = Queue(_KEPT)

    def note(self, error: Exception) -> None:
        """A request failed with `error` and is being sent again. Never blocks: with nobody watching, most are lost."""
        with suppress(Full):
            self._notices.put_nowait(f"retrying: {_cause(error)}")

    def watch(self, stop: threading.Event) -> Iterator[str]:
        """A sentence for each, such as `retrying: Cloud Storage answered 503`, until `stop` is set."""
        while not stop.is_set():
            with suppress(Empty):
                yield self._notices.get(timeout=_LOOK_SECONDS)


def _cause(error: Exception) -> str:
    status = getattr(error, "code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status == 429:
        return "Cloud Storage asks to slow down"
    return "Cloud Storage does not answer" if status is None else f"Cloud Storage answered {status}"

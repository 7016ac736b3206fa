"""Requests that a storage far away did not answer at first, as sentences for whoever waits for them."""

from collections.abc import Callable
from contextlib import suppress


class Retries:
    """Told of every request that is sent again, from the thread of that request.

    `on_notice` gets a sentence for each, such as `retrying: Cloud Storage answered 503`, in that thread. It must not
    block, and whatever it raises is no concern of the request.
    """

    def __init__(self) -> None:
        self.on_notice: Callable[[str], object] = lambda _: None

    def note(self, error: Exception) -> None:
        """A request failed with `error` and is being sent again."""
        with suppress(Exception):  # such as the end of the app that wanted to know
            self.on_notice(f"retrying: {_cause(error)}")


def _cause(error: Exception) -> str:
    status = getattr(error, "code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status == 429:
        return "Cloud Storage asks to slow down"
    return "Cloud Storage does not answer" if status is None else f"Cloud Storage answered {status}"

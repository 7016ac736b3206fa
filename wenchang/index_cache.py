"""Where listings for the memory index may be kept between sessions: two functions over text, and a simple store of it.

What is kept, under which keys, and when it is thrown away is decided in `wenchang.core`; a cache only holds texts. Any
key-value server fits through `get` and `set`; Redis, shared by all processes that use one storage, like this:

    from datetime import timedelta

    import redis
    from wenchang.index_cache import IndexCache

    def redis_index_cache(url: str) -> IndexCache:
        client = redis.Redis.from_url(url, decode_responses=True, socket_timeout=1, socket_connect_timeout=1)
        return IndexCache(
            get=client.get,
            set=lambda key, value, ttl: client.set(key, value, px=ttl),
            ttl=timedelta(days=1),
        )

`decode_responses` is needed, as a cache returns text. Every process that writes must be given the cache, or call
`invalidate_index`: a listing is believed until it is told otherwise, or until its `ttl` is over, which is how long one
may outlive a write whose connection to the cache was lost. Core, section 8.4.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from wenchang._types import exact_str, really, type_name


@dataclass(frozen=True, slots=True)
class IndexCache:
    """The functions of a cache and how to use them.

    `get(key)` returns the text kept under a key or `None`; `set(key, value, ttl)` keeps one. `ttl`, positive if given,
    is handed unchanged to every `set`; all keys start with `key_prefix`. Raises `TypeError` and `ValueError` otherwise.
    """

    get: Callable[[str], str | None]
    set: Callable[[str, str, timedelta | None], None]
    ttl: timedelta | None = None
    key_prefix: str = "wenchang:index:"

    def __post_init__(self) -> None:
        for name in ("get", "set"):
            if not callable(getattr(self, name)):
                raise TypeError(f"{name} must be callable")
        if self.ttl is not None and not really(self.ttl, timedelta):
            raise TypeError(f"ttl must be a timedelta or None, not {type_name(self.ttl)}")
        if not really(self.key_prefix, str):
            raise TypeError(f"key_prefix must be a str, not {type_name(self.key_prefix)}")
        object.__setattr__(self, "key_prefix", exact_str(self.key_prefix))
        if self.ttl is not None and self.ttl <= timedelta(0):
            raise ValueError("ttl must be positive")


class InMemoryIndexCache:
    """Texts in a dictionary, shared by the threads of one process. An expired one is dropped when it is read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[str, float | None]] = {}

    def get(self, key: str) -> str | None:
        """The text under `key`, unless there is none or its time is over."""
        with self._lock:
            value, ends = self._kept.get(key, (None, None))
            if ends is not None and time.monotonic() >= ends:
                del self._kept[key]
                return None
            return value

    def set(self, key: str, value: str, ttl: timedelta | None) -> None:
        """Keep `value` under `key`, for `ttl` or for good."""
        ends = None if ttl is None else time.monotonic() + ttl.total_seconds()
        with self._lock:
            self._kept[key] = (value, ends)

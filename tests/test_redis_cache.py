"""The index cache on a real Redis server, by the very adapter that its documentation shows."""

import logging
import shutil
import socket
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import wenchang.index_cache
from tests.core.support import PATH, Interposed, meta, seed
from wenchang.core import MemoryStore
from wenchang.index_cache import IndexCache

redis = pytest.importorskip("redis")
SERVER = shutil.which("redis-server")
SCOPES = {"user": "u-1"}
STARTING_TRIES = 100


def documented() -> Callable[[str], IndexCache]:
    """The function in the docstring of the module."""
    paragraphs = (wenchang.index_cache.__doc__ or "").split("\n\n")
    code = "\n\n".join(textwrap.dedent(part) for part in paragraphs if part.startswith("    "))
    names: dict[str, Any] = {}
    exec(compile(code, "docstring", "exec"), names)
    function: Callable[[str], IndexCache] = names["redis_index_cache"]
    return function


class Server:
    """A Redis server of our own, which forgets everything at the end."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self) -> None:
        assert SERVER is not None
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([SERVER, *options], cwd=self._folder, stdout=subprocess.DEVNULL)
        retry = redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), STARTING_TRIES)
        self.client = redis.Redis(port=self.port, retry=retry, retry_on_error=[redis.ConnectionError])
        self.client.ping()

    def stop(self) -> None:
        self.client.close()
        self._process.terminate()
        self._process.wait(30)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if SERVER is None:
        pytest.skip("there is no redis-server on this machine; Debian has it in the package redis-server")
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def server(running: Server) -> Server:
    running.client.flushall()
    return running


def store_on(storage: Interposed, server: Server) -> MemoryStore:
    """A store as another process would have it: with connections of its own."""
    return MemoryStore(storage, index_cache=documented()(server.url))


def test_texts_come_back_and_absent_ones_are_none(server: Server) -> None:
    cache = documented()(server.url)
    cache.set("k é", "text é \u2028", None)
    assert cache.get("k é") == "text é \u2028"
    assert cache.get("absent") is None
    assert server.client.ttl("k é") == -1


@pytest.mark.parametrize("ttl", [timedelta(days=1), timedelta(milliseconds=100)])
def test_a_text_is_kept_for_its_time(server: Server, ttl: timedelta) -> None:
    documented()(server.url).set("k", "v", ttl)
    assert 0 < server.client.pttl("k") <= ttl / timedelta(milliseconds=1)


def test_a_listing_is_made_once_for_all_processes(server: Server) -> None:
    storage = Interposed()
    one, other = store_on(storage, server), store_on(storage, server)
    seed(one, PATH, metadata=meta("Käse \u2028", ["書"]))
    index = one.get_memory_index(SCOPES)
    listings = storage.count("list_page")
    assert other.get_memory_index(SCOPES) == index
    assert index.entries[0].metadata.aliases == ("書",)
    assert storage.count("list_page") == listings
    kept = sorted(server.client.scan_iter())
    assert kept == [b"wenchang:index:listing/user/u-1", b"wenchang:index:token/user/u-1"]
    assert all(server.client.pttl(key) > 0 for key in kept)


def test_a_write_in_one_process_is_seen_by_the_other_at_once(server: Server) -> None:
    storage = Interposed()
    one, other = store_on(storage, server), store_on(storage, server)
    seed(one, PATH)
    assert len(other.get_memory_index(SCOPES).entries) == 1
    seed(one, "user/u-1/notes/b.md")
    assert len(other.get_memory_index(SCOPES).entries) == 2
    one.purge("user", "u-1")
    assert other.get_memory_index(SCOPES).entries == ()


def test_what_was_written_past_the_store_shows_when_it_is_told(server: Server) -> None:
    storage = Interposed()
    store = store_on(storage, server)
    assert store.get_memory_index(SCOPES).entries == ()
    seed(MemoryStore(storage), PATH)
    assert store.get_memory_index(SCOPES).entries == ()
    store.invalidate_index("user", "u-1")
    assert len(store.get_memory_index(SCOPES).entries) == 1


def test_a_server_that_evicts_everything_costs_a_listing(server: Server) -> None:
    storage = Interposed()
    store = store_on(storage, server)
    seed(store, PATH)
    index = store.get_memory_index(SCOPES)
    server.client.flushall()
    assert store.get_memory_index(SCOPES) == index


def test_without_a_server_memory_goes_on_and_operators_are_told(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    storage = Interposed()
    store = store_on(storage, server)
    seed(store, PATH)
    server.stop()
    try:
        with caplog.at_level(logging.WARNING, "wenchang.core"):
            seed(store, "user/u-1/notes/b.md")
            assert len(store.get_memory_index(SCOPES).entries) == 2
        assert "ConnectionError" in caplog.text
        assert "u-1" not in caplog.text
        with pytest.raises(redis.ConnectionError):
            store.invalidate_index("user", "u-1")
    finally:
        server.start()
    assert len(store.get_memory_index(SCOPES).entries) == 2


def test_a_client_that_returns_bytes_is_noticed_and_not_believed(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    storage, client = Interposed(), redis.Redis(port=server.port)
    cache = IndexCache(get=client.get, set=lambda key, value, ttl: client.set(key, value, px=ttl))
    store = MemoryStore(storage, index_cache=cache)
    seed(store, PATH)
    assert len(store.get_memory_index(SCOPES).entries) == 1
    assert "returned no text in scope user: bytes" in caplog.text

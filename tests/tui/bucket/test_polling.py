"""Looking again at the page on screen: what is told, what is not, and what that asks for."""

import threading
from collections.abc import Callable

import pytest

from tests.gcs.proxy import Fault, Proxy
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import ListedObject, Storage
from wenchang.storage.gcs import GcsStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model import polling
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.polling import PollingWatcher
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target


class Script(threading.Event):
    """A stop event on which a watcher waits no time at all: before each look something happens, then it is set."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__()
        self._steps = list(steps)
        self.pauses: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        if not self._steps:
            return True
        self.pauses.append(timeout)
        self._steps.pop(0)()
        return False


def nothing() -> None:
    pass


def look(watcher: PollingWatcher, storage: Storage, prefix: str) -> None:
    watcher.look_at(prefix, Catalog(storage).page(prefix).rows)


def test_what_is_new_changed_and_gone_is_told_once() -> None:
    storage = InMemoryStorage()
    gone = storage.put("a/gone", b"", {})
    storage.put("a/kept", b"", {})
    storage.put("a/changed", b"", {})
    watcher = PollingWatcher(storage)
    look(watcher, storage, "a/")

    def change() -> None:
        storage.delete_if_version("a/gone", gone)
        storage.put("a/changed", b"x", {})
        storage.put("a/new", b"", {})
        storage.put("b/elsewhere", b"", {})

    told = list(watcher.watch(Script(nothing, change, nothing)))
    assert told == [frozenset({"a/gone", "a/changed", "a/new"})]


def test_a_change_between_the_listing_and_the_first_look_is_told() -> None:
    storage = InMemoryStorage()
    watcher = PollingWatcher(storage)
    look(watcher, storage, "a/")
    storage.put("a/new", b"", {})
    assert list(watcher.watch(Script(nothing))) == [frozenset({"a/new"})]


def test_whoever_looks_elsewhere_is_told_of_that_alone() -> None:
    storage = InMemoryStorage()
    watcher = PollingWatcher(storage)
    look(watcher, storage, "a/")

    def move() -> None:
        look(watcher, storage, "b/")
        storage.put("a/new", b"", {})
        storage.put("b/new", b"", {})

    assert list(watcher.watch(Script(move))) == [frozenset({"b/new"})]


class Distracted(InMemoryStorage):
    """A storage during whose listing somebody looks elsewhere."""

    meanwhile: Callable[[], None] = staticmethod(nothing)

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> list[ListedObject]:
        found = list(super().list_page(prefix, start_after, limit))
        self.meanwhile()
        return found


def test_a_page_that_nobody_looks_at_any_more_is_not_told() -> None:
    storage = Distracted()
    watcher = PollingWatcher(storage)
    watcher.look_at("a/", ())
    storage.put("a/new", b"", {})
    storage.meanwhile = lambda: watcher.look_at("b/", ())
    assert list(watcher.watch(Script(nothing, nothing))) == []


def test_only_the_page_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "ROWS", 3)
    storage = InMemoryStorage()
    for number in range(6):
        storage.put(f"a/{number}", b"", {})
    watcher = PollingWatcher(storage)
    look(watcher, storage, "a/")
    steps = [lambda: storage.put("a/5", b"x", {}), lambda: storage.put("a/2", b"x", {}), nothing]
    assert list(watcher.watch(Script(*steps))) == [frozenset({"a/2"})]
    watcher.look_at("a/", Catalog(storage).page("a/", "a/2").rows, "a/2")
    steps = [lambda: storage.put("a/2", b"y", {}), lambda: storage.put("a/5", b"y", {}), nothing]
    assert list(watcher.watch(Script(*steps))) == [frozenset({"a/5"})]


class Failing(InMemoryStorage):
    """A storage that cannot be asked for a while."""

    failures = 0

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> list[ListedObject]:
        if self.failures:
            self.failures -= 1
            raise BackendUnavailableError(TransientReason.UNAVAILABLE)
        return list(super().list_page(prefix, start_after, limit))


def test_trouble_is_sat_out_with_fewer_and_fewer_requests() -> None:
    storage = Failing()
    watcher = PollingWatcher(storage, interval=3)
    watcher.look_at("", ())
    storage.put("new", b"", {})
    storage.failures = 6
    script = Script(*[nothing] * 8)
    assert list(watcher.watch(script)) == [frozenset({"new"})]
    assert script.pauses == [3, 6, 12, 24, 48, 60, 60, 3]


def test_a_look_is_one_request_and_nobody_looking_is_none(storage: GcsStorage, proxy: Proxy) -> None:
    storage.put("a/k", b"", {})
    watcher = PollingWatcher(storage)
    watch = watcher.watch(Script(nothing, lambda: look(watcher, storage, "a/"), nothing, watcher.look_away, nothing))
    proxy.reset()
    assert list(watch) == []
    assert proxy.kinds() == ["list"] * 3, "one for the listing itself, one for each look"


def test_each_request_that_is_sent_again_is_told(target: str, proxy: Proxy) -> None:
    workspace = open_target(target, Settings())
    assert workspace.retries is not None
    proxy.faults = [Fault("list", status=503), Fault("list", status=429), Fault("list", before=True)]
    told: list[str] = []
    workspace.retries.on_notice = told.append
    workspace.catalog.scopes()
    assert told == [
        "retrying: Cloud Storage answered 503",
        "retrying: Cloud Storage asks to slow down",
        "retrying: Cloud Storage does not answer",
    ]


def test_a_listener_that_fails_does_not_fail_the_request(target: str, proxy: Proxy) -> None:
    def end(_: str) -> None:
        raise RuntimeError("the app has ended")

    workspace = open_target(target, Settings())
    assert workspace.retries is not None
    proxy.faults = [Fault("list", status=503)]
    workspace.retries.on_notice = end
    assert workspace.catalog.scopes() == ()
    assert proxy.faults == []

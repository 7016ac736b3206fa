import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchfiles import Change

from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model import changes
from wenchang_tui.model.changes import FolderWatcher

KEY = "s/e/a/n.md"
LIMIT = 20.0


class Watch:
    """A watcher in a thread, as the app runs it."""

    def __init__(self, root: Path) -> None:
        self._stop = threading.Event()
        self._seen: set[str] = set()
        self._news = threading.Condition()
        self._watching = FolderWatcher(root).watch(self._stop)
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _collect(self) -> None:
        for keys in self._watching:
            with self._news:
                self._seen |= keys
                self._news.notify_all()

    def waits_for(self, *keys: str) -> bool:
        with self._news:
            found = self._news.wait_for(lambda: self._seen.issuperset(keys), LIMIT)
            self._seen.clear()
            return found

    def end(self) -> bool:
        self._stop.set()
        self._thread.join(LIMIT)
        return not self._thread.is_alive()


@pytest.fixture
def watching() -> Iterator[Callable[[Path], Watch]]:
    started: list[Watch] = []

    def start(root: Path) -> Watch:
        started.append(Watch(root))
        return started[-1]

    yield start
    ended = [watch.end() for watch in started]
    assert all(ended)


def test_writes_from_elsewhere_are_reported_by_key(tmp_path: Path, watching: Callable[[Path], Watch]) -> None:
    storage = FilesystemStorage(tmp_path, durable=False)
    watch = watching(tmp_path)
    version = storage.put(KEY, b"x", {})
    assert watch.waits_for(KEY)
    storage.delete_if_version(KEY, version)
    assert watch.waits_for(KEY)


def test_what_comes_within_new_folders_is_reported(tmp_path: Path, watching: Callable[[Path], Watch]) -> None:
    """Folders that stand before the system listens to them: it tells of the first of them at most."""
    storage = FilesystemStorage(tmp_path / "store", durable=False)
    storage.put(KEY, b"x", {})
    watch = watching(tmp_path / "store")
    storage.put(KEY, b"y", {})
    assert watch.waits_for(KEY)
    for number in range(5):
        storage.put(f"s/e/area-{number}/n.md", b"x", {})
        storage.put(f"scope-{number}/e/a/n.md", b"x", {})
        assert watch.waits_for(f"s/e/area-{number}/n.md", f"scope-{number}/e/a/n.md")


def test_what_goes_with_its_folder_is_reported(tmp_path: Path, watching: Callable[[Path], Watch]) -> None:
    storage = FilesystemStorage(tmp_path / "store", durable=False)
    storage.put(KEY, b"x", {})
    watch = watching(tmp_path / "store")
    storage.put("s/e/b/n.md", b"x", {})
    assert watch.waits_for("s/e/b/n.md")
    (tmp_path / "store" / "s").rename(tmp_path / "elsewhere")
    assert watch.waits_for(KEY, "s/e/b/n.md")
    (tmp_path / "elsewhere").rename(tmp_path / "store" / "s")
    assert watch.waits_for(KEY, "s/e/b/n.md")


def test_a_folder_may_vanish_and_return(tmp_path: Path, watching: Callable[[Path], Watch]) -> None:
    root = tmp_path / "store"
    FilesystemStorage(root, durable=False).put(KEY, b"x", {})
    watch = watching(root)
    shutil.rmtree(root)
    assert watch.waits_for(KEY)
    FilesystemStorage(root, durable=False).put(KEY, b"y", {})
    assert watch.waits_for(KEY)


def test_without_events_of_the_system_it_polls(
    tmp_path: Path, watching: Callable[[Path], Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_watches_left(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError(28, "inotify limit reached")

    monkeypatch.setattr(changes, "watch", no_watches_left)
    monkeypatch.setattr(changes, "_POLL_SECONDS", 0.02)
    watch = watching(tmp_path)
    FilesystemStorage(tmp_path, durable=False).put(KEY, b"x", {})
    assert watch.waits_for(KEY)
    (tmp_path / "foreign.txt").write_text("x")
    FilesystemStorage(tmp_path, durable=False).put(KEY, b"y", {})
    assert watch.waits_for(KEY)


def test_of_files_that_come_and_go_nothing_is_remembered(tmp_path: Path) -> None:
    storage, watcher = FilesystemStorage(tmp_path, durable=False), FolderWatcher(tmp_path)
    watcher.watch(threading.Event())
    for number in range(20):
        key = f"s/e/a/{number}.md"
        version = storage.put(key, b"x", {})
        paths = [str(path) for path in tmp_path.rglob("*") if path.is_file()]
        assert watcher._changed((Change.added, path) for path in paths) == {key}
        assert set(watcher._known) == {key}
        storage.delete_if_version(key, version)
        assert watcher._changed((Change.deleted, path) for path in paths) == {key}
    assert watcher._known == {}

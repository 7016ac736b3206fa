"""Browsing a large bucket: what each view costs, however much lies in it."""

from collections import Counter
from collections.abc import Callable
from threading import Barrier

import pytest

from tests.gcs.proxy import Proxy
from tests.tui.bucket.conftest import LARGE_FILES
from wenchang.storage import StoredObject
from wenchang.storage.gcs import GcsStorage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.body_search import search_bodies
from wenchang_tui.model.catalog import Catalog, Count, NamePage
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import open_target
from wenchang_tui.model.workspace import Ambiguous, Workspace


@pytest.fixture
def workspace(large: Proxy, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", large.url)
    workspace = open_target("gs://large", Settings())
    large.reset()
    return workspace


Costs = Callable[[], int]


@pytest.fixture
def cost(large: Proxy) -> Costs:
    """How many requests there were since the last time of asking; all of them listings."""

    def call() -> int:
        assert set(large.kinds()) <= {"list"}
        number = len(large.seen)
        large.seen.clear()
        return number

    return call


def test_each_level_costs_one_request(workspace: Workspace, cost: Costs) -> None:
    catalog = workspace.catalog
    assert catalog.names("") == NamePage(("project", "user"), None)
    assert cost() == 1
    assert catalog.areas("project", "p") == ("system", "alpha", "notes", "zeta")
    assert cost() == 1
    page = catalog.names("user/")
    assert (page.names[0], page.names[-1], len(page.names)) == ("u00000", "u00499", 500)
    assert cost() == 1
    page = catalog.names("user/", page.next_after, 10)
    assert page == NamePage(tuple(f"u{number:05}" for number in range(500, 510)), "u00509")
    assert cost() == 1
    assert catalog.names("user/", "u02489", 10) == NamePage(
        tuple(f"u{number:05}" for number in range(2490, 2500)), None
    )


def test_a_page_of_files_costs_one_request(workspace: Workspace, cost: Costs) -> None:
    page = workspace.catalog.page("project/p/notes/", limit=200)
    assert len(page.rows) == 200
    assert cost() == 1
    assert workspace.catalog.page("project/p/notes/", page.next_after, 200).rows[0].key.endswith("/00200.md")
    assert cost() == 1


def test_counting_costs_a_request_for_each_thousand_and_stops(workspace: Workspace, cost: Costs) -> None:
    assert workspace.catalog.count("project/p/alpha/") == Count(1, 0, 41, more=False)
    assert cost() == 1
    found = workspace.catalog.count("", limit=900)
    assert (found.files, found.problems, found.more) == (900, 0, True)
    assert cost() == 1


def test_who_acts_is_asked_in_bounded_requests(workspace: Workspace, cost: Costs) -> None:
    identity = workspace.identity()
    assert cost() == 3
    assert isinstance(identity, Ambiguous)
    assert identity.more
    assert identity.entities["project"] == ("p",)
    assert len(identity.entities["user"]) == 100


def test_reading_everything_costs_a_request_for_each_thousand(workspace: Workspace, cost: Costs) -> None:
    assert sum(1 for _ in workspace.catalog.rows("project/")) == LARGE_FILES + 3
    assert cost() == 2


class Unable:
    """A bucket's storage without its abilities."""

    def __init__(self, storage: GcsStorage) -> None:
        self.get, self.put, self.put_if_version = storage.get, storage.put, storage.put_if_version
        self.delete_if_version, self.list_page = storage.delete_if_version, storage.list_page


def test_a_storage_that_tells_no_levels_is_browsed_all_the_same(workspace: Workspace, cost: Costs) -> None:
    assert isinstance(workspace.storage, GcsStorage)
    catalog = Catalog(Unable(workspace.storage))
    assert not catalog.is_far
    assert catalog.scopes() == workspace.catalog.scopes()
    assert catalog.areas("project", "p") == workspace.catalog.areas("project", "p")
    cost()
    assert catalog.names("user/", "u00499", 200) == workspace.catalog.names("user/", "u00499", 200)
    assert cost() == 3 + 1


class Meeting(InMemoryStorage):
    """A storage that answers reads four at a time, and no fewer."""

    concurrency = 4

    def __init__(self) -> None:
        super().__init__()
        self._four = Barrier(4)

    def get(self, key: str) -> StoredObject | None:
        self._four.wait(timeout=20)
        return super().get(key)


def test_bodies_are_read_many_at_a_time_and_told_in_order() -> None:
    storage = Meeting()
    for number in range(8):
        storage.put(f"s/e/a/{number}.md", str(number).encode(), {})
    found = [(row.key, file and file.text) for row, file in Catalog(storage).files("s/")]
    assert found == [(f"s/e/a/{number}.md", str(number)) for number in range(8)]


def test_a_search_costs_a_request_for_each_body(storage: GcsStorage, proxy: Proxy) -> None:
    for number in range(10):
        storage.put(f"s/e/a/{number}.md", b"needle", {})
    proxy.reset()
    hits = list(search_bodies(Catalog(storage, is_far=True), "s/", "needle", is_cancelled=lambda: False))
    assert len(hits) == 10
    assert Counter(proxy.kinds()) == {"list": 1, "media": 10}

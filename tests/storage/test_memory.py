"""`InMemoryStorage`: the contract of every storage, and the versions that are its own. Core, section 5.2."""

import pytest

from wenchang.storage import ListedObject, PreconditionFailedError, Storage, StoredObject
from wenchang.storage.memory import InMemoryStorage
from wenchang.testing import StorageConformance
from wenchang.version_token import VersionToken


class TestInMemoryStorage(StorageConformance):
    @pytest.fixture
    def storage(self) -> Storage:
        return InMemoryStorage()


def test_versions_count_the_puts_of_all_keys() -> None:
    storage = InMemoryStorage()
    assert storage.put("a", b"", {}) == "1"
    assert storage.put("b", b"", {}) == "2"
    assert storage.put_if_version("a", b"", {}, VersionToken("1")) == "3"
    assert storage.put_if_version("c", b"", {}, None) == "4"


def test_only_a_put_that_succeeds_advances_the_count() -> None:
    storage = InMemoryStorage()
    first = storage.put("a", b"", {})
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version("a", b"", {}, None)
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version("b", first)
    storage.get("a")
    storage.list_page("", None, 1)
    storage.delete_if_version("a", first)
    assert storage.put("a", b"", {}) == "2"


def test_each_storage_counts_for_itself() -> None:
    InMemoryStorage().put("a", b"", {})
    assert InMemoryStorage().put("a", b"", {}) == "1"


def test_a_row_tells_the_size_of_the_body_in_bytes() -> None:
    storage = InMemoryStorage()
    storage.put("a", "é".encode(), {})
    assert [row.size for row in storage.list_page("", None, 1)] == [2]


def test_a_put_that_fails_midway_stores_nothing() -> None:
    storage = InMemoryStorage()
    with pytest.raises(TypeError):
        storage.put("a", b"", None)  # type: ignore[arg-type]
    assert storage.get("a") is None
    assert storage.put("a", b"", {}) == "1"


def test_a_failed_precondition_names_its_key() -> None:
    error = PreconditionFailedError("it's/a.md")
    assert (error.key, str(error)) == ("it's/a.md", 'Precondition failed for "it\'s/a.md".')
    assert PreconditionFailedError.__bases__ == (Exception,)


def test_values_are_frozen() -> None:
    version = VersionToken("1")
    for value in (StoredObject(b"", {}, version), ListedObject("a", {}, version)):
        with pytest.raises(AttributeError):
            value.version = version  # type: ignore[misc]


def test_rows_are_equal_whether_or_not_their_size_is_known() -> None:
    version = VersionToken("1")
    assert ListedObject("a", {}, version, 5) == ListedObject("a", {}, version)

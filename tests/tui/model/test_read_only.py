import pytest

from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang_tui.model.read_only import ReadOnlyError, ReadOnlyStorage


def test_reads_pass_and_mutations_are_refused() -> None:
    inner = InMemoryStorage()
    version = inner.put("k", b"body", {"a": "b"})
    view: Storage = ReadOnlyStorage(inner)
    assert isinstance(view, Storage)
    assert view.get("k") == inner.get("k")
    assert view.list_page("", None, 9) == inner.list_page("", None, 9)
    with pytest.raises(ReadOnlyError):
        view.put("k", b"", {})
    with pytest.raises(ReadOnlyError):
        view.put_if_version("new", b"", {}, None)
    with pytest.raises(ReadOnlyError, match="read-only"):
        view.delete_if_version("k", version)
    assert [row.key for row in inner.list_page("", None, 9)] == ["k"]

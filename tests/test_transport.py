import inspect
from typing import Any

import pytest

from wenchang.core import MemoryStore
from wenchang.storage.memory import InMemoryStorage
from wenchang.transport import InProcessClient, TransportClient

OPERATIONS = (
    "append_line",
    "delete_file",
    "get_memory_index",
    "list_prefix",
    "read_file",
    "replace_fact",
    "write_file",
)


def test_the_protocol_has_seven_operations() -> None:
    public = [name for name, _ in inspect.getmembers(TransportClient, inspect.isfunction) if not name.startswith("_")]
    assert tuple(public) == OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS)
def test_signatures_are_those_of_the_store(operation: str) -> None:
    expected = inspect.signature(getattr(MemoryStore, operation))
    assert inspect.signature(getattr(TransportClient, operation)) == expected
    assert inspect.signature(getattr(InProcessClient, operation)) == expected
    assert not any(isinstance(p.annotation, str) for p in expected.parameters.values())


def test_a_client_and_a_bare_store_are_transports() -> None:
    store = MemoryStore(InMemoryStorage())
    assert isinstance(store, TransportClient)
    assert isinstance(InProcessClient(store), TransportClient)
    assert not isinstance(InMemoryStorage(), TransportClient)
    assert InProcessClient(store).store is store


@pytest.mark.parametrize("store", [None, InMemoryStorage(), MemoryStore])
def test_only_a_store_can_be_behind_a_client(store: Any) -> None:
    with pytest.raises(TypeError) as refusal:
        InProcessClient(store)
    assert str(refusal.value) == f"store must be a MemoryStore, got {type(store).__name__}"


class Recording(MemoryStore):
    """Notes what it is asked and answers with what it was told to."""

    def __init__(self, answer: Any) -> None:
        super().__init__(InMemoryStorage())
        self.answer = answer
        self.asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def note(self, operation: str, *arguments: Any, **named: Any) -> Any:
        self.asked.append((operation, arguments, named))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


for _name in OPERATIONS:
    setattr(
        Recording,
        _name,
        lambda self, *arguments, _name=_name, **named: self.note(_name, *arguments, **named),
    )

A, B, C, D, E, F = (object() for _ in range(6))
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("read_file", (A,), {}),
    ("write_file", (A, B, C, D), {"source": E}),
    ("append_line", (A, B, C), {"source": D, "aliases": E, "description": F}),
    ("replace_fact", (A, B, C, D), {"source": E, "aliases": F, "description": A}),
    ("list_prefix", (A, B), {}),
    ("delete_file", (A, B), {}),
    ("get_memory_index", (A,), {}),
]


@pytest.mark.parametrize(("operation", "arguments", "named"), CALLS)
def test_everything_goes_through_untouched(operation: str, arguments: Any, named: Any) -> None:
    answer = object()
    store = Recording(answer)
    result = getattr(InProcessClient(store), operation)(*arguments, **named)
    assert store.asked == [(operation, arguments, named)]
    assert result is (None if operation == "delete_file" else answer)

    error = RuntimeError("as it is")
    with pytest.raises(RuntimeError) as caught:
        getattr(InProcessClient(Recording(error)), operation)(*arguments, **named)
    assert caught.value is error

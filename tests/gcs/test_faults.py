"""What happens when requests fail, get lost, or land although their answer is lost."""

import socket
from collections.abc import Callable
from threading import Event

import pytest
from google.cloud.storage import Bucket  # type: ignore[import-untyped]

from tests.gcs.conftest import client_of
from tests.gcs.emulator import free_port
from tests.gcs.proxy import Fault, Proxy
from wenchang.errors import BackendUnavailableError, TransientReason
from wenchang.storage import PreconditionFailedError, StoredObject
from wenchang.storage.gcs import GcsStorage, TooManyChangesError, objects, sending
from wenchang.version_token import VersionToken

PASSING = (408, 429, 500, 502, 503, 504)
WRITES = ("create", "replace", "put")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up soon."""
    monkeypatch.setattr(sending, "_RETRY_SECONDS", 0.3)


def write(storage: GcsStorage, way: str, data: bytes = b"mine") -> tuple[str, VersionToken]:
    if way == "create":
        return "new", storage.put_if_version("new", data, {"by": "me"}, None)
    if way == "put":
        return "k", storage.put("k", data, {"by": "me"})
    return "k", storage.put_if_version("k", data, {"by": "me"}, version_of(storage, "k"))


def version_of(storage: GcsStorage, key: str) -> VersionToken:
    return object_at(storage, key).version


def object_at(storage: GcsStorage, key: str) -> StoredObject:
    found = storage.get(key)
    assert found is not None
    return found


def assert_mine(storage: GcsStorage, key: str, version: VersionToken) -> None:
    assert object_at(storage, key) == StoredObject(b"mine", {"by": "me"}, version)


@pytest.mark.parametrize("status", PASSING)
def test_passing_trouble_is_sat_out(storage: GcsStorage, proxy: Proxy, status: int) -> None:
    storage.put("k", b"x", {})
    proxy.reset()
    proxy.faults = [Fault(kind, status=status) for kind in ("metadata", "media", "upload", "list", "delete")]
    assert object_at(storage, "k").data == b"x"
    version = storage.put("k", b"y", {})
    assert [row.version for row in storage.list_page("", None, 10)] == [version]
    storage.delete_if_version("k", version)
    assert proxy.kinds() == sorted(["metadata", "media", "upload", "list", "delete"] * 2)


def test_repetitions_wait_longer_and_longer_and_not_in_step(
    storage: GcsStorage, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[float, float]] = []

    def draw(least: float, most: float) -> float:
        drawn.append((least, most))
        return least

    proxy.faults = [Fault("upload", status=429) for _ in range(6)]
    monkeypatch.setattr("random.uniform", draw)
    storage.put("k", b"x", {})
    assert drawn == [(0.0, most) for most in (0.2, 0.4, 0.8, 1.6, 2.0, 2.0)]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("way", WRITES)
def test_a_write_whose_answer_is_lost_is_ours(storage: GcsStorage, proxy: Proxy, way: str, before: bool) -> None:
    storage.put("k", b"x", {})
    proxy.faults = [Fault("upload", before=before)]
    key, version = write(storage, way)
    assert proxy.faults == []
    assert_mine(storage, key, version)


@pytest.mark.parametrize("way", ["create", "replace"])
@pytest.mark.parametrize("landed", [0, 1])
def test_a_write_is_ours_however_often_it_was_repeated(
    storage: GcsStorage, proxy: Proxy, way: str, landed: int
) -> None:
    storage.put("k", b"x", {})
    proxy.faults = [Fault("upload", before=number < landed) for number in range(3)]
    key, version = write(storage, way)
    assert_mine(storage, key, version)


@pytest.mark.parametrize("way", ["create", "replace"])
def test_an_equal_write_of_another_is_not_claimed(storage: GcsStorage, proxy: Proxy, bucket: Bucket, way: str) -> None:
    storage.put("k", b"x", {})
    theirs: list[VersionToken] = []

    def other() -> None:
        theirs.append(write(GcsStorage(bucket), way)[1])

    proxy.faults = [Fault("upload", before=True, meanwhile=other)]
    with pytest.raises(PreconditionFailedError):
        write(storage, way)
    assert_mine(storage, "new" if way == "create" else "k", theirs[0])


def test_a_write_that_landed_and_was_replaced_is_a_conflict(storage: GcsStorage, proxy: Proxy, bucket: Bucket) -> None:
    storage.put("k", b"x", {})
    proxy.faults = [Fault("upload", meanwhile=lambda: GcsStorage(bucket).put("k", b"theirs", {}))]
    with pytest.raises(PreconditionFailedError):
        write(storage, "replace")
    assert object_at(storage, "k").data == b"theirs"


def test_a_write_that_landed_and_was_deleted_is_a_conflict(storage: GcsStorage, proxy: Proxy, bucket: Bucket) -> None:
    other = GcsStorage(bucket)
    version = storage.put("k", b"x", {})
    proxy.faults = [Fault("upload", meanwhile=lambda: other.delete_if_version("k", version_of(other, "k")))]
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version("k", b"mine", {}, version)
    assert storage.get("k") is None


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """An old client, which repeats uploads without telling."""
    monkeypatch.setattr(objects, "_UPLOADS_TELL", False)
    monkeypatch.setattr(sending.Request, "_note", lambda self, error: None)


@pytest.mark.usefixtures("untold")
@pytest.mark.parametrize("way", ["create", "replace"])
def test_a_write_that_the_client_repeats_without_telling_is_ours(storage: GcsStorage, proxy: Proxy, way: str) -> None:
    storage.put("k", b"x", {})
    proxy.faults = [Fault("upload")]
    key, version = write(storage, way)
    assert_mine(storage, key, version)


@pytest.mark.usefixtures("untold")
@pytest.mark.parametrize("way", ["create", "replace"])
def test_a_conflict_is_one_also_where_the_client_repeats_without_telling(
    storage: GcsStorage, bucket: Bucket, proxy: Proxy, way: str
) -> None:
    storage.put("k", b"x", {})
    theirs: list[VersionToken] = []

    def other() -> None:
        theirs.append(write(GcsStorage(bucket), way)[1])

    proxy.faults = [Fault("upload", "answer", before=True, meanwhile=other)]
    with pytest.raises(PreconditionFailedError):
        write(storage, way)
    assert_mine(storage, "new" if way == "create" else "k", theirs[0])


@pytest.mark.parametrize("before", [True, False])
def test_a_delete_whose_answer_is_lost_is_ours(storage: GcsStorage, proxy: Proxy, before: bool) -> None:
    version = storage.put("k", b"x", {})
    proxy.faults = [Fault("delete", before=before)]
    storage.delete_if_version("k", version)
    assert proxy.faults == []
    assert storage.get("k") is None


@pytest.mark.parametrize("before", [True, False])
def test_a_repeated_delete_spares_what_another_wrote(
    storage: GcsStorage, proxy: Proxy, bucket: Bucket, before: bool
) -> None:
    version = storage.put("k", b"x", {})
    proxy.faults = [Fault("delete", before=before, meanwhile=lambda: GcsStorage(bucket).put("k", b"theirs", {}))]
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version("k", version)
    assert object_at(storage, "k").data == b"theirs"


@pytest.mark.parametrize("kind", ["metadata", "media", "list"])
@pytest.mark.parametrize("fault", [{"before": True}, {}, {"then": "half"}])
def test_a_read_is_repeated_until_it_is_whole(
    storage: GcsStorage, proxy: Proxy, kind: str, fault: dict[str, bool]
) -> None:
    version = storage.put("k", b"x" * 5000, {"a": "b"})
    proxy.faults = [Fault(kind, **fault)]  # type: ignore[arg-type]
    assert object_at(storage, "k") == StoredObject(b"x" * 5000, {"a": "b"}, version)
    assert [row.version for row in storage.list_page("", None, 10)] == [version]
    assert proxy.faults == []


def test_a_body_whose_rest_is_of_another_write_is_read_anew(storage: GcsStorage, proxy: Proxy, bucket: Bucket) -> None:
    storage.put("k", b"x" * 5000, {"is": "old"})
    proxy.faults = [Fault("media", "half", meanwhile=lambda: GcsStorage(bucket).put("k", b"y" * 5000, {"is": "new"}))]
    found = object_at(storage, "k")
    assert (found.data, found.metadata) == (b"y" * 5000, {"is": "new"})


@pytest.mark.parametrize(("first", "second"), [("metadata", "media"), ("media", "metadata")])
def test_metadata_and_body_of_different_writes_are_not_mixed(
    storage: GcsStorage, proxy: Proxy, bucket: Bucket, first: str, second: str
) -> None:
    storage.put("k", b"old", {"is": "old"})
    answered = Event()

    def change() -> None:
        answered.wait(timeout=20)
        GcsStorage(bucket).put("k", b"new", {"is": "new"})

    proxy.faults = [
        Fault(first, then="answer", meanwhile=answered.set),
        Fault(second, then="answer", before=True, meanwhile=change),
    ]
    found = object_at(storage, "k")
    assert (found.data, found.metadata) == (b"new", {"is": "new"})


def test_where_bodies_do_not_tell_their_generation_they_are_asked_for_by_it(
    storage: GcsStorage, proxy: Proxy, bucket: Bucket
) -> None:
    version = storage.put("k", b"old", {"is": "old"})
    proxy.hides_generations = True
    proxy.seen.clear()
    assert object_at(storage, "k") == StoredObject(b"old", {"is": "old"}, version)
    assert [seen.query.get("ifGenerationMatch") for seen in proxy.seen if seen.kind == "media"] == [None, version]
    change = Fault("media", "answer", before=True, meanwhile=lambda: GcsStorage(bucket).put("k", b"new", {"is": "new"}))
    proxy.faults = [Fault("media", "answer"), change]
    found = object_at(storage, "k")
    assert (found.data, found.metadata) == (b"new", {"is": "new"})


OPERATIONS: dict[str, tuple[str, Callable[[GcsStorage], object]]] = {
    "get": ("metadata", lambda storage: storage.get("k")),
    "get body": ("media", lambda storage: storage.get("k")),
    "put": ("upload", lambda storage: storage.put("k", b"x", {})),
    "create": ("upload", lambda storage: storage.put_if_version("k", b"x", {}, None)),
    "delete": ("delete", lambda storage: storage.delete_if_version("k", VersionToken("1"))),
    "list": ("list", lambda storage: storage.list_page("", None, 10)),
    "children": ("list", lambda storage: storage.list_children("", None, 10)),
}


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", OPERATIONS)
def test_lasting_trouble_ends_in_a_bounded_time(storage: GcsStorage, proxy: Proxy, name: str) -> None:
    kind, operation = OPERATIONS[name]
    storage.put("k", b"x", {})
    proxy.faults = [Fault(kind, status=503) for _ in range(200)]
    with pytest.raises(BackendUnavailableError) as failure:
        operation(storage)
    assert failure.value.reason is TransientReason.TIMEOUT
    assert not isinstance(failure.value, TooManyChangesError)
    assert "could not be reached" not in str(failure.value), "it was, and said so"


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", OPERATIONS)
def test_being_asked_to_slow_down_for_long_is_an_error_of_its_own(storage: GcsStorage, proxy: Proxy, name: str) -> None:
    kind, operation = OPERATIONS[name]
    storage.put("k", b"x", {})
    proxy.faults = [Fault(kind, status=429) for _ in range(200)]
    with pytest.raises(TooManyChangesError) as failure:
        operation(storage)
    assert failure.value.reason is TransientReason.UNAVAILABLE
    assert "one change a second" in str(failure.value)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_network_says_so(name: str) -> None:
    storage = GcsStorage(client_of(f"http://127.0.0.1:{free_port()}").bucket("memory"))
    with pytest.raises(BackendUnavailableError, match=r"^Cloud Storage could not be reached\. "):
        OPERATIONS[name][1](storage)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_service_that_never_answers_is_not_waited_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sending, objects):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(sending, "SOCKET_SECONDS", (600.0, 600.0))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        storage = GcsStorage(client_of(f"http://127.0.0.1:{silent.getsockname()[1]}").bucket("memory"))
        with pytest.raises(BackendUnavailableError) as failure:
            OPERATIONS[name][1](storage)
    assert failure.value.reason is TransientReason.TIMEOUT


def test_those_who_want_to_know_are_told_of_each_retry(bucket: Bucket, proxy: Proxy) -> None:
    told: list[Exception] = []
    storage = GcsStorage(bucket, on_retry=told.append)
    storage.put("k", b"x", {})
    assert told == []
    proxy.faults = [Fault("upload", status=503), Fault("upload", status=429)]
    storage.put("k", b"y", {})
    assert len(told) == 2


@pytest.mark.parametrize("status", [400, 403, 501])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_refusal_is_not_repeated_and_not_taken_for_absence(
    storage: GcsStorage, proxy: Proxy, name: str, status: int
) -> None:
    kind, operation = OPERATIONS[name]
    storage.put("k", b"x", {})
    proxy.reset()
    proxy.faults = [Fault(kind, status=status)]
    with pytest.raises(Exception, match="as ordered") as failure:
        operation(storage)
    assert getattr(failure.value, "code", None) == status
    assert proxy.kinds().count(kind) == 1

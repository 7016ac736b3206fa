"""Opening a bucket, and what people are told when it cannot be."""

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest
from google.api_core.exceptions import Unauthorized
from google.auth.exceptions import RefreshError, TransportError
from google.cloud.storage import Bucket  # type: ignore[import-untyped]

from tests.gcs.emulator import free_port
from tests.gcs.proxy import Fault, Proxy
from wenchang.storage.gcs import BucketError, GcsStorage, open_bucket, opening


@pytest.fixture
def emulated(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", proxy.url)
    monkeypatch.setattr(opening, "_OPENING_SECONDS", 0.3)


def refused(name: str) -> BucketError:
    with pytest.raises(BucketError) as refusal:
        open_bucket(name)
    assert "\n" not in str(refusal.value)
    return refusal.value


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("spelled", [lambda url: url, lambda url: url.removeprefix("http://")])
def test_an_emulator_is_used_without_credentials(
    bucket: Bucket, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, spelled: Callable[[str], str]
) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", spelled(proxy.url))
    opened = open_bucket(bucket.name, user_project="payer")
    assert [(seen.kind, seen.query["maxResults"], seen.query["fields"]) for seen in proxy.seen] == [
        ("list", "1", "items(name)")
    ]
    storage = GcsStorage(opened)
    version = storage.put_if_version("k", b"x", {}, None)
    found = storage.get("k")
    assert found is not None
    assert found.version == version
    assert {seen.query.get("userProject") for seen in proxy.seen} == {"payer"}
    assert "other" not in proxy.kinds(), "no permission on the bucket itself is needed"


@pytest.mark.usefixtures("emulated")
def test_connections_are_kept_for_as_many_reads_at_a_time_as_there_are(bucket: Bucket, proxy: Proxy) -> None:
    storage = GcsStorage(open_bucket(bucket.name))
    proxy.together = threading.Barrier(2 * storage.concurrency)
    made = []
    with ThreadPoolExecutor(storage.concurrency) as pool:
        for _ in range(2):
            assert list(pool.map(storage.get, ["k"] * storage.concurrency)) == [None] * storage.concurrency
            made.append(proxy.connections)
    assert made[0] == made[1]


@pytest.mark.usefixtures("emulated")
def test_a_missing_bucket_is_named() -> None:
    error = refused("no-such-bucket")
    assert error.title == "No such bucket"
    assert "'no-such-bucket'" in error.sentence


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("name", ["", "-", "a/b", "gs://memory", "Memory", "me mory", "memory\n"])
def test_what_cannot_be_a_bucket_is_said_to_be_none_without_asking(proxy: Proxy, name: str) -> None:
    assert refused(name).title == "Not a bucket name"
    assert proxy.seen == []


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize(
    ("status", "message", "title"),
    [
        (403, "nobody does not have storage.objects.list access", "No permission"),
        (400, "Bucket is a requester pays bucket but no user project provided.", "Requester pays"),
        (401, "Invalid Credentials", "No Google Cloud credentials"),
    ],
)
def test_a_refusal_says_what_to_do(bucket: Bucket, proxy: Proxy, status: int, message: str, title: str) -> None:
    proxy.faults = [Fault("list", status=status, message=message)]
    error = refused(bucket.name)
    assert error.title == title
    assert error.next_step.endswith(".")


@pytest.mark.usefixtures("emulated")
def test_an_emulator_that_does_not_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
    error = refused("memory")
    assert error.title == "Emulator not reached"
    assert address in error.sentence
    assert "STORAGE_EMULATOR_HOST" in error.sentence


@pytest.mark.timeout(30)
@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize(("patience", "socket_seconds"), [(0.1, 600.0), (600.0, 0.1)])
def test_a_service_that_never_answers_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, patience: float, socket_seconds: float
) -> None:
    monkeypatch.setattr(opening, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(opening, "SOCKET_SECONDS", (socket_seconds, socket_seconds))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"127.0.0.1:{silent.getsockname()[1]}")
        assert refused("memory").title == "Emulator not reached"


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_the_password_in_the_address_of_an_emulator_is_not_told(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    address = f"127.0.0.1:{free_port()}"
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"{scheme}user:p@ss@{address}")
    error = refused("memory")
    assert error.title == "Emulator not reached"
    assert address in error.sentence
    assert not any(word in f"{error!r} {error}" for word in ("user:", "p@ss", "ss@"))


@pytest.mark.usefixtures("emulated")
def test_a_service_that_answers_with_errors_alone_is_in_trouble(bucket: Bucket, proxy: Proxy) -> None:
    proxy.faults = [Fault("list", status=503) for _ in range(20)]
    assert refused(bucket.name).title == "Cloud Storage is in trouble"


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (TransportError(ConnectionError()), "No connection"),  # type: ignore[no-untyped-call]
        (RefreshError("revoked"), "No Google Cloud credentials"),  # type: ignore[no-untyped-call]
        (Unauthorized("not this one"), "No permission"),  # type: ignore[no-untyped-call]
    ],
    ids=["no network for a token", "credentials that no token is given for", "a token that does not count"],
)
def test_what_is_wrong_with_a_token_is_told_apart(
    monkeypatch: pytest.MonkeyPatch, error: Exception, title: str
) -> None:
    def fail(name: str, user_project: str | None) -> NoReturn:
        raise error

    monkeypatch.delenv("STORAGE_EMULATOR_HOST", raising=False)
    monkeypatch.setattr(opening, "_opened", fail)
    assert refused("memory").title == title


def test_a_key_file_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STORAGE_EMULATOR_HOST", raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/no/key.json")
    error = refused("memory")
    assert error.title == "No Google Cloud credentials"
    assert "'/no/key.json'" in error.sentence


def test_a_machine_without_credentials_is_told_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STORAGE_EMULATOR_HOST", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "CLOUDSDK_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    error = refused("memory")
    assert error.title == "No Google Cloud credentials"
    assert "gcloud auth application-default login" in error.next_step


def test_the_environment_of_requests_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "storage.test")
    monkeypatch.setenv("http_proxy", "http://way-out.test:3128")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/certificates.pem")
    through = opening._client()._http
    assert (through.proxies["http"], through.verify) == ("http://way-out.test:3128", "/certificates.pem")
    assert not through.trust_env
    monkeypatch.setenv("no_proxy", "storage.test")
    assert "http" not in opening._client()._http.proxies

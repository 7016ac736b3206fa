"""One emulator and one proxy for each test process; a fresh bucket for each test."""

from collections.abc import Iterator
from itertools import count

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]
from requests.adapters import HTTPAdapter

from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import Proxy, running_proxy
from tests.gcs.self_check import ignored_preconditions
from wenchang.storage.gcs import GcsStorage

NUMBERS = count()


def client_of(url: str) -> Client:
    nobody = AnonymousCredentials()  # type: ignore[no-untyped-call]
    client = Client(project="tests", credentials=nobody, client_options={"api_endpoint": url})
    client._http.mount("http://", HTTPAdapter(pool_maxsize=64))
    client._bucket_metadata_cache = None  # or it asks for buckets by itself, and a count of requests is one too many
    return client


@pytest.fixture(scope="session")
def emulator() -> Iterator[int]:
    with running_emulator() as port:
        yield port


@pytest.fixture(scope="session")
def strict_proxy(emulator: int) -> Iterator[Proxy]:
    """A stand-in that has been seen to enforce what the storage relies on."""
    with running_proxy(emulator) as proxy:
        assert ignored_preconditions(client_of(proxy.url).create_bucket("self-check")) == []
        proxy.reset()
        yield proxy


@pytest.fixture(scope="session")
def client(strict_proxy: Proxy) -> Client:
    return client_of(strict_proxy.url)


@pytest.fixture
def bucket(client: Client, proxy: Proxy) -> Bucket:
    bucket = client.create_bucket(f"memory-{next(NUMBERS)}")
    proxy.reset()
    return bucket


@pytest.fixture
def proxy(strict_proxy: Proxy) -> Iterator[Proxy]:
    yield strict_proxy
    strict_proxy.reset()


@pytest.fixture
def storage(bucket: Bucket) -> GcsStorage:
    return GcsStorage(bucket)

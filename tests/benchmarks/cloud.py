"""Rows on Google Cloud Storage, 50 ms away: what is counted is round trips."""

import os
import time
from collections.abc import Callable
from functools import partial

from tests.benchmarks import stores
from tests.benchmarks.far_bucket import BUCKET, FarBucket
from tests.benchmarks.measuring import Benchmark, Cost, Pair, Place
from wenchang.core import MemoryStore
from wenchang.storage.gcs import GcsStorage
from wenchang.storage.gcs.opening import open_bucket

_SECONDS_AWAY = 0.05
_MEMORIES = 500
_ENTITY, _OTHER = "user/alice", "team/search"


def opened(place: Place) -> tuple[FarBucket, MemoryStore]:
    """A bucket far away, and a memory store on it."""
    bucket = FarBucket(place.cleanup)
    before = os.environ.get("STORAGE_EMULATOR_HOST")
    os.environ["STORAGE_EMULATOR_HOST"] = bucket.url
    try:
        return bucket, MemoryStore(GcsStorage(open_bucket(BUCKET)), max_files_per_entity=None)
    finally:
        if before is None:
            del os.environ["STORAGE_EMULATOR_HOST"]
        else:
            os.environ["STORAGE_EMULATOR_HOST"] = before


def fill(bucket: FarBucket, count: int, entities: int = 1) -> list[str]:
    """`count` memory files for each entity; the keys of the first."""
    files = list(stores.memories(count))
    for entity in (_ENTITY, _OTHER)[:entities]:
        named = [(moved(key, entity), data, values) for key, data, values in files]
        bucket.near.each(lambda file: bucket.near.put(*file), named)
    return [moved(key, _ENTITY) for key, _, _ in files]


def moved(key: str, entity: str) -> str:
    return "/".join((entity, *key.split("/")[2:]))


def far(bucket: FarBucket, work: Callable[[], object], before: Callable[[], object] = lambda: None) -> Cost:
    """The seconds that `work` takes far away, after something that may be near."""

    def measured() -> float:
        bucket.delay(0)
        before()
        bucket.delay(_SECONDS_AWAY)
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return measured


def read(place: Place) -> Pair:
    bucket, store = opened(place)
    (key,) = fill(bucket, 1)
    return Pair(product=far(bucket, lambda: store.read_file(key)), floor=far(bucket, lambda: bucket.far.get(key)))


def write(place: Place) -> Pair:
    bucket, store = opened(place)
    (key,) = fill(bucket, 1)
    _, data, values = next(stores.memories(1))
    storage = store._storage
    found = storage.get(key)
    assert found is not None
    last = found.version

    def put() -> None:
        nonlocal last
        last = storage.put_if_version(key, data, values, last)

    return Pair(product=far(bucket, put), floor=far(bucket, partial(bucket.far.put, key + "2", data, values)))


def index(place: Place) -> Pair:
    """The floor lists both entities too, each in its thread: the stand-in is slower with two at once."""
    bucket, store = opened(place)
    fill(bucket, place.size(5000, 5), entities=2)
    return Pair(
        product=far(bucket, lambda: store.get_memory_index({"user": "alice", "team": "search"})),
        floor=far(bucket, lambda: bucket.far.each(bucket.far.list, (f"{_ENTITY}/", f"{_OTHER}/"))),
    )


def export(place: Place) -> Pair:
    bucket, store = opened(place)
    fill(bucket, place.size(_MEMORIES, 5))
    return Pair(
        product=far(bucket, lambda: store.export("user", "alice")),
        floor=far(bucket, lambda: bucket.far.each(bucket.far.get_listed, bucket.far.list(f"{_ENTITY}/"))),
    )


def purge(place: Place) -> Pair:
    bucket, store = opened(place)
    again = partial(fill, bucket, place.size(_MEMORIES, 5))
    return Pair(
        product=far(bucket, lambda: store.purge("user", "alice"), again),
        floor=far(bucket, lambda: bucket.far.each(bucket.far.delete_listed, bucket.far.list(f"{_ENTITY}/")), again),
    )


ROWS = (
    Benchmark("gcs-read", 1.25, read, runs=15),
    Benchmark("gcs-write", 1.25, write, runs=15),
    Benchmark("gcs-index", 1.5, index, runs=5),
    Benchmark("gcs-export", 1.5, export, runs=5),
    Benchmark("gcs-purge", 1.5, purge, runs=5),
)

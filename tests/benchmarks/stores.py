"""Stores to measure on, the same each time: memory files as agents write them, about 1 KiB each."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wenchang.file_format import FileMetadata, metadata_to_map
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage

GRANTS = {"user": "alice", "team": "search", "org": "acme"}
AREAS = ("preferences", "projects", "people", "facts", "howto")
_WORDS = """
deploy staging review latency rollback quota customer invoice branch release memory prefer always never monday
berlin oncall schema index cache token bucket region policy budget retry timeout owner contact
"""
WORDS = _WORDS.split()

_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def words(choice: random.Random, count: int) -> str:
    return " ".join(choice.choices(WORDS, k=count))


def body(choice: random.Random) -> str:
    return "\n".join(f"- [stated] {words(choice, 10)}" for _ in range(13))


def metadata(choice: random.Random, number: int) -> FileMetadata:
    moment = _FIRST + timedelta(seconds=37 * number, microseconds=number)
    return FileMetadata(words(choice, 12), (), frozenset({f"agent-{number % 7}"}), moment)


def memories(count: int) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Key, body and metadata of `count` files, spread over the areas of all scopes."""
    choice = random.Random(7)
    entities = list(GRANTS.items())
    for number in range(count):
        scope, entity = entities[number % 3]
        key = f"{scope}/{entity}/{AREAS[number // 3 % 5]}/{choice.choice(WORDS)}-{number:06}.md"
        yield key, body(choice).encode(), metadata_to_map(metadata(choice, number))


def fill(storage: Storage, count: int) -> None:
    for key, data, values in memories(count):
        storage.put(key, data, values)


def folder_store(root: Path, count: int) -> Path:
    """A folder with `count` memory files."""
    fill(FilesystemStorage(root, durable=False), count)
    return root

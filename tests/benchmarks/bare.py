"""The floors on a local disk: what the product does there, by bare calls of the system and the fastest parser."""

import os
from pathlib import Path
from typing import Any

import orjson

_READ = os.O_RDONLY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def read(path: str) -> bytes:
    fd = os.open(path, _READ)
    try:
        return os.read(fd, 65536)
    finally:
        os.close(fd)


def sidecars(root: str) -> list[str]:
    found, pending = [], [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name.endswith("%meta"):
                    found.append(entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
    return found


def index(root: str) -> list[tuple[str, Any]]:
    """Scan the folders, open and parse each sidecar, nothing else."""
    return [(path, orjson.loads(read(path))) for path in sidecars(root)]


def entries(root: str) -> list[tuple[str, ...]]:
    """The texts of each entry of an index."""
    parsed = ((path, orjson.loads(read(path))) for path in sidecars(root))
    return [(path, *values["metadata"].values(), values["version"]) for path, values in parsed]


def page(folder: str, size: int) -> list[Any]:
    """List one folder, parse the first sidecars in it."""
    names = sorted(name for name in os.listdir(folder) if name.endswith("%meta"))
    return [orjson.loads(read(f"{folder}/{name}")) for name in names[:size]]


def memory(path: str) -> tuple[str, Any]:
    """Open, read and parse the two files of a memory file."""
    return read(f"{path}%obj").decode(), orjson.loads(read(f"{path}%meta"))


class Writer:
    """Overwrites one memory file as durably as the product: body, sidecar and commit record."""

    def __init__(self, folder: Path, body: bytes, sidecar: bytes) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = str(folder)
        self._files = (f"{folder}/%tmp-b", body), (f"{folder}/%tmp-s", sidecar)

    def write(self) -> None:
        folder = self._folder
        for path, data in self._files:
            fd = os.open(path, _WRITE, 0o600)
            os.write(fd, data)
            os.fsync(fd)
            os.close(fd)
        os.rename(f"{folder}/%tmp-s", f"{folder}/m.md%next")
        os.rename(f"{folder}/%tmp-b", f"{folder}/m.md%obj")
        os.rename(f"{folder}/m.md%next", f"{folder}/m.md%meta")
        fd = os.open(folder, _READ)
        os.fsync(fd)
        os.close(fd)

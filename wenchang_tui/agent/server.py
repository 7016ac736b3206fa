"""The MCP server in a thread of its own, started and stopped by whoever shows it.

A tool that blocks must not freeze a screen, nor a busy screen a tool, and quitting must not wait for either: hence the
thread, which is a daemon. Nothing heavy is imported before `start`.
"""

import asyncio
import ipaddress
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.listening import listen, not_listening
from wenchang_tui.agent.log_file import keep_off_the_terminal
from wenchang_tui.agent.service import Service
from wenchang_tui.model.problems import Problem

log = logging.getLogger(__name__)

_STOP_S = 0.9
_START_S = 30.0


class Server:
    """A service on a port of this machine, for callers with tokens.

    `port` 0 takes a free one. `allowed_hosts` are further names that clients may use for it. `start` and `stop` block
    for up to a second or so, may be called from any thread, and over and over.
    """

    def __init__(
        self,
        service: Service,
        callers: Sequence[Caller],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        allowed_hosts: Sequence[str] = (),
    ) -> None:
        self._service = service
        self._callers = tuple(callers)
        self._host = host
        self._port = port
        self._allowed_hosts = tuple(allowed_hosts)
        self._running: _Running | None = None
        self._lock = threading.Lock()

    @property
    def address(self) -> tuple[str, int] | None:
        """Where the server listens; `None` while it does not run."""
        running = self._running
        return running.address if running and running.is_alive else None

    @property
    def url(self) -> str | None:
        """What a client on this machine connects to; `None` while the server does not run."""
        if (address := self.address) is None:
            return None
        host, port = address
        if ipaddress.ip_address(host).is_unspecified:
            host = "::1" if ":" in host else "127.0.0.1"
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"

    def start(self) -> Problem | None:
        """Start serving; `None` once it does, otherwise what is in the way. Nothing happens when it runs already."""
        with self._lock:
            if self.address is not None:
                return None
            try:
                listener = listen(self._host, self._port)
            except OSError as error:
                return not_listening(self._host, self._port, error)
            host, port = listener.getsockname()[:2]
            running = _Running((host, port))
            names = (*self._allowed_hosts, f"[{host}]" if ":" in host else host)
            problem = running.start(self._service, self._callers, listener, names)
            self._running = None if problem else running
            return problem

    def stop(self) -> None:
        """Stop within a second, whoever is connected. Calls that run are told; the port is free afterwards."""
        with self._lock:
            running, self._running = self._running, None
            if running is not None:
                running.stop()


class _Running:
    """One thread, one loop, one listener."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._settled = threading.Event()  # it serves, or it failed
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(
        self, service: Service, callers: Sequence[Caller], listener: socket.socket, names: Sequence[str]
    ) -> Problem | None:
        keep_off_the_terminal()

        def serve() -> None:
            # Imported here, in the thread: it takes longer than a first frame may.
            from wenchang_tui.agent.hosting import Hosting

            hosting = Hosting(service, callers, listener, names)
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(hosting.run(self._settled.set, self._stop))

        self._thread = threading.Thread(target=self._guarded, args=(serve, listener), name="wenchang-mcp", daemon=True)
        self._thread.start()
        if self._settled.wait(_START_S) and self._failure is None:
            return None
        self.stop()
        reason = "it takes too long" if self._failure is None else f"{type(self._failure).__name__}: {self._failure}"
        return Problem("Not started", f"The server could not start: {reason}.", "The log tells more; try again.")

    def _guarded(self, serve: Callable[[], None], listener: socket.socket) -> None:
        try:
            serve()
        except BaseException as error:  # SystemExit included: this thread may end, the app may not
            log.exception("The server ended")
            self._failure = error
        finally:
            listener.close()
            self._loop.close()
            self._settled.set()

    def stop(self) -> None:
        if self._thread is None:
            return
        with suppress(RuntimeError):  # it has ended by itself
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_STOP_S)
        if self._thread.is_alive():  # a call blocks in storage; the thread ends with it, and holds nothing up
            log.warning("The server stopped while a call still runs")

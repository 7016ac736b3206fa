"""What `wenchang serve` does once it knows what to serve: stands there until a signal or the end of its input.

Standard output belongs to the protocol; whatever a person should read goes to stderr, and logs go to the log file.
"""

import ipaddress
import os
import select
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from wenchang.identity import Identity
from wenchang_tui.agent import stdio
from wenchang_tui.agent.call_log import CallLog
from wenchang_tui.agent.callers import Caller, new_token
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.connect import claude_http_command
from wenchang_tui.agent.log_file import log_to
from wenchang_tui.agent.server import Server
from wenchang_tui.agent.service import DEFAULT_SLOTS, Service
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.output import note
from wenchang_tui.config import log_path
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.problems import OpenError
from wenchang_tui.model.workspace import Workspace

LOCAL = "127.0.0.1"


def service_of(workspace: Workspace | FlatFolder, call_log: str | None) -> Service:
    """The service of a command line, its logs sent to the log file. Raises `CommandError` and `OSError`."""
    log_to(log_path())
    return Service(workspace, workspace.settings.slots or DEFAULT_SLOTS, _report_to(call_log, workspace))


def _report_to(call_log: str | None, workspace: Workspace | FlatFolder) -> Callable[[Call], object]:
    if call_log is None:
        return lambda _: None
    path = Path(call_log).absolute()
    if workspace.root is not None and path.is_relative_to(workspace.root.absolute()):
        raise CommandError(f"--call-log: {call_log} lies in the memory itself; choose another place.", Exit.USAGE)
    return CallLog(path).append


def serve_stdio(service: Service, identity: Identity) -> int:
    """Serve the program that started this one. Ends the process itself."""
    return stdio.serve_stdio(service, identity)


def serve_http(
    service: Service, identity: Identity, *, host: str, port: int, token: str | None, allowed_hosts: Sequence[str]
) -> int:
    """Serve on a port until a signal comes; return the exit code. Raises `OpenError` when it cannot listen there."""
    caller = Caller("http", identity, token or new_token())
    server = Server(service, [caller], host=host, port=port, allowed_hosts=allowed_hosts)
    signals = _Signals()
    problem = server.start()
    if problem is not None:
        raise OpenError(problem)
    try:
        _announce(server, host, service.workspace.target, caller.token)
        received = signals.wait_while(lambda: server.address is not None)
    finally:
        server.stop()
    if received is None:
        raise CommandError("the server has ended by itself; the log tells why.", Exit.STORE)
    return Exit.INTERRUPTED if received == signal.SIGINT else Exit.FINE


def _announce(server: Server, host: str, target: str, token: str) -> None:
    url = server.url or ""
    note(f"Serving {target} at {url} (stop with Ctrl+C).")
    if not _is_loopback(host):
        note(f"Listening on {host}: whoever reaches this machine and has the token can read and change this memory,")
        note("and the traffic is not encrypted. Clients that use another name for it need --allow-host NAME.")
    note("Connect Claude Code with:")
    note(f"  {claude_http_command(url, token)}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Signals:
    """The signals that ask a server to stop, from the moment this is made. They come through a pipe, as a handler
    may run at any moment and must not take a lock.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda received, _: os.write(self._writer, bytes([received])))

    def wait_while(self, is_running: Callable[[], bool]) -> int | None:
        """The first signal; `None` when what was running has ended by itself."""
        while is_running():
            ready, _, _ = select.select([self._reader], [], [], 1.0)
            if ready:
                return os.read(self._reader, 1)[0]
        return None

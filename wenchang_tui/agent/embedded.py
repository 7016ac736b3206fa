"""The server of an open store as the app has it: started for one caller, found again tomorrow, watched and gated.

Also follows the log of servers in other processes on the same store. Whoever shows it calls `poll` a few times a
second; everything else blocks, for up to a second or so.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from wenchang.gate import Gate
from wenchang.identity import Identity
from wenchang_tui.agent.call_log import CallLogReader
from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.recorder import Recorder
from wenchang_tui.agent.registration import Registration, Registrations
from wenchang_tui.agent.server import Server
from wenchang_tui.agent.service import DEFAULT_SLOTS, Service
from wenchang_tui.agent.setups import Setup, http_setups, stdio_setup
from wenchang_tui.model.flat_folder import KIND, SCHEME, FlatFolder
from wenchang_tui.model.problems import Problem, describe
from wenchang_tui.model.workspace import Workspace

CALLER = "agent"


class Embedded:
    """One server for one memory. `state` is the folder in which its token, its port and the call log are kept."""

    def __init__(self, workspace: Workspace | FlatFolder, state: Path) -> None:
        self._workspace = workspace
        # A folder by its path; anything else, such as a demo in a folder of the day, by its name.
        self._folder = workspace.root if workspace.kind in ("folder", KIND) else None
        self._place = str(self._folder.absolute()) if self._folder else workspace.target
        self._registrations = Registrations(state)
        self._registration: Registration | None = None
        self._server: Server | None = None
        self._log: CallLogReader | None = None
        self.recorder = Recorder()
        self.gate = Gate()
        self.call_log = state / "agent" / f"{hashlib.sha256(os.fsencode(self._place)).hexdigest()[:16]}.calls.jsonl"
        self.followed = self.call_log

    @property
    def url(self) -> str | None:
        """What a client connects to; `None` while the server does not run."""
        return self._server.url if self._server else None

    @property
    def token(self) -> str | None:
        """What lets a client in; `None` before the first start."""
        return self._registration.token if self._registration else None

    def start(self, identity: Identity) -> Problem | None:
        """Serve `identity`, on the port of last time if it is free; `None` once it does."""
        if self.url is not None:
            return None
        kept = self._registration or self._registrations.of(self._place)
        self._registration = kept
        problem = self._listen(identity, kept.port)
        if problem is not None and kept.port:
            problem = self._listen(identity, 0)
        if problem is None and self._server is not None and self._server.address is not None:
            self._registration = Registration(kept.token, self._server.address[1])
            self._registrations.keep(self._place, self._registration)
        return problem

    def _listen(self, identity: Identity, port: int) -> Problem | None:
        assert self._registration is not None
        slots = self._workspace.settings.slots or DEFAULT_SLOTS
        service = Service(self._workspace, slots, self.recorder.add, self.gate, self.recorder.add)
        self._server = Server(service, [Caller(CALLER, identity, self._registration.token)], port=port)
        return self._server.start()

    def stop(self) -> None:
        """Stop serving; calls that run are told."""
        if self._server is not None:
            self._server.stop()

    def renew_token(self, identity: Identity) -> Problem | None:
        """Shut out whoever knows the old token; a server that runs is started again, on the same port."""
        was_running = self.url is not None
        self.stop()
        port = self._registration.port if self._registration else 0
        self._registration = self._registrations.renew(self._place, port)
        return self.start(identity) if was_running else None

    def setups(self, identity: Identity) -> Sequence[Setup]:
        """How clients are told about this store."""
        found = http_setups(self.url) if self.url else ()
        if self._folder is None:
            return found
        scheme = SCHEME if isinstance(self._workspace, FlatFolder) else ""
        return (*found, stdio_setup(self._folder, identity, self._workspace.settings, self.call_log, scheme))

    # watching

    def follow(self, path: Path | None = None) -> Problem | None:
        """Follow the calls in a log from now on: the store's own one, or that at `path` from its beginning."""
        self.followed = path or self.call_log
        try:
            if path is None:
                self.call_log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            elif not path.is_file():
                return Problem("Not found", f"There is no file {path}.", "Name the FILE of wenchang serve --call-log.")
            before, self._log = self._log, CallLogReader(self.followed, from_start=path is not None)
        except OSError as error:
            return describe(error)
        if before is not None:
            before.close()
        return None

    def poll(self) -> list[Call]:
        """The calls that began or ended since the last time, here and in the log. Never raises."""
        calls = self.recorder.drain()
        if self._log is not None:
            try:
                calls += self._log.read_new()
            except OSError:
                self._log = None
        return calls

    def close(self) -> None:
        """Stop serving and let the log go."""
        self.stop()
        if self._log is not None:
            self._log.close()
            self._log = None

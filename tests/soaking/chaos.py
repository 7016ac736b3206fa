"""The processes of a soak, and what befalls them: kills, pauses, and requests of the bucket that go wrong."""

import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from tests.gcs.emulator import free_port
from tests.gcs.proxy import Fault, Proxy
from tests.soaking.gauges import Gauge
from tests.soaking.histories import Journal
from tests.soaking.mashing import run_person
from tests.soaking.site import CURATED, GRANTS, IDENTITY, Site
from tests.soaking.working import TOKEN, Worker, program
from wenchang.paths import build_path

RULES = {"description": "Rules", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}


@dataclass(frozen=True, slots=True)
class Crew:
    """How many are at work, and how many servers serve the agents; all but the first may be killed."""

    servers: int = 2
    agents: int = 4
    programs: int = 3
    people: int = 1


def run_program(site: Site, slot: int, life: int) -> None:
    """The whole life of one program, in a process of its own."""
    worker = Worker(site, f"program{slot}", program(site.open()), life)
    while True:
        worker.step()


def run_app(site: Site, number: int) -> None:
    """The whole life of one person at the app, in a process of its own."""
    name = f"person{number}"
    os.chdir(site.scratch)
    dice, journal = random.Random(f"{site.seed} {name}"), Journal(site.journals / f"{name}.jsonl")
    storage = site.open()
    storage.put(build_path("user", IDENTITY.entity_id("user"), *CURATED[1:]), b"- [system] rules\n", RULES)
    run_person(site.target, storage, IDENTITY, journal, name, dice)


class Served:
    """`wenchang serve` on a port of its own, started as often as it is killed."""

    def __init__(self, site: Site) -> None:
        self.port = free_port()
        self.said = site.scratch / f"server-{self.port}.err"
        self._command = [sys.executable, "-m", "wenchang_tui", "serve", site.target, "--http", "--port", str(self.port),
                         "--token", TOKEN, *GRANTS]  # fmt: skip
        self.start()

    def start(self) -> None:
        with self.said.open("ab") as said:
            self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stderr=said)
        self._wait()

    def _wait(self) -> None:
        while self.process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise RuntimeError(self.said.read_text())

    def stop(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


class Chaos:
    """Kills and holds processes, restarts them, and makes requests of the bucket go wrong."""

    def __init__(self, site: Site, crew: Crew, proxy: Proxy | None) -> None:
        self._site, self._crew, self._proxy = site, crew, proxy
        self._dice = random.Random(f"{site.seed} chaos")
        self._spawn = multiprocessing.get_context("spawn")
        self.faults: Counter[str] = Counter()
        self.servers = [Served(site) for _ in range(crew.servers)]
        self._lives = Counter[int]()
        self._programs = [self._start_program(slot) for slot in range(crew.programs)]
        self._people = [self._spawn.Process(target=run_app, args=(site, number)) for number in range(crew.people)]
        for person in self._people:
            person.start()
        self.gauges = [Gauge("the server that lives", self.servers[0].process.pid)]
        self.gauges += [Gauge("the app", person.pid or 0) for person in self._people]

    def _start_program(self, slot: int) -> multiprocessing.process.BaseProcess:
        self._lives[slot] += 1
        process = self._spawn.Process(target=run_program, args=(self._site, slot, self._lives[slot]), daemon=True)
        process.start()
        return process

    def strike(self) -> None:
        """One fault, of a kind that chance chooses."""
        kinds = [self._kill_program, self._hold_program]
        kinds += [self._kill_server] * len(self.servers[1:])
        kinds += [self._spoil_requests] * 4 if self._proxy else []
        self._dice.choice(kinds)()

    def _kill_program(self) -> None:
        slot = self._dice.randrange(self._crew.programs)
        self._programs[slot].kill()
        self._programs[slot].join()
        self._programs[slot] = self._start_program(slot)
        self.faults["a program killed"] += 1

    def _hold_program(self) -> None:
        pid = self._dice.choice(self._programs).pid or 0
        os.kill(pid, signal.SIGSTOP)
        time.sleep(self._dice.uniform(0, 1))
        os.kill(pid, signal.SIGCONT)
        self.faults["a program held"] += 1

    def _kill_server(self) -> None:
        number = self._dice.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        mortal = self._dice.choice(self.servers[1:])
        mortal.stop(number)
        mortal.start()
        self.faults[f"a server ended by {number.name}"] += 1

    def _spoil_requests(self) -> None:
        assert self._proxy is not None
        self._proxy.seen.clear()
        for _ in range(5):
            kind = self._dice.choice(["upload", "media", "metadata", "list", "delete"])
            then = self._dice.choice(["drop", "half", "drop before", "503", "429"])
            if then.isdecimal():
                self._proxy.faults.append(Fault(kind, status=int(then)))
            elif then == "half":
                self._proxy.faults.append(Fault(kind, "half"))
            else:
                self._proxy.faults.append(Fault(kind, "drop", before=then == "drop before"))
            self.faults[f"a request of the bucket: {then}"] += 1

    def end(self) -> list[str]:
        """Stop everybody; what should not have been said or done at the end of a life."""
        wrong = []
        if self._proxy:
            self._proxy.reset()
        for process in [*self._programs, *self._people]:
            process.kill()
            process.join()
        for served in self.servers:
            if (status := served.stop(signal.SIGTERM)) != 0:
                wrong.append(f"a server ended with status {status}")
        for log in [*self._site.scratch.rglob("*.err"), *self._site.scratch.rglob("*.log")]:
            text = log.read_text(errors="replace")
            wrong += [f"{log.name} holds a traceback: {text[-3000:]}"] if "Traceback" in text else []
            wrong += [f"{log.name} holds the token"] if TOKEN in text.replace(f"Bearer {TOKEN}", "") else []
        return wrong

"""Agents, programs and people at work on one memory for half an hour, while processes are killed and answers lost.

    python -m tests.soak [--minutes 30] [--seed N] [--bucket]

Agents speak MCP over HTTP with two servers of `wenchang serve`, one of them killed over and over; programs use the
library, each in a process that may be killed or held at any moment; a person mashes the keys of the app. In the end
what they were all told must be possible (`tests.soaking.histories`), and the long-lived processes hold no more threads,
open files and memory than at the beginning. Prints figures, and ends with status 1 when something is wrong.
"""

import argparse
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

from tests.soaking.chaos import Chaos, Crew
from tests.soaking.histories import History, contradictions, read_history
from tests.soaking.site import Site, site_of
from tests.soaking.working import Agent, Worker

FAULT_SECONDS = 2.0


def soak(seconds: float, seed: int, crew: Crew, *, bucket: bool, every: float = FAULT_SECONDS) -> list[str]:
    """Work for so long, a fault `every` few seconds; print the figures, and return what is wrong."""
    with site_of(seed, bucket=bucket) as (site, proxy):
        chaos = Chaos(site, crew, proxy)
        with agents_at_work(site, crew.agents, [served.port for served in chaos.servers]) as agents:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(every)
                chaos.strike()
                for gauge in chaos.gauges:
                    gauge.sample()
        wrong = chaos.end()
        history = read_history(site.journals)
        wrong += contradictions(history, site.final())
        wrong += [leak for gauge in chaos.gauges for leak in gauge.leaks()]
        chaos.faults["an agent hung up"] = sum(agent.hung_up for agent in agents)
        where = "a bucket" if bucket else "a folder"
        lines = [f"{seconds / 60:.1f} minutes on {where}, seed {seed}: {crew}", *figures(history, chaos)]
    sys.stdout.write("\n".join([*lines, f"wrong: {len(wrong)}", *wrong[:20], ""]))
    return wrong


@contextmanager
def agents_at_work(site: Site, number: int, ports: Sequence[int]) -> Iterator[list[Agent]]:
    """So many agents, each in a thread, divided among the servers."""
    agents = [Agent(port, random.Random(f"{site.seed} {n}")) for n, port in zip(range(number), cycle(ports))]
    over = threading.Event()

    def work(worker: Worker) -> None:
        while not over.is_set():
            worker.step()

    workers = [Worker(site, f"agent{n}", agent) for n, agent in enumerate(agents)]
    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield agents
    finally:
        over.set()
        for thread in threads:
            thread.join()


def figures(history: History, chaos: Chaos) -> Iterator[str]:
    """What was done, what went wrong, and what the long-lived processes held at first and in the end."""
    tally = history.tally()
    yield f"versions looked at: {history.seen} times"
    for kind in sorted({kind for kind, _ in tally}):
        yield f"{kind}: " + ", ".join(f"{tally[kind, outcome]} {outcome}" for outcome in ("done", "refused", "unknown"))
    for fault, times in sorted(chaos.faults.items()):
        yield f"{times} x {fault}"
    for gauge in chaos.gauges:
        first, last = gauge.ends()
        held = zip(("threads", "open files", "kilobytes"), first, last, strict=True)
        yield f"{gauge.name}: " + ", ".join(f"{name} {then} -> {now}" for name, then, now in held)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--bucket", action="store_true", help="on a bucket of the emulator instead of a folder")
    options = parser.parse_args()
    return 1 if soak(options.minutes * 60, options.seed, Crew(), bucket=options.bucket) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a long-lived process holds over its life, and whether that grows."""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

LEAST_SAMPLES = 60
MORE_THREADS, MORE_FILES, MORE_MEMORY = 8, 16, 1.25
"""What may be held in the last quarter beyond the second: threads, files, and times the memory."""


@dataclass(slots=True)
class Gauge:
    """Threads, open files and resident kilobytes of a process over its life."""

    name: str
    pid: int
    samples: list[tuple[int, int, int]] = field(default_factory=list)

    def sample(self) -> None:
        """Look once, as long as it lives."""
        proc = Path(f"/proc/{self.pid}")
        with suppress(OSError, KeyError):
            status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
            files = len(os.listdir(proc / "fd"))
            self.samples.append((int(status["Threads"]), files, int(status["VmRSS"].split()[0])))

    def ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The medians over the second and over the last quarter: in the first one it is still coming up."""
        size = max(1, len(self.samples) // 4)
        first, last = (zip(*part, strict=True) for part in (self.samples[size : 2 * size], self.samples[-size:]))
        return tuple(int(median(kind)) for kind in first), tuple(int(median(kind)) for kind in last)

    def leaks(self) -> list[str]:
        """What grew; nothing is said of a life too short to tell."""
        if len(self.samples) < LEAST_SAMPLES:
            return []
        (threads, files, memory), (more_threads, more_files, more_memory) = self.ends()
        grown = {
            "threads": more_threads > threads + MORE_THREADS,
            "open files": more_files > files + MORE_FILES,
            "memory": more_memory > memory * MORE_MEMORY,
        }
        return [f"leak: {kind} of {self.name} grew, {self.ends()}" for kind, has_grown in grown.items() if has_grown]

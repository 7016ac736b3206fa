"""All rows of the table, in its order."""

from tests.benchmarks import agents, cloud, local, peers, screens, starting
from tests.benchmarks.measuring import Benchmark

ROWS: tuple[Benchmark, ...] = (*local.ROWS, *cloud.ROWS, *agents.ROWS, *starting.ROWS, *screens.ROWS)
PEERS: tuple[Benchmark, ...] = peers.ROWS

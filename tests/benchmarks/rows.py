"""All rows of the table, in its order."""

from tests.benchmarks import cloud, local
from tests.benchmarks.measuring import Benchmark

ROWS: tuple[Benchmark, ...] = (*local.ROWS, *cloud.ROWS)
PEERS: tuple[Benchmark, ...] = ()

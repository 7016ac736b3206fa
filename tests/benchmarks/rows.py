"""All rows of the table, in its order."""

from tests.benchmarks import local
from tests.benchmarks.measuring import Benchmark

ROWS: tuple[Benchmark, ...] = (*local.ROWS,)
PEERS: tuple[Benchmark, ...] = ()

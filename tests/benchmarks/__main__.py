"""`python -m tests.benchmarks [NAME…] [--json] [--small] [--peers]`: one line a row, exit code 1 when one is short."""

import argparse
import json
import os
import sys
from collections.abc import Sequence

from tests.benchmarks.measuring import Benchmark, LeftOutError, Result, run
from tests.benchmarks.rows import PEERS, ROWS


def main(arguments: Sequence[str]) -> int:
    """Run the rows whose names start with one of those given; all, if none is."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only rows whose names start so")
    parser.add_argument("--json", action="store_true", help="one JSON document, with the times")
    parser.add_argument("--small", action="store_true", help="once, at small size: to see that it works")
    parser.add_argument("--peers", action="store_true", help="other memory servers as well, those that are installed")
    options = parser.parse_args(arguments)
    results = []
    for row in chosen((*ROWS, *PEERS) if options.peers else ROWS, options.names):
        try:
            result = run(row, is_small=options.small)
        except LeftOutError as reason:
            print(f"{row.name} left out: {reason}", file=sys.stderr)  # noqa: T201
            continue
        results.append(result)
        if not options.json:
            print(result.line(), flush=True)  # noqa: T201
    if options.json:
        print(json.dumps(document(results), indent=1))  # noqa: T201
    return 0 if all(result.is_ok for result in results) else 1


def chosen(rows: Sequence[Benchmark], names: Sequence[str]) -> list[Benchmark]:
    return [row for row in rows if not names or row.name.startswith(tuple(names))]


def document(results: Sequence[Result]) -> dict[str, object]:
    return {"load": os.getloadavg()[0], "cores": os.cpu_count(), "rows": [result.values() for result in results]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

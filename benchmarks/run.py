"""Measures what section "Budgets" of ARCHITECTURE.md promises: ``python benchmarks/run.py`` in an activated .venv.

Every number is a median of at least five runs of whole processes, as a user meets them. Nothing here is part of the
test suite: a number says something about one machine on one day.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import time
from pathlib import Path

import elementwise
import matmul
import overhead
from measuring import OPFORGE, Row, scratch, sh

MEASURES = {"elementwise": elementwise.measure, "matmul": matmul.measure, "overhead": overhead.measure}


def toolkit_row(runs: int, environment: dict[str, str]) -> Row:
    """The simulated toolkit from nothing: the first build of a machine, less that of the project."""

    def first(cache_folder: Path) -> float:
        with scratch() as folder:
            sh([*OPFORGE, "new", "VectorAdd", "--inputs", "x,y"], folder, environment)
            start = time.perf_counter()
            inside = {**environment, "OPFORGE_CACHE": str(cache_folder)}
            sh([*OPFORGE, "inspect", "key", "spec"], folder / "vector_add", inside)
            return time.perf_counter() - start

    times = []
    for _ in range(runs):
        with scratch() as cache_folder:
            times.append(first(cache_folder))
    return Row("the simulated toolkit, once per machine", statistics.median(times), 60, runs)


def machine() -> str:
    """This machine in words."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip()
            for line in info.read_text("utf-8").splitlines()
            if line.startswith("model name")
        ]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, Linux, Python {platform.python_version()}"


def main() -> None:
    """Print the table as it goes, in Markdown; ``--json FILE`` writes the rows as well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each slow number (at least 5 for a table)")
    parser.add_argument("--toolkit", action="store_true", help="also build the simulated toolkit from nothing")
    parser.add_argument("--only", choices=MEASURES, help="this part of the table alone")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    arguments = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    print(f"{machine()}\n\n| what | median | budget | runs |\n|---|---|---|---|", flush=True)
    rows = []
    toolkit = [lambda: toolkit_row(arguments.runs, environment)] if arguments.toolkit else []
    parts = [MEASURES[arguments.only]] if arguments.only else list(MEASURES.values())
    measured = itertools.chain.from_iterable(measure(arguments.runs, environment) for measure in parts)
    for row in itertools.chain(measured, (make() for make in toolkit)):
        budget = "" if row.budget is None else f"{row.budget:g} {row.unit}"
        late = " **over**" if row.budget is not None and row.value > row.budget else ""
        print(f"| {row.what} | {row.value:.3g} {row.unit}{late} | {budget} | {row.runs} |", flush=True)
        rows.append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps([row.__dict__ for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()

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
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OPFORGE = [shutil.which("opforge") or "opforge"]
KERNEL = Path("op_kernel/vector_add_kernel.h")

# Runs inside the simulated device, once with each OPFORGE_SIM_CHECKS, and prints seconds per call.
KERNEL_SCRIPT = """
import statistics, sys, time
import torch, torch_npu, vector_add
torch.set_num_threads(2)
n = 1 << 24
x, y = torch.rand(n), torch.rand(n)
xd, yd = x.npu(), y.npu()
z = torch.empty(n)
def seconds(call, runs):
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
def kernel():
    vector_add.vector_add(xd, yd)
    torch.npu.synchronize()
print("seconds", seconds(kernel, 7), seconds(lambda: torch.add(x, y, out=z), 7))
"""


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the median, the budget (None: for information)."""

    what: str
    seconds: float
    budget: float | None
    runs: int
    unit: str = "s"


def sh(command: list[str], cwd: Path, environment: dict[str, str]) -> str:
    """Run one command and return its stdout and stderr, one after the other; both are shown when it fails."""
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise SystemExit(f"{' '.join(command)} failed with exit code {done.returncode}")
    return done.stdout + done.stderr


def median(action: Callable[[], object], runs: int, prepare: Callable[[], object] = lambda: None) -> float:
    """Median wall time in seconds of ``runs`` calls, each after ``prepare``, which is not counted."""
    times = []
    for _ in range(runs):
        prepare()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="opforge-benchmark-") as name:
        yield Path(name)


def measure(runs: int, environment: dict[str, str]) -> Iterator[Row]:
    """All rows, the cheap ones first, so that an interrupted run has shown something."""
    with scratch() as folder:

        def opforge(*arguments: str, cwd: Path = folder) -> str:
            return sh([*OPFORGE, *arguments], cwd, environment)

        project = folder / "vector_add"
        many = max(runs, 11)
        bare = median(lambda: sh([sys.executable, "-c", "pass"], folder, environment), many)
        yield Row("python -c pass (for comparison)", bare, None, many)
        yield Row("opforge --help", median(lambda: opforge("--help"), many), 0.08, many)
        yield Row("opforge --version", median(lambda: opforge("--version"), many), 0.08, many)

        def remove() -> None:
            shutil.rmtree(project, ignore_errors=True)

        new = median(lambda: opforge("new", "VectorAdd", "--inputs", "x,y"), many, remove)
        yield Row("opforge new VectorAdd", new, 0.25, many)

        opforge("build", cwd=project)  # the toolkit, built once per machine, is no part of any number below
        gen = msopgen(cache(environment), folder)
        compared = median(
            lambda: sh(gen, folder, environment), many, lambda: shutil.rmtree(folder / "generated", ignore_errors=True)
        )
        yield Row("msopgen gen on the same op, of the simulated toolkit (for comparison)", compared, None, many)

        def clean() -> None:
            for name in ("build", "dist"):
                shutil.rmtree(project / name, ignore_errors=True)
            for name in ("glue", "adapter"):
                shutil.rmtree(cache(environment) / name, ignore_errors=True)

        said: list[str] = []
        cold = median(lambda: said.append(opforge("build", cwd=project)), runs, clean)
        yield Row("opforge build, cold, all dtypes, run package and wheel", cold, 25, runs)
        adapters = [float(seconds) for text in said for seconds in re.findall(r"adapter: done in ([\d.]+) s", text)]
        adapter = statistics.median(adapters)
        yield Row("of it, the adapter and its glue, two units, beside the kernels", adapter, 12, runs)
        idle = median(lambda: opforge("build", cwd=project), many)
        yield Row("opforge build, nothing to do", idle, 0.10, many)

        edits = iter(range(1000))

        def edit() -> None:
            path = project / KERNEL
            path.write_text(path.read_text() + f"// edit {next(edits)}\n")

        one = median(lambda: opforge("build", cwd=project), runs, edit)
        yield Row("opforge build, one kernel edited", one, 5, runs)

        opforge("install", cwd=project)
        try:
            for mode, budget in (("fast", 3.0), ("all", 15.0)):
                inside = {**environment, "OPFORGE_SIM_CHECKS": mode}
                out = sh([*OPFORGE, "run", "--", "python", "-c", KERNEL_SCRIPT], project, inside)
                kernel, plain = map(float, re.search(r"^seconds (\S+) (\S+)$", out, re.MULTILINE).groups())
                yield Row(f"kernel, checks {mode}, 16 Mi float32: times torch.add", kernel / plain, budget, 7, "x")
        finally:
            opforge("uninstall", cwd=project)


def cache(environment: dict[str, str]) -> Path:
    """opforge's cache folder, by its own rule."""
    base = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(environment.get("OPFORGE_CACHE") or Path(base) / "opforge")


def msopgen(cache_folder: Path, folder: Path) -> list[str]:
    """The command that makes a skeleton for the same op with the toolkit's own generator."""
    tool = max(cache_folder.glob("toolkit/*/bin/msopgen"), key=lambda path: path.stat().st_mtime)
    types = ["float16", "bf16", "float"]
    tensor = {"param_type": "required", "format": ["ND"] * 3, "type": types}
    inputs = [{"name": name, **tensor} for name in ("x", "y")]
    described = [{"op": "VectorAdd", "input_desc": inputs, "output_desc": [{"name": "z", **tensor}]}]
    file = folder / "vector_add.json"
    file.write_text(json.dumps(described))
    out = str(folder / "generated")
    return [str(tool), "gen", "-i", str(file), "-f", "pytorch", "-c", "ai_core-Ascend910B1", "-lan", "cpp", "-out", out]


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
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, Linux, Python {platform.python_version()}"


def main() -> None:
    """Print the table as it goes, in Markdown; ``--json FILE`` writes the rows as well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each slow number (at least 5 for a table)")
    parser.add_argument("--toolkit", action="store_true", help="also build the simulated toolkit from nothing")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    arguments = parser.parse_args()
    environment = dict(os.environ)
    print(f"{machine()}\n\n| what | median | budget | runs |\n|---|---|---|---|", flush=True)
    rows = []
    toolkit = [lambda: toolkit_row(arguments.runs, environment)] if arguments.toolkit else []
    for row in itertools.chain(measure(arguments.runs, environment), (make() for make in toolkit)):
        budget = "" if row.budget is None else f"{row.budget:g} {row.unit}"
        late = " **over**" if row.budget is not None and row.seconds > row.budget else ""
        print(f"| {row.what} | {row.seconds:.3g} {row.unit}{late} | {budget} | {row.runs} |", flush=True)
        rows.append(row)
    if arguments.json:
        arguments.json.write_text(json.dumps([row.__dict__ for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()

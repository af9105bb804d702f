"""What a call costs beside its kernel: one element, with and without the task queue, one package or several installed.

Beside each other in one process: the op, an op of seven inputs, and torch.add of torch_npu, which the simulated device
computes on the CPU within the call. One and three entries in ASCEND_CUSTOM_OPP_PATH need a process each, as it is read
once; the processes take turns.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from measuring import OPFORGE, Row, scratch, sh

QUEUES = ("0", "1", "2")
SEVEN = ("--inputs", "a,b,c,d,e,f,g", "--compute", "z = a + b + c + d + e + f + g")

# Runs inside the simulated device and prints the median microseconds of one call of each.
CALLS = """
import json, statistics, time
import torch, torch_npu, vector_add
x, y, *others = (torch.rand(1).npu() for _ in range(7))
calls = {
    "op": lambda: vector_add.vector_add(x, y),
    "seven": lambda: vector_add.sum_of_seven(x, y, *others),
    "add": lambda: torch.add(x, y),
}
def microseconds(call, count=100):
    torch.npu.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    torch.npu.synchronize()
    return (time.perf_counter() - start) / count * 1e6
found = {name: [] for name in calls}
for _ in range(25):
    for name, call in calls.items():
        found[name].append(microseconds(call))
print(json.dumps({name: statistics.median(times[5:]) for name, times in found.items()}))
"""


def measure(runs: int, environment: dict[str, str]) -> Iterator[Row]:
    """The rows of one project with both ops."""
    with scratch() as folder:
        project = folder / "vector_add"
        sh([*OPFORGE, "new", "VectorAdd", "--inputs", "x,y"], folder, environment)
        sh([*OPFORGE, "add", "SumOfSeven", *SEVEN], project, environment)
        sh([*OPFORGE, "build"], project, environment)
        sh([*OPFORGE, "install"], project, environment)
        try:
            yield from rows(project, folder, runs, environment)
        finally:
            sh([*OPFORGE, "uninstall"], project, environment)


def rows(project: Path, folder: Path, runs: int, environment: dict[str, str]) -> Iterator[Row]:
    """The rows of an installed project; ``folder`` is for two packages more."""
    inside = activated(project, environment)
    one = inside["ASCEND_CUSTOM_OPP_PATH"]
    paths = {1: one, 3: ":".join([*others(Path(one.split(":")[0]), folder), one])}
    for queue in QUEUES:
        found: dict[int, list[dict[str, float]]] = {1: [], 3: []}
        for _ in range(runs):
            for entries, path in paths.items():
                variables = {**inside, "ASCEND_CUSTOM_OPP_PATH": path, "TASK_QUEUE_ENABLE": queue}
                text = sh([sys.executable, "-W", "ignore", "-c", CALLS], project, variables)
                found[entries].append(json.loads(next(line for line in text.splitlines() if line.startswith("{"))))

        def median(entries: int, name: str, found: dict[int, list[dict[str, float]]] = found) -> float:
            return statistics.median(process[name] for process in found[entries])

        def ratio(name: str, of: str, found: dict[int, list[dict[str, float]]] = found) -> float:
            return statistics.median(process[name] / process[of] for process in found[1])

        what = f"a call of one element, TASK_QUEUE_ENABLE={queue}"
        yield Row(f"{what}: vector_add", median(1, "op"), 200, runs, "us")
        yield Row(f"{what}: an op of seven inputs", median(1, "seven"), 200, runs, "us")
        yield Row(f"{what}: torch.add of torch_npu (for comparison)", median(1, "add"), None, runs, "us")
        yield Row(f"{what}: vector_add times torch.add", ratio("op", "add"), None, runs, "x")
        more = min(process["op"] for process in found[3]) / min(process["op"] for process in found[1])
        yield Row(f"{what}: three entries in ASCEND_CUSTOM_OPP_PATH, times one", more, 1.1, runs, "x")


def activated(project: Path, environment: dict[str, str]) -> dict[str, str]:
    """The environment that ``opforge run`` gives a program."""
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    text = sh([*OPFORGE, "run", "--", sys.executable, "-S", "-c", code], project, environment)
    variables: dict[str, str] = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
    return variables


def others(package: Path, folder: Path) -> list[str]:
    """Two packages as this one is installed, that have no kernel: a look-up goes past them."""
    made = []
    for name in ("first", "second"):
        copy = folder / name
        shutil.copytree(package, copy, symlinks=True)
        shutil.rmtree(copy / "op_impl" / "ai_core" / "tbe" / "kernel" / "config")
        made.append(str(copy))
    return made

"""VectorAdd, the elementwise op: what opforge's own commands cost, a build, and a kernel against a plain loop."""

from __future__ import annotations

import re
import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from measuring import OPFORGE, Row, cache, editor, forget, gen_arguments, median, row_of_ratio, scratch, sh

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
        yield row_of_ratio("opforge --help", lambda: opforge("--help"), 0.6, many)
        creates = ("new", "VectorAdd", "--inputs", "x,y")
        yield row_of_ratio("opforge new VectorAdd", lambda: opforge(*creates), 2.0, many, remove)

        opforge("build", cwd=project)  # the toolkit, built once per machine, is no part of any number below
        gen = msopgen(cache(environment), folder)
        compared = median(
            lambda: sh(gen, folder, environment), many, lambda: shutil.rmtree(folder / "generated", ignore_errors=True)
        )
        yield Row("msopgen gen on the same op, of the simulated toolkit (for comparison)", compared, None, many)

        said: list[str] = []
        cold = median(lambda: said.append(opforge("build", cwd=project)), runs, lambda: forget(project, environment))
        yield Row("opforge build, cold, all dtypes, run package and wheel", cold, 25, runs)
        adapters = [float(seconds) for text in said for seconds in re.findall(r"adapter: done in ([\d.]+) s", text)]
        adapter = statistics.median(adapters)
        yield Row("of it, the adapter and its glue, two units, beside the kernels", adapter, 12, runs)
        idle = median(lambda: opforge("build", cwd=project), many)
        yield Row("opforge build, nothing to do", idle, 0.10, many)
        yield row_of_ratio("opforge build, nothing to do", lambda: opforge("build", cwd=project), 0.7, many)

        one = median(lambda: opforge("build", cwd=project), runs, editor(project / KERNEL))
        yield Row("opforge build, one kernel edited", one, 5, runs)

        opforge("install", cwd=project)
        try:
            case = ("test", "tests/test_forward.py::test_one_tensor_for_all_inputs")
            tested = median(lambda: opforge(*case, cwd=project), runs, editor(project / KERNEL))
            yield Row("opforge test, one case, one kernel edited", tested, 8, runs)
            for mode, budget in (("fast", 3.0), ("all", 15.0)):
                inside = {**environment, "OPFORGE_SIM_CHECKS": mode}
                out = sh([*OPFORGE, "run", "--", "python", "-c", KERNEL_SCRIPT], project, inside)
                found = re.search(r"^seconds (\S+) (\S+)$", out, re.MULTILINE)
                assert found is not None, out
                ratio = float(found[1]) / float(found[2])
                yield Row(f"kernel, checks {mode}, 16 Mi float32: times torch.add", ratio, budget, 7, "x")
        finally:
            opforge("uninstall", cwd=project)


def msopgen(cache_folder: Path, folder: Path) -> list[str]:
    """The command that makes a skeleton for the same op with the toolkit's own generator."""
    tool = max(cache_folder.glob("toolkit/*/bin/msopgen"), key=lambda path: path.stat().st_mtime)
    return [str(tool), *gen_arguments(folder, "VectorAdd", ("x", "y"), "z")]

"""SwiGLU, the fused matrix product: its build, a call that is all overhead, and one that is all work."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from measuring import OPFORGE, Row, editor, forget, gen_arguments, median, row_of_ratio, scratch, sh

# These run inside the simulated device, and print the median seconds of one call.
TINY_CALL = """
import statistics, time
import torch, torch_npu, swiglu
x, w_gate, w_up = (torch.rand(n, 16).half().npu() for n in (1, 16, 16))
def calls(count):
    start = time.perf_counter()
    for _ in range(count):
        swiglu.swiglu(x, w_gate, w_up)
        torch.npu.synchronize()
    return (time.perf_counter() - start) / count
calls(200)
print("seconds", statistics.median(calls(300) for _ in range(7)))
"""

LARGE_CALL = """
import statistics, time
import torch, torch_npu, swiglu
torch.manual_seed(0)
x, w_gate, w_up = (torch.randn(*s, dtype=torch.float16) for s in ((4, 512, 1024), (1024, 4096), (1024, 4096)))
xd, gd, ud = x.npu(), (w_gate / 32).npu(), (w_up / 32).npu()
def call():
    start = time.perf_counter()
    swiglu.swiglu(xd, gd, ud)
    torch.npu.synchronize()
    return time.perf_counter() - start
call()
print("seconds", statistics.median(call() for _ in range(RUNS)))
"""


def measure(runs: int, environment: dict[str, str]) -> Iterator[Row]:
    """The rows of SwiGLU, from its project to its largest call."""
    with scratch() as folder:

        def opforge(*arguments: str, cwd: Path = folder, **variables: str) -> str:
            return sh([*OPFORGE, *arguments], cwd, {**environment, **variables})

        project = folder / "swiglu"
        new = ("new", "SwiGLU", "--inputs", "x,w_gate,w_up")
        many = max(runs, 11)

        def remove() -> None:
            shutil.rmtree(project, ignore_errors=True)

        yield Row("opforge new SwiGLU", median(lambda: opforge(*new), many, remove), 0.25, many)
        yield row_of_ratio("opforge new SwiGLU", lambda: opforge(*new), 2.2, many, remove)
        if "MSOPGEN" in environment:
            arguments = gen_arguments(folder, "SwiGLU", ("x", "w_gate", "w_up"), "y")
            gen = [sys.executable, "-m", "msopgen.msopgen", *arguments]  # CANN's own; its package is in $MSOPGEN

            def both() -> None:
                remove()
                shutil.rmtree(folder / "generated", ignore_errors=True)

            def generate() -> None:
                sh(gen, folder, {**environment, "PYTHONPATH": environment["MSOPGEN"]})

            yield row_of_ratio(
                "opforge new SwiGLU", lambda: opforge(*new), 2.5, many, both, beside=("the real msopgen gen", generate)
            )
        opforge("inspect", "key", "spec", cwd=project)  # makes the toolkit where it is missing
        cold = median(lambda: opforge("build", cwd=project), runs, lambda: forget(project, environment))
        yield Row("opforge build of SwiGLU, cold: three dtypes, forward and backward", cold, 60, runs)
        edit = editor(project / "op_kernel" / "swi_glu_kernel.h")
        yield Row("its kernel edited", median(lambda: opforge("build", cwd=project), runs, edit), 8, runs)

        opforge("install", cwd=project)
        try:

            def inside(script: str, checks: str) -> float:
                text = opforge("run", "--", "python", "-c", script, cwd=project, OPFORGE_SIM_CHECKS=checks)
                found = re.search(r"^seconds (\S+)$", text, re.MULTILINE)
                assert found is not None, text
                return float(found[1])

            for checks in ("fast", "all"):
                tiny = inside(TINY_CALL, checks) * 1e6
                yield Row(f"swiglu.swiglu, x [1, 16], I = 16, float16, checks {checks}", tiny, 200, 7, "us")
            for checks in ("fast", "all"):
                large = inside(LARGE_CALL.replace("RUNS", str(runs)), checks)
                what = f"swiglu.swiglu, x [4, 512, 1024], I = 4096, float16, checks {checks}"
                yield Row(what, large, 3, runs)
        finally:
            opforge("uninstall", cwd=project)

"""Fifty elementwise ops, three dtypes, three SoCs: a cold build, one with nothing to do, one of a second machine.

    python benchmarks/many_ops.py [--ops 50]

Prints the seconds and the number of kernels. The simulated toolkit is built before; its kept kernels are not used.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOCS = "ascend910b,ascend910_93,ascend310p"
# Of two inputs and of one; each op is another expression.
FORMS = (
    "x * y + {n}.5",
    "maximum(x, y) - {n}.0",
    "sigmoid(x) * y + {n}.0",
    "abs(x - y) * {n}.25",
    "where(x > y, x, y * {n}.0)",
    "exp(minimum(x, {n}.0))",
    "x / (1.0 + abs(x)) * {n}.0",
    "tanh(x * {n}.0)",
    "sqrt(abs(x) + {n}.0)",
    "relu(x - {n}.0)",
)


def opforge(words: list[str], cwd: Path, **variables: str) -> tuple[float, str]:
    """Seconds and stdout of one command. Ends the program if it fails."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "opforge", *words],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"opforge {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - start, done.stdout


def make_project(folder: Path, count: int) -> Path:
    """A project whose ops have no gradients: each has three kernels for each of two architectures."""
    opforge(
        [
            "new",
            "Many0",
            "--inputs",
            "x,y",
            "--compute",
            f"z = {FORMS[0].format(n=1)}",
            "--soc",
            SOCS,
            "--path",
            "many",
        ],
        folder,
    )
    spec = folder / "many" / "opforge.yaml"
    head, first = spec.read_text(encoding="utf-8").split("  Many0:\n")
    ops = ""
    for number in range(count):
        form = FORMS[number % len(FORMS)].format(n=number // len(FORMS) + 1)
        text = first if "y" in re.findall(r"\b\w\b", form) else re.sub(r" +y: .*\n", "", first, count=1)
        text = re.sub(r"compute: .*", f"compute: z = {form}\n    backward: false", text)
        ops += f"  Many{number}:\n{text}"
    spec.write_text(head + ops, encoding="utf-8")
    opforge(["update", "-q"], folder / "many")
    return folder / "many"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ops", type=int, default=50)
    count = parser.parse_args().ops
    folder = Path(tempfile.mkdtemp(prefix="opforge-many-"))
    try:
        project = make_project(folder, count)
        without = {"OPFORGE_SIM_KEEP_KERNELS": "0"}
        opforge(["build", "--only", "Many0", "--json"], project)  # the toolkit and its precompiled headers
        opforge(["clean"], project)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cold, _ = opforge(["build", "--json"], project, **without)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        print(f"cold: {cold:.1f} s, {spent:.0f} s of processor time", flush=True)
        kernels = len(list((project / "build/cann/out/kernels").rglob("*.o")))
        idle = sorted(opforge(["build", "--json"], project)[0] for _ in range(11))
        print(f"{count} ops, {kernels} kernels; nothing to do: {idle[5]:.3f} s (median of 11)", flush=True)
        shared = {"OPFORGE_KERNEL_CACHE": str(folder / "shared"), **without}
        for name in ("first machine", "second machine"):
            shutil.rmtree(project / "build")
            seconds, out = opforge(["build", "--json"], project, **shared)
            jobs = json.loads(out)["jobs"]
            print(
                f"{name}, shared folder: {seconds:.1f} s, {jobs['compiled']} compiled, {jobs['taken']} taken",
                flush=True,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

"""Counts what opforge's kernels do in the cases whose times were measured: a line for each, for fit_times.py.

    python count_times.py project FOLDER              # the commands that make and install the project `timed`
    opforge run --soc Ascend910B2 -- python count_times.py elementwise MEASURED COUNTED
    OPFORGE_SIM_CHECKS=fast opforge run --soc Ascend910B2 -- python count_times.py product MEASURED COUNTED
    python count_times.py row MEASURED COUNTED TOOLKIT

OPFORGE_SIM_PROFILE names a file for the second and third, which run in the project. Products with full checks take
hours. COUNTED is appended to. gelu is computed by the formula with exp in both of its modes, as CANN's takes the same
time in both; int32 is counted as float32; int8 is left out.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOC = "Ascend910B2"
NEW = "ScaledExp --inputs x --outputs y --attr base:float=1.0 --attr scale:float=1.0 --attr shift:float=0.0"
OPS = (
    "Sigmoid --inputs x --outputs y --compute 'y = sigmoid(x)'",
    "GeluTanh --inputs x --outputs y --compute 'y = gelu_tanh(x)'",
    "Mish --inputs x --outputs y --compute 'y = x * tanh(log(1 + exp(x)))'",
    "Maximum --inputs x,y --outputs z --compute 'z = max(x, y)'",
    "Product --inputs a,b --like PlainMatmul",
)


def commands(folder: str) -> Iterator[str]:
    yield f"opforge new {NEW} --compute 'y = exp((x * scale + shift) * base)' --package timed --path {folder}"
    yield f"cd {folder}"
    yield from (f"opforge add {op}" for op in OPS)
    yield "opforge build && opforge install"


def work_of(line: dict[str, Any]) -> dict[str, Any]:
    cores = line["cores"]
    return {
        **line["gm"],
        "crossed": sum(core["crossed"] for core in cores),
        "bypassed": sum(core["bypassed"] for core in cores),
        "macs": sum(core.get("macs", 0) for core in cores),
        "span": max(core["span"] for core in cores),
        "busy": {pipe: max(core["busy"][pipe] for core in cores) for pipe in cores[0]["busy"]},
    }


def count_project(kind: str, cases: list[dict[str, Any]], counted: Path) -> None:
    import timed
    import torch
    import torch_npu  # noqa: F401

    functions = {
        "exp": lambda x: timed.scaled_exp(x, 1.0, 0.5, 0.1),
        "gelu": timed.gelu_tanh,
        "mish": timed.mish,
        "sigmoid": timed.sigmoid,
        "maximum": timed.maximum,
        "gemm": timed.product,
    }
    profile = Path(os.environ["OPFORGE_SIM_PROFILE"])
    for case in cases:
        dtypes = ["float32" if given["dtype"] == "int32" else given["dtype"] for given in case["inputs"]]
        if case["kind"] != kind or "int8" in dtypes:
            continue
        shapes = [given["shape"] for given in case["inputs"]]
        values = [torch.ones(s, dtype=getattr(torch, d)).npu() for s, d in zip(shapes, dtypes, strict=True)]
        torch.npu.synchronize()
        before = profile.stat().st_size if profile.exists() else 0
        functions[case["op"]](*values)
        torch.npu.synchronize()
        lines = profile.read_bytes()[before:].splitlines()
        append(counted, {**case, "work": [work_of(json.loads(line)) for line in lines]})


def count_rows(cases: list[dict[str, Any]], counted: Path, toolkit: Path) -> None:
    sys.path.insert(0, str(HERE.parents[1] / "simulator" / "kernel"))
    import numpy as np
    from harness import compile_as_built, run

    numbers: dict[str, tuple[Any, float]] = {
        "float32": (np.float32, 1), "float16": (np.float16, 1), "bfloat16": (np.uint16, 0x3F80)
    }  # fmt: skip

    def filled(count: int, dtype: str) -> Any:
        """Starts at a multiple of 512 bytes, as the device's tensors do."""
        number, one = numbers[dtype]
        memory = np.zeros(count * np.dtype(number).itemsize + 512, np.uint8)
        start = -memory.ctypes.data % 512
        array = memory[start : start + count * np.dtype(number).itemsize].view(number)
        array[:] = one
        return array

    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            if case["kind"] != "row":
                continue
            op, dtype = case["op"], case["inputs"][0]["dtype"]
            *outer, cols = case["inputs"][0]["shape"]
            rows = int(np.prod(outer))
            names = ("x",) if op == "softmax" else ("x", "gamma")
            folder = Path(scratch) / f"{op}_{dtype}"
            given = dict.fromkeys(names, dtype)
            kernel = compile_as_built(toolkit, HERE / f"{op}.cpp", op, given, {"y": dtype}, folder, soc_version=SOC)
            inputs = [filled(rows * cols, dtype), filled(cols, dtype)][: len(names)]
            timed: list[dict[str, Any]] = []
            sizes = struct.pack("<II", rows, cols)
            run(kernel, inputs, [filled(rows * cols, dtype)], tiling=sizes, block_dim=min(rows, 48), timed=timed)
            append(counted, {**case, "work": [work_of(timed[0])]})


def append(counted: Path, line: dict[str, Any]) -> None:
    print(line["op"], line["inputs"][0], flush=True)
    with counted.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    kind, *paths = sys.argv[1:]
    if kind == "project":
        print("\n".join(commands(paths[0])))
        return
    cases = [json.loads(line) for line in Path(paths[0]).read_text(encoding="utf-8").splitlines()]
    if kind == "row":
        count_rows(cases, Path(paths[1]), Path(paths[2]))
    else:
        count_project(kind, cases, Path(paths[1]))


if __name__ == "__main__":
    main()

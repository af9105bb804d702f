"""Calls the operators of one side and prints what each call counts: one line of JSON for each case.

    opforge run -- python counted.py ours|theirs MODULE OP[,OP ...]

OPFORGE_SIM_PROFILE names a file. The measuring runs in the environment in which the operators are installed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch
import torch_npu  # noqa: F401
from pairs import PAIRS, SHAPES, Pair, inputs_of, worst_errors
from torch import Tensor


def work_of(line: dict[str, Any]) -> dict[str, Any]:
    """What ``opforge.measure.time_model.Work`` has of a launch, and the instructions of the busiest core."""
    cores = line["cores"]
    return {
        **{name: line["gm"][name] for name in ("read", "written", "read_once", "written_once")},
        "crossed": sum(core["crossed"] for core in cores),
        "macs": sum(core["macs"] for core in cores),
        "instructions": max(core["instructions"] for core in cores),
        "span": max(core["span"] for core in cores),
        "busy": {pipe: max(core["busy"][pipe] for core in cores) for pipe in cores[0]["busy"]},
    }


def count(pair: Pair, side: str, function: Any, shape: tuple[int, int], dtype: str) -> dict[str, Any]:
    """The counts and the errors of one call, or the first line of why it failed."""
    profile = Path(os.environ["OPFORGE_SIM_PROFILE"])
    inputs = inputs_of(pair, shape, dtype)
    given = [*inputs.values()] if side == "ours" else pair.theirs(inputs)
    given = [value.npu() if isinstance(value, Tensor) else value for value in given]
    torch.npu.synchronize()
    before = profile.stat().st_size if profile.exists() else 0
    try:
        made = function(*given)
        torch.npu.synchronize()
    except RuntimeError as error:
        return {"failed": str(error).splitlines()[0][:200]}
    names = (pair.names if side == "ours" else pair.their_names).split()
    results = [value.cpu() for value in (made if isinstance(made, tuple) else (made,))]
    lines = profile.read_bytes()[before:].splitlines()
    return {
        "work": [work_of(json.loads(line)) for line in lines],
        "errors": worst_errors(pair, inputs, dict(zip(names, results, strict=True))),
    }


def main() -> None:
    """Every case of the named pairs."""
    side, name, ops = sys.argv[1:]
    module = importlib.import_module(name)
    for pair in PAIRS:
        if pair.op in ops.split(","):
            function = getattr(module, pair.op if side == "ours" else pair.folder.split("/")[-1])
            for dtype in pair.dtypes:
                for shape in SHAPES:
                    row = {"op": pair.op, "dtype": dtype, "shape": shape}
                    print(json.dumps({**row, **count(pair, side, function, shape, dtype)}), flush=True)


if __name__ == "__main__":
    main()

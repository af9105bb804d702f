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
from launches import size_of, works_after
from pairs import Pair, inputs_of, worst_errors
from products import EVERY
from torch import Tensor


def count(pair: Pair, side: str, function: Any, shape: tuple[int, ...], dtype: str) -> dict[str, Any]:
    """The counts and the errors of one call, or the first line of why it failed."""
    profile = Path(os.environ["OPFORGE_SIM_PROFILE"])
    inputs = inputs_of(pair, shape, dtype)
    given = [*inputs.values()] if side == "ours" else pair.theirs(inputs)
    given = [value.npu() if isinstance(value, Tensor) else value for value in given]
    torch.npu.synchronize()
    before = size_of(profile)
    try:
        made = function(*given)
        torch.npu.synchronize()
    except RuntimeError as error:
        return {"failed": str(error).splitlines()[0][:200]}
    names = (pair.names if side == "ours" else pair.their_names).split()
    results = [value.cpu() for value in (made if isinstance(made, tuple) else (made,))]
    errors = worst_errors(pair, inputs, dict(zip(names, results, strict=True)))
    return {"work": works_after(profile, before), "errors": errors}


def main() -> None:
    """Every case of the named pairs."""
    side, name, ops = sys.argv[1:]
    module = importlib.import_module(name)
    for pair in EVERY:
        if pair.op in ops.split(","):
            function = getattr(module, pair.op if side == "ours" else pair.folder.split("/")[-1])
            for dtype in pair.dtypes:
                for shape in pair.sizes:
                    row = {"op": pair.op, "dtype": dtype, "shape": shape}
                    print(json.dumps({**row, **count(pair, side, function, shape, dtype)}), flush=True)


if __name__ == "__main__":
    main()

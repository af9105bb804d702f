"""Runs operators of the gallery and of tests/corpus on the simulated device, in the environment they are installed in.

    python corpus_run.py PACKAGE FOLDER:FOLDER OP[=CASE] ...

Prints a line of JSON for each case: how far the results are from the reference, or what was raised. An op that raises
is the process's last: a device that has failed stays so.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import torch
import torch_npu


def module_at(path: Path) -> ModuleType:
    """The module in a file, under the names of its folder and itself."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors(results: object) -> list[torch.Tensor]:
    if isinstance(results, torch.Tensor):
        return [results]
    assert isinstance(results, Sequence)
    return [tensor for result in results for tensor in tensors(result)]


def moved(argument: object) -> object:
    if isinstance(argument, torch.Tensor):
        return argument.npu()
    return [moved(each) for each in argument] if isinstance(argument, list) else argument


def distance(got: list[torch.Tensor], wanted: list[torch.Tensor], tolerances: float | dict[str, float]) -> str:
    """Empty where all elements are within the tolerance, of 1 or of the wanted value, whichever is more.

    There is one tolerance for all results, or one for each data type; a data type without one is exact.
    """
    if [(t.shape, t.dtype) for t in got] != [(t.shape, t.dtype) for t in wanted]:
        return (
            f"results are {[(list(t.shape), t.dtype) for t in got]}, not {[(list(t.shape), t.dtype) for t in wanted]}"
        )
    for i, (mine, theirs) in enumerate(zip(got, wanted, strict=True)):
        a, b = mine.cpu().double(), theirs.double()
        name = str(theirs.dtype).removeprefix("torch.")
        tolerance = tolerances.get(name, 0.0) if isinstance(tolerances, dict) else tolerances
        close = torch.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        if not close.all():
            at = (~close).flatten().nonzero()[0].item()
            return (
                f"result {i} differs in {(~close).sum()} of {close.numel()}: {a.flatten()[at]}, not {b.flatten()[at]}"
            )
    return ""


def main(package: str, folders: list[Path], wanted: list[str]) -> None:
    ops = importlib.import_module(package)
    for name in wanted:
        op, _, only = name.partition("=")
        folder = next(each for each in folders if (each / op / "cases.py").is_file())
        cases = module_at(folder / op / "cases.py")
        reference = getattr(module_at(folder / op / "reference.py"), op)
        for label, make in cases.CASES:
            if only and label != only:
                continue
            arguments, keywords = make(torch.Generator().manual_seed(7))
            expected = tensors(reference(*arguments, **keywords))
            row = {"op": op, "case": label, "said": ""}
            try:
                results = tensors(getattr(ops, op)(*map(moved, arguments), **keywords))
                torch_npu.npu.synchronize()
                row["said"] = distance(results, expected, cases.TOLERANCE)
            except RuntimeError as error:
                row["raised"] = str(error)
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
            if "raised" in row:
                return


if __name__ == "__main__":
    main(sys.argv[1], [Path(folder) for folder in sys.argv[2].split(":")], sys.argv[3:])

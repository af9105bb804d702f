"""Calls an adopted operator from PyTorch on the simulated device; run.py starts it in the activated environment.

    python call.py OPS.json REPORT.json FIRST

OPS.json is what run.py's ``_description`` says of each op. An operator with an entry in ``cases/`` is called with its
arguments, once for each size and column of dtypes; one without an entry once for each column, with small shapes that
fit the spec. REPORT.json has an entry for each call from the FIRST on; after one that the device has not survived, the
program ends, and run.py starts another one.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch
import torch_npu  # noqa: F401
from entries import Operator, Tensors, entries_of, lies_close

PACKAGE = "tried"
_DEVICE_ERROR = re.compile(r"error code is 507|50\d{4}")
_SIZES = {"...": (3, 40)}
_ATTRS = {"int": 1, "float": 0.5, "bool": False, "str": "", "list_int": [1], "list_float": [0.5], "list_bool": [False]}


def main() -> None:
    """Writes the report."""
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    report = Path(sys.argv[2])
    package = importlib.import_module(PACKAGE)
    entries = entries_of(given["repository"])
    rows: list[dict[str, Any]] = []
    calls = [
        (op, *call)
        for op in given["ops"]
        for call in _calls(op, entries.get(f"{given['folder']}#{op['type']}", entries.get(given["folder"])))
    ]
    for op, label, column, call in calls[int(sys.argv[3]) :]:
        row = {
            "op": op["type"],
            "case": label,
            "dtypes": list(column.values()),
            "error": "ended",
            "right": None,
            "off": None,
        }
        rows.append(row)
        # Before the call, too: it may end the process.
        report.write_text(json.dumps({"calls": len(calls), "rows": rows}), encoding="utf-8")
        row |= call(getattr(package, op["function"]))
        report.write_text(json.dumps({"calls": len(calls), "rows": rows}), encoding="utf-8")
        if _DEVICE_ERROR.search(row["error"] or ""):
            os._exit(0)


def _calls(op: dict[str, Any], entry: Operator | None) -> Iterator[tuple[str, dict[str, str], Any]]:
    sizes = [()] if entry is None or entry.arguments is None else entry.sizes
    columns = [column for column in op["columns"] if entry is None or entry.takes(column)]
    for size in sizes:
        for column in columns:
            yield str(list(size)), column, lambda function, s=size, c=column: _called(function, op, entry, s, c)


def _called(
    function: Any, op: dict[str, Any], entry: Operator | None, size: Any, column: dict[str, str]
) -> dict[str, Any]:
    drawn = Tensors(column, seed=str(size))
    try:
        own = entry.arguments if entry is not None else None
        arguments = _drawn(op, drawn) if own is None else own(drawn, *size)
        results = function(**{name: _on_npu(value) for name, value in arguments.items()})
        results = results if isinstance(results, tuple) else (results,)  # a list is one result
        results = [_on_cpu(result) for result in results]
        torch.npu.synchronize()
    except Exception as error:  # noqa: BLE001  (whatever a public operator does is a row of the report)
        text = str(error) or traceback.format_exc()
        return {"error": f"call: {text[:4000]}", "right": None, "off": None}
    if entry is None or entry.golden is None:
        return {"error": None, "right": None, "off": None}
    goldens = entry.golden(**{name: _doubled(value) for name, value in arguments.items()})
    goldens = goldens if isinstance(goldens, tuple) else (goldens,)
    off = [
        lies_close(result, golden, _dtype(result, column[name]), entry)
        for result, golden, name in zip(results, goldens, op["outputs"], strict=False)
    ]
    return {"error": None, "right": not any(off), "off": next(filter(None, off), None)}


def _dtype(result: Any, declared: str) -> str:
    """A result's own dtype: two columns may differ in inputs alone that a call leaves out."""
    return str(result.dtype).removeprefix("torch.") if isinstance(result, torch.Tensor) else declared


def _drawn(op: dict[str, Any], drawn: Tensors) -> dict[str, Any]:
    """Arguments that fit the spec: each named dimension has a size of its own."""
    sizes: dict[str, tuple[int, ...]] = dict(_SIZES)
    made: dict[str, Any] = {}
    for tensor in op["inputs"]:
        if tensor["optional"]:
            made[tensor["name"]] = None
            continue
        if tensor["scalar"]:
            made[tensor["name"]] = [1.0] if tensor["dynamic"] else 1.0
            continue
        shape: tuple[int, ...] = ()
        for dim in tensor["shape"]:
            shape += (
                (int(dim),)
                if dim.isdigit()
                else sizes.setdefault(dim, _SIZES["..."] if dim[0] == "." else (16 * (len(sizes) + 1),))
            )
        if tensor["value_depend"]:
            shape = (1,)
        value = drawn(tensor["name"])(*shape)
        if tensor["value_depend"]:  # numbers on the host
            value = value.tolist()
        made[tensor["name"]] = [value, value.clone()] if tensor["dynamic"] else value
    made |= {attr["name"]: _ATTRS[attr["type"]] for attr in op["attrs"] if attr["required"]}
    return made


def _on_npu(value: Any) -> Any:
    if isinstance(value, list):
        return [_on_npu(item) for item in value]
    return value.npu() if isinstance(value, torch.Tensor) and not getattr(value, "stays_on_host", False) else value


def _on_cpu(value: Any) -> Any:
    return [_on_cpu(item) for item in value] if isinstance(value, (tuple, list)) else value.cpu()


def _doubled(value: Any) -> Any:
    if isinstance(value, list):
        return [_doubled(item) for item in value]
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


if __name__ == "__main__":
    main()

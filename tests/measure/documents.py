"""Reports as the programs of a project write them, and a project whose programs write what a test says."""

from __future__ import annotations

import json
import os
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

from opforge.build.request import BuildRequest
from opforge.measure.programs import InstalledProject
from opforge.toolkit.device_warnings import Collection

DEVICE_FIELDS = {"schema": 1, "simulated": True, "soc": "Ascend910B1", "torch": "2.13.0"}

CORE = {"kind": "aiv", "block": 0, "sub": 0, "gm_read": 800, "gm_written": 400, "macs": 0, "instructions": 7}

BENCH_ROW = {
    "op": "VectorAdd",
    "dtype": "float16",
    "label": "7 x 1009",
    "shapes": {"x": [7, 1009], "y": [7, 1009]},
    "tokens": 7,
    "custom_us": {"median": 123.4, "min": 101.0, "max": 200.0},
    "native_us": {"median": 246.8, "min": 240, "max": 300.5},
    "tokens_per_s": {"custom": 56726.1, "native": 28363.0},
    "peak_bytes": {"custom": 0, "native": 14126},
    "error": {"max": 0.00195, "mean": 1.5e-4},
    "native_error": {"max": 0.00195, "mean": 1.5e-4},
    "gm_bytes": {"unfused": 84756, "fused": 42378, "measured": {"read": 28252, "written": 14126}},
    "cores": [{**CORE, "vector_elements": 4000}, {**CORE, "sub": 1, "vector_elements": 3063}],
    "memory": {"peak": {"UB": 98304, "L1": 0}, "capacity": {"UB": 196608, "L1": 524288}},
}

BARE_ROW = {
    **BENCH_ROW,
    "op": "ByHand",
    "label": "1",
    "native_us": None,
    "tokens_per_s": {"custom": 1e7, "native": None},
    "peak_bytes": {"custom": None, "native": None},
    "error": None,
    "native_error": None,
    "gm_bytes": {"unfused": None, "fused": 6, "measured": None},
    "cores": None,
    "memory": None,
}

COUNTED_ROW = {
    **BENCH_ROW,
    "label": "2048 x 4096",
    **dict.fromkeys(("custom_us", "native_us", "error", "native_error")),
    "tokens_per_s": {"custom": None, "native": None},
    "peak_bytes": {"custom": None, "native": None},
}

VERIFY_ROW = {
    "op": "SwiGLU",
    "dtype": "bfloat16",
    "case": "3 x 127",
    "output": "grad_x",
    "gradient": True,
    "elements": 381,
    "golden": "float64",
    "passed": True,
    "A": {"passed": True, "matched": 1.0, "max_abs_error": 0.0625, "max_ulp": 1.0},
    "B": {
        "passed": True,
        "mere": 0.0011,
        "mare": 0.0039,
        "threshold": 0.0078125,
        "small": {"count": 3, "errors": 1, "native_errors": 2},
    },
    "C": {"passed": True, "level": "L2", "mare": 1.0, "mere": 0.98, "rmse": 1.01},
    "worst": {"index": [2, 126], "value": 16.0625, "golden": 16.0, "error": 0.0625, "rule": "A"},
}

LEAK_ROW = {
    "op": "VectorAdd",
    "what": "backward",
    "stream": "side",
    "grew": False,
    "live": {
        "aclTensor": {"before": 3, "after": 3},
        "aclOpExecutor": {"before": 0, "after": 0},
        "device_bytes": {"before": 9, "after": 9},
    },
    "device_bytes": {"before": 1024, "after": 1024},
    "rss_bytes": {"before": 400 << 20, "after": 401 << 20},
    "why": "",
}


def bench_document(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**DEVICE_FIELDS, "rows": [deepcopy(row) for row in rows or (BENCH_ROW, BARE_ROW)], **fields}


def verify_document(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    listed = [deepcopy(row) for row in rows or (VERIFY_ROW,)]
    return {**DEVICE_FIELDS, "passed": all(row["passed"] for row in listed), "rows": listed, **fields}


def leaks_document(queue: int, *rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    listed = [deepcopy(row) for row in rows or (LEAK_ROW,)]
    grew = any(row["grew"] for row in listed)
    return {**DEVICE_FIELDS, "task_queue": queue, "calls": 50, "grew": grew, "rows": listed, **fields}


def replaced(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The document with another value at ``rows.0.custom_us.median``; the value KeyError takes the field away."""
    changed = deepcopy(document)
    inner: Any = changed
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        inner = inner[step]
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return changed


SPEC = """\
edition: 1
project: {name: vector_add, package: vector_add, vendor: vector_add, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorAdd:
    inputs: {x: {dtype: [float16, float32]}, y: {}}
    compute: z = x + y
  Picked:
    inputs: {m: {dtype: [bool]}, x: {dtype: [bfloat16]}}
    compute: y = where(m, x, 0.0)
"""


def make_installed(folder: Path, **environ: str) -> InstalledProject:
    """A project with its spec and an empty benchmarks/cases.py, and this interpreter."""
    root = folder / "a project"
    (root / "benchmarks").mkdir(parents=True, exist_ok=True)
    (root / "benchmarks" / "cases.py").touch()
    (root / "opforge.yaml").write_text(SPEC, encoding="utf-8")
    request = BuildRequest(root, os.environ, folder / "cache")
    nothing = Collection(Path(os.devnull), 0, {})
    return InstalledProject(request, Path(sys.executable), {"PATH": os.environ["PATH"], **environ}, nothing)


def write_program(installed: InstalledProject, name: str, document: Any, *, before: str = "", code: int = 0) -> None:
    """In the project's copy of opforge.testing: notes how it was called, runs ``before``, and writes ``document``."""
    lines = [
        "import json, os, sys",
        "from pathlib import Path",
        f"Path('{name}.called').write_text(json.dumps([sys.argv[1:], dict(os.environ)]))",
        before,
        f"document = json.loads({json.dumps(document)!r})",
        "if document is not None:",
        "    Path(sys.argv[sys.argv.index('--json') + 1]).write_text(json.dumps(document), encoding='utf-8')",
        f"sys.exit({code})",
    ]
    package = installed.request.root / "tests" / "_opforge" / "opforge" / "testing"
    package.mkdir(parents=True, exist_ok=True)
    for module in (package.parent / "__init__.py", package / "__init__.py"):
        module.touch()
    (package / f"{name}.py").write_text("\n".join(lines) + "\n", encoding="utf-8")


def called(installed: InstalledProject, name: str) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment of the program's last run."""
    arguments, environ = json.loads((installed.request.root / f"{name}.called").read_text(encoding="utf-8"))
    return arguments, environ

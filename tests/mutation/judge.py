"""Runs a project's own tests with one wrong kernel after another, in the environment that the project is installed in.

    python judge.py PROJECT PACKAGE SCRATCH < jobs > verdicts      (both are lines of JSON)

A job names an op, the kernel's file below op_kernel, its text with the mistake, and columns of dtypes. asc_opc
compiles one column after the other until the mistake is caught, because code may be for one dtype only. A forked
process, which has imported PyTorch before, runs the tests of the op with the kernel in place, until one fails. Every
test is the project's own. The project's package is imported while the right kernels are installed, because it refuses
kernels that it was not built with.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import torch_npu  # noqa: F401  (forked processes have it then)

SECONDS = 100  # for the tests of one mutant; a kernel that waits for ever is caught
SHARED = ("op_cases", "product_cases", "test_pytorch", "test_bad_input", "test_converter", "test_fusion")
UNIT, SOC = "ascend910b", "Ascend910B1"


@dataclass(frozen=True)
class Project:
    """A built and installed project."""

    root: Path
    scratch: Path

    @property
    def kernels(self) -> Path:
        return self.root / "build" / "cann" / "out" / "kernels"

    def columns(self, op: str) -> list[dict[str, Any]]:
        every = json.loads((self.kernels / "columns.json").read_text(encoding="utf-8"))
        return [column for column in every if column["op_type"] == op and column["unit"] == UNIT]

    def installed(self, column: dict[str, Any]) -> Path:
        """The installed kernel of a column, in the environment."""
        packages = map(Path, os.environ["ASCEND_CUSTOM_OPP_PATH"].split(":"))
        below = f"op_impl/ai_core/tbe/kernel/{UNIT}/{column['op_file']}/{column['name']}.o"
        return next(package / below for package in packages if (package / below).is_file())

    def compiled(self, job: dict[str, Any], column: dict[str, Any]) -> tuple[Path | None, str]:
        """The wrong kernel, or what the compiler said."""
        place = self.scratch / "mutant"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.root / "op_kernel", place / "op_kernel")
        (place / "op_kernel" / job["file"]).write_text(job["text"], encoding="utf-8")
        described = (self.kernels / f"{job['op']}.py").read_text(encoding="utf-8")
        described = re.sub(r"'/[^']*/op_kernel(/[^']*)?'", lambda m: f"'{place / 'op_kernel'}{m[1] or ''}'", described)
        (place / f"{job['op']}.py").write_text(described, encoding="utf-8")
        (place / "out").mkdir()
        options = {
            "main_func": column["op_file"],
            "input_param": Path(column["folder"]) / f"{column['name']}_param.json",
            "soc_version": SOC,
            "output": place / "out",
            "impl_mode": "",
        }
        opc = Path(os.environ["ASCEND_HOME_PATH"]) / "bin" / "asc_opc"
        words = [sys.executable, opc, place / f"{job['op']}.py", *(f"--{n}={v}" for n, v in options.items())]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        made = place / "out" / f"{column['name']}.o"
        return (made, "") if done.returncode == 0 and made.is_file() else (None, done.stdout + done.stderr)

    @contextmanager
    def replaced(self, kernel: Path, column: dict[str, Any]) -> Iterator[None]:
        """The wrong kernel instead of the installed one."""
        installed = self.installed(column)
        pairs = [(installed, kernel), (installed.with_suffix(".json"), kernel.with_suffix(".json"))]
        right = [there.read_bytes() for there, _ in pairs]
        try:
            for there, wrong in pairs:
                _put(there, wrong.read_bytes())
            yield
        finally:
            for (there, _), content in zip(pairs, right, strict=True):
                _put(there, content)


def _put(file: Path, content: bytes) -> None:
    """Writes a new file: the old one may be linked to others."""
    scratch = file.with_name(f".{file.name}.new")
    scratch.write_bytes(content)
    scratch.replace(file)


class OnlyItsTests:
    """Selects the tests of one op and one column: its results and gradients, not its place in PyTorch."""

    def __init__(self, op: str, dtypes: list[str]) -> None:
        self.op = op.lower()
        self.dtypes = dtypes
        self.passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if self.fits(item)]

    def fits(self, item: Any) -> bool:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        op = given.get("op") or given.get("kernel") or getattr(item.module, "OP", None)
        if op is None or item.module.__name__ in SHARED:
            return False
        name = op.name.replace("_", "")
        if name not in (self.op, f"{self.op}grad") and self.op != f"{name}grad":
            return False
        column = given.get("column")
        return column is None or self.names(op.columns[column]) == self.dtypes[: len(op.columns[column])]

    @staticmethod
    def names(column: tuple[torch.dtype, ...]) -> list[str]:
        return [str(dtype).removeprefix("torch.") for dtype in column]


def tested(project: Project, op: str, column: dict[str, Any]) -> dict[str, Any]:
    """What the tests say: caught or not, by which test, with which message."""
    log = project.scratch / "log"
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        with log.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(project.root)
        dtypes = [each["dtype"] for each in column["inputs"]]
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", "tests"]
        selection = OnlyItsTests(op, dtypes)
        code = pytest.main(options, plugins=[selection])
        print(f"\n{selection.passed} passed", flush=True)  # noqa: T201
        os._exit(int(code))
    _, status = os.waitpid(child, 0)
    said = log.read_text(encoding="utf-8", errors="replace")
    if os.WIFSIGNALED(status):
        return {"verdict": "caught", "by": "time limit" if os.WTERMSIG(status) == signal.SIGALRM else "crash"}
    code = os.WEXITSTATUS(status)
    if code == 0:
        return {"verdict": "survived", "tests": int(re.findall(r"^(\d+) passed$", said, re.MULTILINE)[-1])}
    errors = re.findall(r"^E +(.*)", said, re.MULTILINE)
    test = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    if code != 1 or test is None:
        return {"verdict": "failed", "said": said[-2000:]}
    numbers = any("elements are off" in error for error in errors)
    by = "results" if numbers else "simulator" if re.search(r"op_kernel/|kernel", said) else "other checks"
    return {
        "verdict": "caught",
        "by": by,
        "test": test[1].partition("::")[2],
        "said": errors[0][:200] if errors else "",
    }


def verdict(project: Project, job: dict[str, Any]) -> dict[str, Any]:
    """What became of a job in the first column that catches it, else in the last one."""
    found: dict[str, Any] = {"verdict": "does not compile"}
    tests = 0
    for number in job["columns"]:
        column = project.columns(job["op"])[number]
        kernel, refused = project.compiled(job, column)
        if kernel is None:
            return {"verdict": "does not compile", "said": refused[-300:]}
        with project.replaced(kernel, column):
            found = tested(project, job["op"], column)
        if found["verdict"] != "survived":
            return found
        tests += found["tests"]
    return {**found, "tests": tests}


if __name__ == "__main__":
    where = Project(Path(sys.argv[1]).resolve(), Path(sys.argv[3]).resolve())
    importlib.import_module(sys.argv[2])
    where.scratch.mkdir(parents=True, exist_ok=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **verdict(where, asked)}), flush=True)  # noqa: T201  (its output)

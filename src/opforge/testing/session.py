"""Prepares a project's tests: its conftest.py calls this before any test is imported. Does not import torch."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from opforge.testing.failures import KernelFailures
from opforge.testing.interface import mismatch

COMMANDS = "`opforge test`, or `opforge run -- pytest`, or source the set_env.sh files that `opforge install` printed"


def begin(config: pytest.Config, package: str, root: Path) -> None:
    """Prepares pytest for the tests of the project at ``root``. Ends it with instructions if the tests cannot work.

    The environment must be activated before Python starts. Warnings of a fallback are errors, because a fallback's
    results do not test the kernel.
    """
    # The last matching filter applies.
    config.addinivalue_line("filterwarnings", rf"ignore:{package}\.\w+ is computed by PyTorch's own operators")
    config.addinivalue_line("filterwarnings", rf"error:{package}\.\w+ is computed by .* on this NPU")
    config.addinivalue_line("filterwarnings", "ignore:Cannot create tensor with internal format")  # torch_npu's
    pytest.register_assert_rewrite("opforge.testing.checks")
    config.pluginmanager.register(KernelFailures(), "opforge-kernel-failures")
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # torch_npu warns of the chip and of the end of a failed run
    problem = other_interface(root / "benchmarks" / "cases.py") or missing(package)
    if problem is not None:
        pytest.exit(problem, returncode=2)


def other_interface(cases: Path) -> str | None:
    """Why this opforge.testing does not match the project's requirement; None if it does, or if there is no file."""
    problem = mismatch(cases) if cases.is_file() else None
    return None if problem is None else f"{problem[0]}\n  help: {problem[1]}"


def missing(package: str) -> str | None:
    """The problem of the environment with the command that fixes it, or None."""
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home:
        return f"ASCEND_HOME_PATH is not set: no CANN and no simulated toolkit is activated. Type {COMMANDS}."
    if not Path(home).is_dir():
        return f"ASCEND_HOME_PATH={home} is not a folder. Type {COMMANDS}."
    if importlib.util.find_spec(package) is None:
        return f"{package} is not installed for this Python. Type `opforge build && opforge install`."
    return None

"""Prepares a project's tests: its conftest.py calls this before any test is imported. Does not import torch."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from opforge.testing.interface import mismatch

COMMANDS = "`opforge test`, or `opforge run -- pytest`, or source the set_env.sh files that `opforge install` printed"


def begin(config: pytest.Config, package: str, root: Path) -> None:
    """Prepares pytest for the tests of the project at ``root``, or ends it and says what to do.

    An environment is activated before Python starts, and what a fallback computes is not a kernel's result.
    """
    # The last filter that fits counts.
    config.addinivalue_line("filterwarnings", rf"ignore:{package}\.\w+ is computed by PyTorch's own operators")
    config.addinivalue_line("filterwarnings", rf"error:{package}\.\w+ is computed by .* on this NPU")
    pytest.register_assert_rewrite("opforge.testing.checks")
    problem = other_interface(root / "benchmarks" / "cases.py") or missing(package)
    if problem is not None:
        pytest.exit(problem, returncode=2)


def other_interface(cases: Path) -> str | None:
    """Why this opforge.testing is not the one that the project asks for; a project without the file asks for none."""
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

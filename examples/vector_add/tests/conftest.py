"""Stops before torch is imported where it could not work: an environment is activated before Python starts."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

COMMANDS = "`opforge test`, or `opforge run -- pytest`, or source the set_env.sh files that `opforge install` printed"


def pytest_configure(config: pytest.Config) -> None:
    """Looks at the environment before any test file is imported; what a fallback computes is no kernel's result."""
    # The last filter that fits counts.
    config.addinivalue_line("filterwarnings", r"ignore:vector_add\.\w+ is computed by PyTorch's own operators")
    config.addinivalue_line("filterwarnings", r"error:vector_add\.\w+ is computed by .* on this NPU")
    problem = what_is_missing()
    if problem is not None:
        pytest.exit(problem, returncode=2)


def what_is_missing() -> str | None:
    """What is wrong with the environment and what to type, or None."""
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home:
        return f"ASCEND_HOME_PATH is not set: no CANN and no simulated toolkit is activated. Type {COMMANDS}."
    if not Path(home).is_dir():
        return f"ASCEND_HOME_PATH={home} is no folder. Type {COMMANDS}."
    if importlib.util.find_spec("vector_add") is None:
        return "vector_add is not installed for this Python. Type `opforge build && opforge install`."
    return None

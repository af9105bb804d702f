"""Stops before torch is imported where it could not work: an environment is activated before Python starts."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

COMMANDS = "`opforge test`, or `opforge run -- pytest`, or source the set_env.sh files that `opforge install` printed"

home = os.environ.get("ASCEND_HOME_PATH")
if not home:
    pytest.exit(f"ASCEND_HOME_PATH is not set: no CANN and no simulated toolkit is activated. Type {COMMANDS}.", 2)
if not Path(home).is_dir():
    pytest.exit(f"ASCEND_HOME_PATH={home} is no folder. Type {COMMANDS}.", 2)
if importlib.util.find_spec("vector_add") is None:
    pytest.exit("vector_add is not installed for this Python. Type `opforge build && opforge install`.", 2)

"""What `make qualify` runs to the end and `make test-all` runs a part of, and the files of results that it leaves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]

sys.path.insert(0, str(TESTS / "render" / "ascendc"))  # generated_ops is imported by name
sys.path.insert(0, str(TESTS / "fidelity"))

from kept_results import keep_result  # noqa: E402


@pytest.fixture
def keep() -> Callable[[str, dict[str, Any]], None]:
    """``keep("every_size", {...})`` writes what a run has found, with the commit it was of, for docs/fidelity.md."""
    return keep_result

"""Loads opforge.testing, and stops before torch is imported if the tests cannot work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

VENDORED = Path(__file__).parent / "_opforge"  # where `opforge vendor testing` copies opforge.testing
HELP = (
    "`opforge test` brings opforge.testing along. For other ways to run the tests, `python -m pip install --no-deps "
    "opforge` installs it, and `opforge vendor testing` copies it into the project"
)


def pytest_configure(config: pytest.Config) -> None:
    """Checks the version of opforge.testing and the environment before any test file is imported."""
    if VENDORED.is_dir():
        sys.path.insert(0, str(VENDORED))
    try:
        from opforge.testing import session
    except ImportError as error:
        pytest.exit(f"{error}\n  help: {HELP}", returncode=2)
    session.begin(config, "vector_add", Path(__file__).parents[1])

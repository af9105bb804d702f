"""Writes the texts of failed tests into the file that OPFORGE_FAILED_TEXTS names.

A program of its own: pytest loads a copy of it as a plugin, in environments where opforge need not be installed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

VARIABLE = "OPFORGE_FAILED_TEXTS"


def pytest_runtest_logreport(report: Any) -> None:
    """A phase of a test has ended."""
    _write(report)


def pytest_collectreport(report: Any) -> None:
    """A file of tests was imported, or could not be."""
    _write(report)


def _write(report: Any) -> None:
    file = os.environ.get(VARIABLE)
    if file and report.failed:
        with Path(file).open("a", encoding="utf-8", errors="replace") as out:
            out.write(f"{report.longreprtext}\n")

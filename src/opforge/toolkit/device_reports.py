"""Reads the refusals of the simulated device: lines of JSON that its worker appends to ``$OPFORGE_SIM_REPORT``."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

VARIABLE = "OPFORGE_SIM_REPORT"
CHECKS = "OPFORGE_SIM_CHECKS"
_SCHEMA = 1


def read_device_reports(file: Path) -> list[dict[str, Any]]:
    """The refused launches, in order; empty if nothing ran on a simulated device.

    Ignores an incomplete line: its worker was killed while writing.
    """
    reports = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else ():
        with suppress(ValueError):
            reports.append(json.loads(line))
    return [report for report in reports if isinstance(report, dict) and report.get("schema") == _SCHEMA]

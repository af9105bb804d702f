"""What the simulated device has refused: the lines of JSON that its worker appends to ``$OPFORGE_SIM_REPORT``."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

VARIABLE = "OPFORGE_SIM_REPORT"
CHECKS = "OPFORGE_SIM_CHECKS"
_SCHEMA = 1


def read_device_reports(file: Path) -> list[dict[str, Any]]:
    """One for each launch that was refused, in order; none where nothing ran on a simulated device.

    A line that breaks off is left out: its worker was killed while it wrote.
    """
    reports = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else ():
        with suppress(ValueError):
            reports.append(json.loads(line))
    return [report for report in reports if isinstance(report, dict) and report.get("schema") == _SCHEMA]
